#!/usr/bin/env python3
"""Imports each module of a folder, and runs the problem's reference against the module itself.

    python3 tests/pytorch/check.py WARPSMITH FOLDER [--verbose] [--small]

needs the interpreter that has PyTorch. Prints one line for each module that is refused or differs, and
`N of M modules become problems, K differ`; the exit status is 1 where one differs. With --small the
inputs are cut to small sizes that the problem allows, for modules whose examples are made for a GPU.
"""

import argparse
import contextlib
import json
import math
import pathlib
import re
import subprocess
import sys

import torch

SEEDS = (1, 2, 3)
SMALL = 16  # Sizes that dims are cut to.
LARGE, DRAWN = 1 << 24, 64  # Elements that are all drawn, and how many along an axis of more.


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


@contextlib.contextmanager
def partly_drawn():
    """Lets torch draw only the first elements along each axis of large tensors: the others are cut off."""
    drawing = {name: getattr(torch, name) for name in ("rand", "randn", "randint")}

    def part_of(draw, position):
        def drawn(*given, **options):
            shape = given[position:] if not isinstance(given[position], (tuple, list)) else given[position]
            sizes = [size for size in shape if isinstance(size, int)]
            if math.prod(sizes) <= LARGE or len(sizes) != len(shape):
                return draw(*given, **options)
            first = draw(*given[:position], [min(size, DRAWN) for size in sizes], **options)
            whole = torch.empty(sizes, dtype=first.dtype)
            whole[tuple(slice(size) for size in first.shape)] = first
            return whole
        return drawn

    torch.rand, torch.randn = part_of(drawing["rand"], 0), part_of(drawing["randn"], 0)
    torch.randint = lambda *given, **options: part_of(drawing["randint"], 2 if len(given) > 2 else 1)(*given, **options)
    try:
        yield
    finally:
        for name, draw in drawing.items():
            setattr(torch, name, draw)


def small_dims(problem):
    """A size for each dim that is run in a moment."""
    return {name: min(dim["values"][0], max(dim["min"], -(-SMALL // dim["multiple_of"]) * dim["multiple_of"]))
            for name, dim in problem["dims"].items()}


def cut(problem, values, dims):
    """The inputs with the sizes of `dims` along the axes that are dims."""
    shapes = iter([arg["shape"] for arg in problem["args"] if arg["role"] == "in"])
    return [value[tuple(slice(dims.get(size)) for size in next(shapes))].clone()
            if isinstance(value, torch.Tensor) else value for value in values]


def difference(problem, path, seed, small):
    """Why the reference is not the module; None: it is."""
    space = executed(path.read_text(), "module")
    torch.manual_seed(seed)
    with partly_drawn() if small else contextlib.nullcontext():
        model, values = called(space)
    dims = {name: dim["values"][0] for name, dim in problem["dims"].items()}
    if small:
        dims = small_dims(problem)
        values = cut(problem, values, dims)
    inputs = inputs_of(problem, model, values)
    with torch.no_grad():
        want = model(*values)
    want = list(want) if isinstance(want, (tuple, list)) else [want]
    reference = executed(problem["reference"]["source"], "reference")["reference"]
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
    parser.add_argument("--small", action="store_true", help="cut the inputs to small sizes")
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
        found = next((why for seed in SEEDS if (why := difference(problem, path, seed, options.small))), None)
        if found:
            wrong += 1
            print(f"{path.name}: {found}")
        elif options.verbose:
            print(f"{path.name}: {', '.join(problem['dims'])}; {told}")
    print(f"{good} of {total} modules become problems, {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
