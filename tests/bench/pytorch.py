#!/usr/bin/env python3
"""PyTorch on a GPU: modules as baselines beside do_bench, the examples against torch.compile, and the
extension that is handed over.

    pytorch.py EXECUTABLE [--only NAME]... [--repeats N] [--skip STEP]...

STEP is validate, compile, max-autotune, do_bench, attention or extension. Run it with the Python that
has torch with CUDA and Triton. Prints one line per figure. Exit status 1
when a figure is missed: a baseline more than 1 % from do_bench, an example slower than it must be, a
warm evaluation of 5 s, or an extension whose test fails or that adds 10 us to a launch.
"""

import argparse
import importlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from base import ROOT, Server
from torch.nn.attention import SDPBackend, sdpa_kernel
from triton.testing import do_bench

DEVICE = "cuda:0"
NEAR, WARM_S, ADDED_US = 0.01, 5, 10
# Example -> sizes that its module gets to be timed, and the least speed against torch.compile.
EXAMPLES = {
    "silu_gate": ({}, 1.0),
    "rms_norm_residual": ({}, 1.0),
    "layer_norm": ({}, 1.0),
    "linear_gelu": ({"tokens": 4096, "width": 4096, "hidden": 4096}, 1.0),
    "causal_attention": ({"batch": 4, "heads": 32, "seq": 4096}, None),
}
# Against the best backend of torch's attention.
ATTENTION = [(8, 32, 2048), (4, 32, 4096), (2, 32, 8192)]
ATTENTION_SPEED = 1.1
CUPY = ("rms_norm_residual", "layer_norm")  # The others have types or tensor maps that CuPy lacks.
# Modules of one or two launches: PyTorch, and the same for an element in CUDA.
POINTWISE = {
    "gelu": ("F.gelu(x)", "0.5f * a * (1.0f + erff(a * 0.70710678f))"),
    "add_relu": ("F.relu(x + y)", "fmaxf(a + b, 0.0f)"),
    "tanh": ("torch.tanh(x)", "tanhf(a)"),
    "hardswish": ("F.hardswish(x)", "a * fminf(fmaxf(a + 3.0f, 0.0f), 6.0f) / 6.0f"),
    "lerp": ("torch.lerp(x, y, 0.25)", "a + 0.25f * (b - a)"),
}
MODULE = """import torch
import torch.nn as nn
import torch.nn.functional as F

rows = 4096
columns = 8192


class Model(nn.Module):
    def forward(self, x, y):
        return {}


def get_inputs():
    return [torch.randn(rows, columns), torch.randn(rows, columns)]
"""
KERNEL = """__global__ void pointwise(const float4* x, const float4* y, float4* out, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const auto one = [](float a, float b) { return %s; };
  if (i < n) {
    const float4 p = x[i], q = y[i];
    out[i] = make_float4(one(p.x, q.x), one(p.y, q.y), one(p.z, q.z), one(p.w, q.w));
  }
}
"""
failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print(f"  WRONG: {text}", flush=True)


def median_us(run):
    """Cold launches as do_bench times them, for as short a time as warpsmith does: a product lowers
    the card's clock after a while."""
    time.sleep(0.5)
    with torch.no_grad():
        return 1000 * do_bench(run, warmup=5, rep=20, return_mode="median")


def made(text):
    """The module on the GPU, and its inputs."""
    space = {"__name__": "module"}
    exec(compile(text, "module", "exec"), space)
    given = space["get_init_inputs"]() if "get_init_inputs" in space else []
    return space["Model"](*given).cuda(), [value.cuda() for value in space["get_inputs"]()]


def sized(text, sizes):
    for name, value in sizes.items():
        text, count = re.subn(rf"^{name} = \d+$", f"{name} = {value}", text, flags=re.M)
        assert count == 1, name
    return text


class Subject:
    """A module, the problem that it becomes, and a kernel for it."""

    def __init__(self, name, text, kernel, own_text=None):
        self.name, self.text, self.kernel = name, text, kernel
        self.own_text = own_text  # Of an example, with the sizes that it has.
        self.kernel_id = None
        self.own_id = None  # With these sizes, when it is validated.

    def problem(self, text):
        return {"name": self.name, "reference": {"kind": "pytorch", "source": text}}

    def compiled(self, server, text):
        answer, _ = server.call("compile_kernel", problem=self.problem(text), kernel=self.kernel, device=DEVICE,
                                wait_ms=600000)
        check(answer["verdict"] == "compiled", f"{self.name}: {json.dumps(answer)[:900]}")
        return answer.get("kernel_id")

    def compile(self, server):
        self.kernel_id = self.compiled(server, self.text)
        return self.kernel_id is not None

    def validate(self, server):
        self.own_id = self.kernel_id if self.own_text == self.text else self.compiled(server, self.own_text)
        answer, ms = server.call("validate", kernel_id=self.own_id, device=DEVICE, level="quick", wait_ms=600000)
        check(answer["verdict"] == "passed", f"{self.name}: {json.dumps(answer)[:900]}")
        print(f"{self.name}: {answer['verdict']} in {ms / 1000:.1f} s", flush=True)

    def against(self, server, baseline, budget_ms=2000):
        answer, ms = server.call("benchmark", kernel_id=self.kernel_id, device=DEVICE, baseline=baseline,
                                 time_budget_ms=budget_ms, fresh=True, wait_ms=600000)
        rows = answer.get("workloads") or [{}]
        if "baseline_median_us" not in rows[0]:
            check(False, f"{self.name} against {baseline}: {json.dumps(answer)[:900]}")
            return None
        return answer, rows[0], ms


def pointwise():
    plan = {"entry": "pointwise", "grid": ["cdiv(rows * columns, 1024)"], "block": ["256"],
            "args": ["x", "y", "output", {"value": "rows * columns / 4", "type": "i64"}]}
    for name, (formula, element) in POINTWISE.items():
        kernel = {"name": name, "language": "cuda", "source": KERNEL % element, "launches": [plan],
                  "constraints": ["columns % 4 == 0"]}
        yield Subject(name, MODULE.format(formula), kernel)


def example(name, sizes):
    own = ROOT / "examples/pytorch" / name
    text = (own / f"{name}.py").read_text()
    return Subject(name, sized(text, sizes), json.loads((own / "kernel.json").read_text()), text)


def beside_do_bench(server, subjects, repeats):
    print("torch as a baseline, and do_bench of the same module:")
    for subject in subjects:
        module, inputs = made(subject.text)
        ours, theirs = [], []
        for _ in range(repeats):
            timed = subject.against(server, "torch")
            if timed is None:
                break
            ours.append(timed[1]["baseline_median_us"])
            theirs.append(median_us(lambda: module(*inputs)))
        if ours:
            ratio = statistics.median(ours) / statistics.median(theirs)
            print(f"  {subject.name}: {statistics.median(ours):.2f} us, do_bench {statistics.median(theirs):.2f} us: "
                  f"{ratio:.4f}", flush=True)
            check(abs(ratio - 1) < NEAR, f"{subject.name} is more than 1 % from do_bench")
        del module, inputs
        torch.cuda.empty_cache()


def against_compiled(server, subjects, modes):
    print("the examples against torch.compile:")
    for subject in subjects:
        for mode in modes:
            timed = subject.against(server, mode)
            if timed is None:
                continue
            answer, row, ms = timed
            low, high = answer["ratio_ci"] if "ratio_ci" in answer else (0, 0)
            print(f"  {subject.name} against {mode}: {answer['verdict']}, kernel {row['median_us']:.2f} us, "
                  f"module {row['baseline_median_us']:.2f} us, {answer.get('ratio', 0):.3f}x ({low:.3f} to {high:.3f}), "
                  f"in {ms / 1000:.1f} s", flush=True)
            least = EXAMPLES[subject.name][1]
            if mode == "torch.compile" and least is not None:
                check(high >= least, f"{subject.name} is slower than torch.compile")


def attention(server):
    print("causal attention against the backends of scaled_dot_product_attention:")
    for batch, heads, seq in ATTENTION:
        subject = example("causal_attention", {"batch": batch, "heads": heads, "seq": seq})
        if not subject.compile(server):
            continue
        answer, _ = server.call("benchmark", kernel_id=subject.kernel_id, device=DEVICE, baseline="none",
                                fresh=True, wait_ms=600000)
        if not answer.get("workloads"):
            check(False, json.dumps(answer)[:900])
            continue
        ours = answer["workloads"][0]["median_us"]
        module, inputs = made(subject.text)
        best = {}
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
            with sdpa_kernel(backend):
                best[backend.name] = median_us(lambda: module(*inputs))
        flops = 2 * batch * heads * seq * seq * 128
        speed = min(best.values()) / ours
        print(f"  {batch} x {heads} heads, {seq}: {ours:.1f} us ({flops / ours / 1e6:.0f} Tflop/s); "
              + ", ".join(f"{name} {us:.1f}" for name, us in best.items()) + f"; {speed:.3f}x of the best", flush=True)
        check(speed >= ATTENTION_SPEED, f"attention at {seq} is below {ATTENTION_SPEED}x of the best backend")
        del module, inputs
        torch.cuda.empty_cache()


def warm_evaluation(server, subject):
    """Another kernel for a module that was timed before."""
    source = re.sub(r"__launch_bounds__\((\w+)\)", r"__launch_bounds__(\1, 1)", subject.kernel["source"])
    if source == subject.kernel["source"]:
        return
    kernel = dict(subject.kernel, source=source)
    answer, ms = server.call("evaluate", problem=subject.problem(subject.text), kernel=kernel, device=DEVICE, baseline="torch.compile",
                             wait_ms=600000)
    print(f"evaluate of {subject.name} with a warm baseline: {ms / 1000:.1f} s, reward {answer.get('reward')}, "
          f"fast_p {json.dumps(answer.get('fast_p'))}", flush=True)
    check(ms < 1000 * WARM_S, f"a warm evaluation took {ms / 1000:.1f} s")
    check(answer.get("reward", 0) > 0, json.dumps(answer)[:900])


def run(step, folder):
    done = subprocess.run(step, cwd=folder, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{' '.join(step)}: {(done.stdout + done.stderr)[-1500:]}")
    return (done.stdout.strip().splitlines() or [""])[-1]


def handed_over(executable, data, subject, form, folder):
    to = pathlib.Path(folder) / f"{subject.name}-{form}"
    run([executable, "export", subject.own_id, "--as", form, "-o", str(to), "--data", data], folder)
    return to


def extension(server, executable, data, subject, folder):
    """Builds what `export` writes, runs its test, and times a call beside our own launch."""
    to = handed_over(executable, data, subject, "pytorch", folder)
    run([sys.executable, "setup.py", "build_ext", "--inplace"], to)
    test = next(to.glob("test_*.py"), None)
    if test is None:
        return
    print(f"  {subject.name}: {run([sys.executable, test.name], to)}", flush=True)
    answer, _ = server.call("benchmark", kernel_id=subject.own_id, device=DEVICE, baseline="none", fresh=True,
                            wait_ms=600000)
    name = test.stem.removeprefix("test_")
    sys.path.insert(0, str(to))
    importlib.import_module(name)
    module, inputs = made(subject.own_text)
    arguments = inputs + [value.detach() for value in module.parameters()]
    operator = getattr(torch.ops, name).run
    called = median_us(lambda: operator(*arguments))
    start = time.perf_counter()
    for _ in range(200):
        operator(*arguments)
    host = 1e6 * (time.perf_counter() - start) / 200
    ours = answer["workloads"][0]["median_us"]
    print(f"  {subject.name}: a call {called:.2f} us by do_bench, our launch {ours:.2f} us, the call alone {host:.1f} us "
          "of the CPU", flush=True)
    check(called - ours < ADDED_US, f"the extension of {subject.name} adds {called - ours:.1f} us")


def cuda_program(executable, data, subject, folder):
    """The program verifies itself."""
    to = handed_over(executable, data, subject, "cuda", folder)
    source = next(to.glob("*.cu"))
    run(["bash", "-c", re.search(r"nvcc .*", source.read_text()).group(0)], to)
    program = next(path for path in to.iterdir() if path.suffix == "")
    print(f"  {subject.name} as cuda: {run([str(program)], to)}", flush=True)


def cupy_file(executable, data, subject, folder):
    """Called with the module's inputs, and compared with the module."""
    import cupy
    to = handed_over(executable, data, subject, "cupy", folder)
    sys.path.insert(0, str(to))
    file = importlib.import_module(next(to.glob("*.py")).stem)
    module, inputs = made(subject.own_text)
    with torch.no_grad():
        wanted = module(*inputs)
    given = [cupy.from_dlpack(value.detach()) for value in inputs + list(module.parameters())]
    got = file.handover_run(*given)
    pairs = zip(*[value if isinstance(value, (tuple, list)) else [value] for value in (got, wanted)])
    close = all(torch.allclose(torch.from_dlpack(a), b, rtol=1e-4, atol=1e-5) for a, b in pairs)
    print(f"  {subject.name} as cupy: {'as the module' if close else 'other results'}", flush=True)
    check(close, f"the CuPy file of {subject.name} gives other results")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("executable")
    arguments.add_argument("--only", action="append", help="an example or a pointwise module")
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--skip", action="append", default=[])
    options = arguments.parse_args()
    os.environ.setdefault("WARPSMITH_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as data:
        server = Server(options.executable, data)
        known = [example(name, sizes) for name, (sizes, _) in EXAMPLES.items()]
        wanted = [subject for subject in known + list(pointwise()) if not options.only or subject.name in options.only]
        subjects = [subject for subject in wanted if subject.compile(server)]
        examples = [subject for subject in known if subject.kernel_id]
        if "validate" not in options.skip:
            for subject in examples:
                subject.validate(server)
        if "compile" not in options.skip:
            modes = ["torch.compile"] + ["torch.compile:max-autotune"] * ("max-autotune" not in options.skip)
            against_compiled(server, examples, modes)
            warm_evaluation(server, examples[0])
        if "do_bench" not in options.skip:
            beside_do_bench(server, subjects, options.repeats)
        if "attention" not in options.skip:
            attention(server)
        if "extension" not in options.skip:
            print("what is handed over:")
            with tempfile.TemporaryDirectory() as folder:
                for subject in (each for each in examples if each.own_id):
                    extension(server, options.executable, data, subject, folder)
                    cuda_program(options.executable, data, subject, folder)
                    if subject.name in CUPY:
                        cupy_file(options.executable, data, subject, folder)
        server.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
