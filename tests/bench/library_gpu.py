#!/usr/bin/env python3
"""Kernels against NVIDIA's libraries on a GPU, and the libraries' times beside those of PyTorch.

    library_gpu.py EXECUTABLE [--budget-ms N]

Run it with the Python that has torch and Triton, whose packages bring cuBLAS and cuDNN. Prints one
line per figure: the library's time in a benchmark, and that of torch.mm or of PyTorch's attention by
cuDNN, as triton.testing.do_bench takes it. Exit status 1 when a library is no baseline, when a wrong
question gets no refusal, or when a library's time is more than 10 % above PyTorch's: both call the
same code, and warpsmith may find a faster algorithm.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

from base import ROOT, Server

DEVICE = "cuda:0"
SLOWEST = 1.1
# Example, kernel, baseline, workload.
RUNS = [
    ("gemm-f16", "warp_specialized", "cublas", {"m": 4096, "n": 4096, "k": 4096}),
    ("gemm-f16", "warp_specialized", "cublas", {"m": 8192, "n": 8192, "k": 8192}),
    ("gemm-f16", "tma", "cublas", {"m": 200, "n": 256, "k": 320}),
    ("matmul", "thread_tile", "cublas", {"m": 2048, "n": 2048, "k": 2048}),
    ("attention-f16", "ping_pong", "cudnn",
     {"heads": 32, "kv_heads": 8, "s": 4096, "t": 4096, "d": 128}),
    ("attention-f16", "tma", "cudnn", {"heads": 16, "kv_heads": 16, "s": 4096, "t": 4096, "d": 64}),
    ("attention-f16", "cp_async", "cudnn", {"heads": 4, "kv_heads": 2, "s": 200, "t": 333, "d": 64}),
]
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print(f"  WRONG: {text}")


def read(folder, name):
    return json.loads((ROOT / "examples/kernels" / folder / f"{name}.json").read_text())


def product_of(workload, dtype, transposed):
    """Calls of torch.mm as the example multiplies: f16 by B's rows, f32 by its columns."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    m, n, k = (workload[dim] for dim in "mnk")
    a = torch.randn(m, k, device="cuda", dtype=dtype)
    b = torch.randn(*((n, k) if transposed else (k, n)), device="cuda", dtype=dtype)
    c = torch.empty(m, n, device="cuda", dtype=dtype)
    return lambda: torch.mm(a, b.T if transposed else b, out=c)


def attention_of(workload):
    """Calls of PyTorch's attention, by cuDNN alone."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def tensor(heads, rows):
        return torch.randn(1, heads, rows, workload["d"], device="cuda", dtype=torch.float16)

    q = tensor(workload["heads"], workload["s"])
    k, v = (tensor(workload["kv_heads"], workload["t"]) for _ in range(2))

    def call():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(
                q, k, v, enable_gqa=workload["heads"] != workload["kv_heads"])

    return call


def torch_us(example, workload):
    """PyTorch's time, as short a run as a benchmark's and after a pause for the card's clock."""
    import torch
    import triton.testing

    call = (attention_of(workload) if example == "attention-f16" else
            product_of(workload, torch.float16, True) if example == "gemm-f16" else
            product_of(workload, torch.float32, False))
    call()
    time.sleep(1)
    return 1000 * triton.testing.do_bench(call, return_mode="median")


def with_workload(problem, workload):
    dims = {}
    for name, spec in problem["dims"].items():
        dims[name] = (dict(spec, values=[workload[name]]) if isinstance(spec, dict)
                      else [workload[name]])
    return dict(problem, dims=dims)


def timed(server, example, name, baseline, workload, budget_ms):
    problem = with_workload(read(example, "problem"), workload)
    compiled, _ = server.call("compile_kernel", problem=problem, kernel=read(example, name),
                              device=DEVICE)
    if compiled["verdict"] != "compiled":
        check(False, f"{example}/{name}: {compiled['summary']}")
        return
    answer, ms = server.call("benchmark", kernel_id=compiled["kernel_id"], baseline=baseline,
                             device=DEVICE, time_budget_ms=budget_ms, wait_ms=600000)
    print(f"{example}/{name} {json.dumps(workload)}: {answer['summary']} ({ms / 1e3:.1f} s)")
    if "library" not in answer:
        check(False, f"{example}/{name} against {baseline}: {json.dumps(answer)[:900]}")
        return
    row = answer["workloads"][0]
    print(f"  {json.dumps(row['library'])}")
    print(f"  the kernel {row['median_us']:.2f} us, {row['tflops']:.1f} Tflop/s; the library "
          f"{row['baseline_median_us']:.2f} us: {answer['percent_of_library']:.1f} % of it; "
          f"verdict {answer['verdict']}, noise floor {answer['noise_floor']:.4f}, "
          f"{row['samples']} blocks")
    try:
        theirs = torch_us(example, workload)
    except (ImportError, RuntimeError) as error:
        print(f"  no comparison with PyTorch: {error}")
        return
    ratio = row["baseline_median_us"] / theirs
    print(f"  PyTorch by do_bench {theirs:.2f} us; the library's time is {ratio:.4f} of that")
    check(ratio < SLOWEST, f"{example}: {baseline} takes {ratio:.3f} of PyTorch's time")


def refusals(server):
    """Questions that have no answer; what they are refused with."""
    softmax, _ = server.call("compile_kernel", problem=read("softmax", "problem"),
                             kernel=first_kernel("softmax"), device=DEVICE)
    product, _ = server.call("compile_kernel", problem=read("matmul", "problem"),
                             kernel=read("matmul", "naive"), device=DEVICE)
    for kernel, arguments in ((softmax, {"baseline": "cublas"}), (product, {"baseline": "cudnn"}),
                              (product, {"baseline": "cublas", "device": "cpu:0"})):
        question = {"device": DEVICE, "kernel_id": kernel["kernel_id"], **arguments}
        answer, _ = server.exchange(server.line("tools/call", name="benchmark", arguments=question))
        result = json.loads(answer)["result"]
        text = result["content"][0]["text"]
        print(f"  {json.dumps(arguments)}: {text[:300]}")
        check(result.get("isError"), f"{json.dumps(arguments)} was answered")


def first_kernel(folder):
    names = sorted(path.stem for path in (ROOT / "examples/kernels" / folder).glob("*.json"))
    return read(folder, next(name for name in names
                             if name != "problem" and not name.startswith("broken")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable")
    parser.add_argument("--budget-ms", type=int, default=2000)
    options = parser.parse_args()
    os.environ.setdefault("WARPSMITH_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(str(pathlib.Path(options.executable).resolve()), folder)
        answer, _ = server.call("list_devices")
        for row in answer["machine"]:
            if row["what"] in ("cublas", "cudnn"):
                print(json.dumps(row))
        if answer["default_device"] != DEVICE:
            sys.exit(f"{DEVICE} cannot be used")
        for run in RUNS:
            timed(server, *run, options.budget_ms)
            sys.stdout.flush()
        print("refusals")
        refusals(server)
        server.close()
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
