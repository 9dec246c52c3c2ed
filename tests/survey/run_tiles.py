#!/usr/bin/env python3
"""Runs public kernels of tiles against references of our own, without a GPU.

A recipe (tests/survey/recipes/*.py) says for one kernel of a public repository what it computes: a problem with a
reference in NumPy, and how the kernel is launched. The kernels themselves are read from a folder.

    tests/survey/run_tiles.py build/bin/warpsmith FOLDER [--only TEXT] [--level quick]

prints one line for each recipe, and how many kernels passed validation.
"""

import argparse
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
from command import call  # noqa: E402

RECIPES = pathlib.Path(__file__).resolve().parent / "recipes"


def recipes():
    for path in sorted(RECIPES.glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from module.KERNELS


def request(recipe, folder):
    """The arguments of compile_kernel."""
    source = (folder / recipe["file"]).read_text()
    problem = {"name": recipe["kernel"], "dims": recipe["dims"], "args": recipe["args"],
               "reference": {"kind": "python", "source": recipe["reference"]}}
    problem |= {key: recipe[key] for key in ("tolerance", "valid") if key in recipe}
    launches = [{"entry": recipe["kernel"]} | launch for launch in recipe["launches"]]
    kernel = {"language": recipe.get("language", "cutile"), "source": source, "launches": launches}
    kernel |= {key: recipe[key] for key in ("params", "constraints", "scratch") if key in recipe}
    return {"problem": problem, "kernel": kernel}


def judged(program, data, recipe, folder, level):
    """The verdict, and why it is not `passed`."""
    try:
        compiled = call(program, data, "compile_kernel", request(recipe, folder))
        if compiled["verdict"] != "compiled":
            first = (compiled.get("diagnostics") or [{}])[0]
            return compiled["verdict"], f"line {first.get('line')}: {first.get('message', compiled['summary'])}"
        answer = call(program, data, "validate",
                      {"kernel_id": compiled["kernel_id"], "level": level, "device": "cpu:0"})
    except (RuntimeError, subprocess.SubprocessError, OSError) as error:
        return "error", str(error)
    return answer["verdict"], answer["summary"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="", help="recipes whose file or kernel contains this")
    parser.add_argument("--level", default="quick", choices=("quick", "standard"))
    options = parser.parse_args()
    chosen = [each for each in recipes() if options.only in each["file"] + ":" + each["kernel"]]
    passed = set()
    with tempfile.TemporaryDirectory() as data:
        for recipe in chosen:
            verdict, why = judged(options.program, data, recipe, options.folder, options.level)
            name = recipe["file"] + ":" + recipe["kernel"]
            if verdict == "passed":
                passed.add(name)
            print(f"{verdict:12} {name}" + ("" if verdict == "passed" else f": {why[:400]}"), flush=True)
    kernels = {each["file"] + ":" + each["kernel"] for each in chosen}
    print(f"{len(passed)} of {len(kernels)} kernels passed")


if __name__ == "__main__":
    main()
