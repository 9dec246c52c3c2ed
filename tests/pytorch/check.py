#!/usr/bin/env python3
"""Imports each module of a folder, and runs the problem's reference against the module itself.

    python3 tests/pytorch/check.py WARPSMITH FOLDER [--verbose]

needs the interpreter that has PyTorch. Prints one line for each module that is refused or differs, and
`N of M modules become problems, K differ`; the exit status is 1 where one differs.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import torch

SEEDS = (1, 2, 3)


def imported(program, path):
    done = subprocess.run([program, "import", "pytorch", str(path)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return json.loads(done.stdout), done.stderr.strip()


def executed(source, name):
    space = {"__name__": name}
    exec(compile(source, name, "exec"), space)
    return space


def called(space):
    """The module, or the function, and the example inputs as this seed draws them."""
    if "Model" not in space:
        functions = [value for name, value in space.items() if callable(value) and name not in ("get_inputs",)
                     and getattr(value, "__module__", None) == "module"]
        return (space.get("forward") or functions[0]), space["get_inputs"]()
    given = space["get_init_inputs"]() if "get_init_inputs" in space else []
    return space["Model"](*given), space["get_inputs"]()


def as_array(tensor):
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def inputs_of(problem, model, values):
    """What the reference gets: the inputs in order, and the module's weights."""
    names = [arg["name"] for arg in problem["args"] if arg["role"] == "in"]
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    inputs = {name: as_array(value) for name, value in zip(names, tensors)}
    listed = re.search(r"for name, argument in (\[.*?\]):\n", problem["reference"]["source"]).group(1)
    if isinstance(model, torch.nn.Module):
        state = dict(model.named_parameters()) | dict(model.named_buffers())
        inputs |= {argument: as_array(state[name]) for name, argument in eval(listed)}
    return inputs


def difference(problem, path, seed):
    """Why the reference is not the module; None: it is."""
    space = executed(path.read_text(), "module")
    torch.manual_seed(seed)
    model, values = called(space)
    inputs = inputs_of(problem, model, values)
    with torch.no_grad():
        want = model(*values)
    want = list(want) if isinstance(want, (tuple, list)) else [want]
    reference = executed(problem["reference"]["source"], "reference")["reference"]
    dims = {name: dim["values"][0] for name, dim in problem["dims"].items()}
    got = list(reference(inputs, dims).values())
    shapes = [[eval(str(size), {}, dims) for size in arg["shape"]] for arg in problem["args"] if arg["role"] == "out"]
    for i, (a, b, shape) in enumerate(zip(want, got, shapes, strict=True)):
        if list(a.shape) != list(b.shape) or list(a.shape) != shape:
            return f"output {i} has shape {tuple(a.shape)}, the reference {b.shape}, the problem {shape}"
        a, b = a.double(), torch.as_tensor(b).double()
        if not torch.allclose(a, b, rtol=2e-2 if problem["args"][-1]["type"] in ("f16", "bf16") else 1e-3,
                              atol=1e-4 * float(a.abs().max() if a.numel() else 0), equal_nan=True):
            return f"output {i} differs by {float((a - b).abs().max()):.3g}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true", help="print what each problem has, and its notes")
    options = parser.parse_args()
    good, total, wrong = 0, 0, 0
    for path in sorted(options.folder.rglob("*.py")):
        if "get_inputs" not in path.read_text():
            continue
        total += 1
        problem, told = imported(options.program, path)
        if problem is None:
            print(f"{path.name}: refused: {told}")
            continue
        good += 1
        found = next((why for seed in SEEDS if (why := difference(problem, path, seed))), None)
        if found:
            wrong += 1
            print(f"{path.name}: {found}")
        elif options.verbose:
            print(f"{path.name}: {', '.join(problem['dims'])}; {told}")
    print(f"{good} of {total} modules become problems, {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
