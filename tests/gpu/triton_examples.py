#!/usr/bin/env python3
"""Runs the Triton kernels of examples/tiles by Triton itself, on a GPU, and compares with PyTorch.

warpsmith checks these kernels without Triton: this says that the sources are Triton's language, and
that they compute there what they compute here. Needs torch, triton and an NVIDIA GPU.

    tests/gpu/triton_examples.py
"""

import importlib.util
import json
import pathlib
import sys
import tempfile

import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TYPES = {"f32": torch.float32, "f16": torch.float16}
FUNCTIONS = {"cdiv": lambda a, b: -(-a // b), "pow2ceil": lambda a: 1 << (a - 1).bit_length()}
REFERENCES = {
    "add": lambda t, s: {"c": t["a"] + t["b"]},
    "softmax": lambda t, s: {"y": torch.softmax(t["x"], 1)},
    "layernorm": lambda t, s: {"y": F.layer_norm(t["x"], t["x"].shape[1:], t["gamma"], t["beta"],
                                                 s["eps"])},
    "attention": lambda t, s: {"O": torch.softmax(t["Q"] @ t["K"].mT * s["scale"], 2) @ t["V"]},
    "sum": lambda t, s: {"total": t["x"].sum().reshape(1)},
    "matmul": lambda t, s: {"C": t["A"] @ (t["B"].mT if t["B"].dtype == torch.float16 else t["B"])},
}


def evaluate(expression, names):
    return eval(str(expression), {"__builtins__": {}}, {**FUNCTIONS, **names})


def load(source):
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(source)
    spec = importlib.util.spec_from_file_location("kernel_" + pathlib.Path(file.name).stem, file.name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tensors_of(problem, names):
    tensors = {}
    for arg in problem["args"]:
        if arg["role"] != "scalar":
            shape = [evaluate(size, names) for size in arg["shape"]]
            kind = TYPES[arg["type"]]
            tensors[arg["name"]] = (torch.randn(shape, device="cuda", dtype=kind)
                                    if arg["role"] == "in" else
                                    torch.full(shape, float("nan"), device="cuda", dtype=kind))
    return tensors


def argument(form, names, tensors):
    if isinstance(form, dict):
        return evaluate(form["value"], names)
    return tensors.get(form, names.get(form))


def run(problem, kernel):
    """The largest error of any output, relative to the largest magnitude."""
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    names = {name: dim["values"][-1] if isinstance(dim, dict) else dim[0]
             for name, dim in problem["dims"].items()}
    names.update({name: values[0] for name, values in kernel.get("params", {}).items()})
    scalars = {arg["name"]: arg["values"][0] for arg in problem["args"] if arg["role"] == "scalar"}
    names.update(scalars)
    tensors = tensors_of(problem, names)
    for buffer in kernel.get("scratch", []):
        shape = [evaluate(size, names) for size in buffer["shape"]]
        tensors[buffer["name"]] = torch.full(shape, float("nan"), device="cuda",
                                             dtype=TYPES[buffer["type"]])
    module = load(kernel["source"])
    for launch in kernel["launches"]:
        grid = tuple(evaluate(size, names) for size in launch["grid"])
        options = {key: int(launch[key]) for key in ("num_warps", "num_stages") if key in launch}
        arguments = [argument(form, names, tensors) for form in launch["args"]]
        getattr(module, launch["entry"])[grid](*arguments, **options)
    worst = 0.0
    for name, want in REFERENCES[problem["op"]](tensors, scalars).items():
        got, want = tensors[name].double(), want.double()
        worst = max(worst, ((got - want).abs().max() / want.abs().max()).item())
    return worst


def main():
    failed = 0
    for path in sorted((ROOT / "examples/tiles").glob("*/*.json")):
        kernel = json.loads(path.read_text())
        if kernel.get("language") != "triton":
            continue
        own = path.parent / "problem.json"
        other = ROOT / "examples/kernels" / path.parent.name / "problem.json"
        problem = json.loads((own if own.exists() else other).read_text())
        worst = run(problem, kernel)
        good = worst < (2e-3 if problem["args"][0]["type"] == "f16" else 1e-5)
        failed += not good
        print(f"{'ok' if good else 'WRONG':6}{kernel['name']:28}{worst:.2e}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
