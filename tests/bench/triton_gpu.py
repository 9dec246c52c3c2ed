#!/usr/bin/env python3
"""Triton's kernels on a GPU: every example validated, and a product and a softmax timed beside do_bench.

    triton_gpu.py EXECUTABLE [--repeats N]

Run it with the Python that has torch and Triton. Prints one line per figure. Exit status 1 when an
example does not pass, a planted mistake does, or a time is more than 1 % from that of do_bench for
the same source, arguments and inputs.
"""

import argparse
import copy
import json
import os
import statistics
import sys
import tempfile
import time

from base import ROOT, Server

sys.path.insert(0, str(ROOT / "tests/gpu"))
import triton_examples

DEVICE = "cuda:0"
NEAR = 0.01
# Example -> the sizes and parameters that are timed.
TIMED = {"gemm-f16/gemm_triton": ({"m": 4096, "n": 4096, "k": 4096}, {"BM": 128, "BN": 128, "BK": 64}),
         "softmax/softmax_triton": ({"rows": 4096, "cols": 4096}, {})}
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print(f"  WRONG: {text}")


def read(path):
    kernel = json.loads(path.read_text())
    own = path.parent / "problem.json"
    other = ROOT / "examples/kernels" / path.parent.name / "problem.json"
    return json.loads((own if own.exists() else other).read_text()), kernel


def examples():
    for path in sorted((ROOT / "examples/tiles").glob("*/*_triton.json")):
        yield f"{path.parent.name}/{path.stem}", *read(path)


def compiled(server, name, problem, kernel, **more):
    answer, ms = server.call("compile_kernel", problem=problem, kernel=kernel, device=DEVICE, **more)
    check(answer["verdict"] == "compiled", f"{name}: {answer['summary']}")
    return answer, ms


def validate_all(server):
    for name, problem, kernel in examples():
        answer, ms = compiled(server, name, problem, kernel)
        if answer["verdict"] != "compiled":
            continue
        entry = answer["entries"][0]
        again, again_ms = compiled(server, name, problem, kernel)
        checked, validate_ms = server.call("validate", kernel_id=answer["kernel_id"], device=DEVICE,
                                           level="standard", wait_ms=300000)
        check(checked["verdict"] == "passed", f"{name}: {json.dumps(checked)[:900]}")
        print(f"  {name}: compiled in {ms:.0f} ms, again {again_ms:.1f}; {entry['registers']} registers, "
              f"{entry['shared_bytes']} bytes of shared memory; {checked['verdict']} in "
              f"{validate_ms:.0f} ms")


def plant(server):
    """Mistakes in the softmax, and the verdicts on them."""
    problem, kernel = read(ROOT / "examples/tiles/softmax/softmax_triton.json")
    for old, new, wanted in (
            ("numerator / tl.sum", "numerator * tl.sum", "incorrect"),
            (", mask=mask)\n", ")\n", "out_of_bounds"),
            ("(numerator, axis=0)", "(numerator, axis=3)", "compile_error"),
            ("tl.exp(x", "tl.expp(x", "compile_error"),
            ("    mask = offsets < cols\n", "    mask = offsets < cols\n    while row >= 0:\n"
             "        tl.store(y_ptr + row, 0.0)\n", "timeout")):
        wrong = copy.deepcopy(kernel)
        check(old in wrong["source"], f"{old} is not in the source")
        wrong["source"] = wrong["source"].replace(old, new)
        answer, _ = server.call("compile_kernel", problem=problem, kernel=wrong, device=DEVICE)
        if answer["verdict"] == "compiled":
            answer, _ = server.call("validate", kernel_id=answer["kernel_id"], device=DEVICE,
                                    level="standard", wait_ms=300000)
        print(f"  {new.strip()[:40]!r}: {answer['verdict']}: {answer['summary'][:300]}")
        check(answer["verdict"] == wanted, f"{new.strip()!r} is {answer['verdict']}, not {wanted}")


def do_bench_us(problem, kernel, workload, params):
    """The kernel on normal inputs, cold, as Triton's own launcher and timer have it: launched for
    as short a time as warpsmith does it, and as long as do_bench usually does. A product lowers the
    card's clock after a while."""
    import triton
    names = {**workload, **params}
    tensors = triton_examples.tensors_of(problem, names)
    module = triton_examples.load(kernel["source"])
    launch = kernel["launches"][0]
    grid = tuple(triton_examples.evaluate(size, names) for size in launch["grid"])
    options = {key: int(launch[key]) for key in ("num_warps", "num_stages") if key in launch}
    arguments = [triton_examples.argument(form, names, tensors) for form in launch["args"]]
    run = getattr(module, launch["entry"])[grid]
    time.sleep(1)
    short = triton.testing.do_bench(lambda: run(*arguments, **options), warmup=5, rep=15,
                                    return_mode="median")
    time.sleep(1)
    usual = triton.testing.do_bench(lambda: run(*arguments, **options), return_mode="median")
    return 1000 * short, 1000 * usual


def time_beside_do_bench(server, repeats):
    for name, (workload, params) in TIMED.items():
        problem, kernel = read(ROOT / "examples/tiles" / f"{name}.json")
        for dim, value in workload.items():
            spec = problem["dims"][dim]
            problem["dims"][dim] = dict(spec, values=[value])
        kernel["params"] = {key: [value] for key, value in params.items()}
        answer, _ = compiled(server, name, problem, kernel)
        ours, theirs = [], []
        for _ in range(repeats):
            timed, _ = server.call("benchmark", kernel_id=answer["kernel_id"], device=DEVICE,
                                   fresh=True, wait_ms=300000)
            if not timed.get("workloads"):
                check(False, f"{name}: {json.dumps(timed)[:600]}")
                return
            ours.append(timed["workloads"][0]["median_us"])
            theirs.append(do_bench_us(problem, kernel, workload, params))
        short, usual = (statistics.median(column) for column in zip(*theirs))
        ratio = statistics.median(ours) / short
        print(f"  {name} {workload}: ours {statistics.median(ours):.2f} us, do_bench for 15 ms "
              f"{short:.2f} us ({ratio:.4f}), for 100 ms {usual:.2f} us "
              f"({statistics.median(ours) / usual:.4f}); ours {min(ours):.2f} to {max(ours):.2f}")
        check(abs(ratio - 1) < NEAR, f"{name} is more than 1 % from do_bench")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("executable")
    arguments.add_argument("--repeats", type=int, default=5)
    options = arguments.parse_args()
    os.environ.setdefault("WARPSMITH_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as data:
        server = Server(options.executable, data)
        devices, _ = server.call("list_devices")
        print("  " + json.dumps([[row["id"], row.get("languages", "unknown")] for row in devices["devices"]]))
        validate_all(server)
        plant(server)
        time_beside_do_bench(server, options.repeats)
        server.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
