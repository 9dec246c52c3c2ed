"""The modules that pytorch.py times, the problems that they become, and kernels for them."""

import json
import re
import time

import torch
from base import ROOT
from triton.testing import do_bench

DEVICE = "cuda:0"
# Example -> sizes that its module gets to be timed, and the least speed against torch.compile.
EXAMPLES = {
    "silu_gate": ({}, 1.0),
    "rms_norm_residual": ({}, 1.0),
    "layer_norm": ({}, 1.0),
    "linear_gelu": ({"tokens": 4096, "width": 4096, "hidden": 4096}, 1.0),
    "causal_attention": ({"batch": 4, "heads": 32, "seq": 4096}, None),
}
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
# A module that launches the kernel below itself: two timers of one kernel.
SAME = "same_kernel"
SAME_FORWARD = """launched(x, y) if x.is_cuda else torch.lerp(x, y, 0.25)


def launched(x, y, _made=[]):
    if not _made:
        _made.append(torch.cuda._compile_kernel(SOURCE, "pointwise"))
    out = torch.empty_like(x)
    _made[0](grid=(rows * columns // 1024, 1, 1), block=(256, 1, 1), args=[x, y, out, rows * columns // 4])
    return out


SOURCE = '''{}'''
"""
KERNEL = """extern "C" __global__ void pointwise(const float4* x, const float4* y, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
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
            "args": ["x", "y", "output", {"value": "rows * columns // 4", "type": "i32"}]}
    same = {SAME: (SAME_FORWARD.format(KERNEL % POINTWISE["lerp"][1]), POINTWISE["lerp"][1])}
    for name, (formula, element) in (POINTWISE | same).items():
        kernel = {"name": name, "language": "cuda", "source": KERNEL % element, "launches": [plan],
                  "constraints": ["columns % 4 == 0"]}
        yield Subject(name, MODULE.format(formula), kernel)


def example(name, sizes):
    own = ROOT / "examples/pytorch" / name
    text = (own / f"{name}.py").read_text()
    return Subject(name, sized(text, sizes), json.loads((own / "kernel.json").read_text()), text)
