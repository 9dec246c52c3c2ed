#!/usr/bin/env python3
"""How many kernels of tiles in a folder compile: parsed, and every name, shape and type checked.

Nobody says what such a kernel is launched with, so this guesses: arrays have as many dimensions as the
indices that the kernel uses and are of i32 where their names say so, constants are 16, other numbers 4. A kernel that is refused may be refused
because of a guess; the reasons are printed.

    tests/survey/tiles.py build/bin/warpsmith FOLDER [--language LANGUAGE] [--verbose]
"""

import argparse
import ast
import collections
import json
import pathlib
import re
import subprocess
import tempfile

CALLS = {"load": 1, "store": 1, "gather": 1, "scatter": 1, "atomic_add": 1, "num_tiles": 1}
FLAGS = re.compile(r"^(is_|has_|use_|needs_|even_|causal|transpose)|_?(flag|causal)$", re.I)
INDICES = re.compile(r"(^|_)(idx|ind|index|indices|ids?|size|sizes|len|lens|lengths?|label|labels|target|targets|"
                     r"offset|offsets|table|tables|indptr|cu|start|starts|num|count|counts|tokens?|map|seqlens?)(_|$)",
                     re.I)
REALS = re.compile(r"eps|scale|alpha|beta|prob|offset_f|temperature|softcap", re.I)


def decorated(function, word):
    return any(word in ast.dump(each) for each in function.decorator_list)


def is_constant(parameter):
    return parameter.annotation is not None and re.search(
        r"Const|constexpr", ast.unparse(parameter.annotation))


def length(node):
    return len(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else 1


def ranks_of(function):
    """Name -> how many dimensions its indices have."""
    ranks = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in CALLS and node.args and isinstance(node.args[0], ast.Name):
                keywords = {each.arg: each.value for each in node.keywords}
                index = keywords.get("index", keywords.get("indices"))
                index = index or (node.args[1] if len(node.args) > 1 else None)
                shape = keywords.get("shape")
                found = length(shape) if shape is not None else 0
                found = found or length(index)
                ranks[node.args[0].id] = max(ranks.get(node.args[0].id, 0), found)
        if (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute)
                and node.value.attr == "shape" and isinstance(node.value.value, ast.Name)
                and isinstance(node.slice, ast.Constant) and node.slice.value >= 0):
            name = node.value.value.id
            ranks[name] = max(ranks.get(name, 0), node.slice.value + 1)
    return ranks


def pointers_of(function):
    """Names that are called pointers, or that a load or a store starts from."""
    names = {each.arg for each in function.args.args if re.search("ptr|base", each.arg, re.I)}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            at = node.args[0] if node.args and node.func.attr in ("load", "store", "atomic_add") else None
            while isinstance(at, ast.BinOp):
                at = at.left
            if isinstance(at, ast.Name):
                names.add(at.id)
    return names


def number(parameter):
    text = ast.unparse(parameter.annotation) if parameter.annotation else ""
    if "bool" in text or FLAGS.search(parameter.arg):
        return {"value": "1", "type": "i32"}
    if "float" in text or REALS.search(parameter.arg):
        return {"value": "0.5", "type": "f32"}
    return {"value": "16" if is_constant(parameter) else "4", "type": "i32"}


def plan(language, source, entry, args, launch):
    reference = "def reference(inputs, dims):\n    return dict(inputs)\n"
    return {"problem": {"name": "survey", "args": args,
                        "reference": {"kind": "python", "source": reference}},
            "kernel": {"language": language, "source": source,
                       "launches": [{"entry": entry, "grid": ["1"], "args": launch}]}}


def array(name, kind, rank):
    return {"name": name, "type": kind, "role": "inout",
            "shape": ["4096"] if rank == 1 else ["16"] * rank}


def julia_requests(source):
    """Of each function that takes an array: name and request."""
    functions = re.finditer(r"^function (\w+!?)\(([^)]*TileArray[^)]*)\)", source, re.M)
    for found in functions:
        args, launch = [], []
        for parameter in re.split(r",(?![^{]*\})", found.group(2)):
            name, _, kind = (part.strip() for part in parameter.partition("::"))
            shape = re.search(r"TileArray\{\s*(\w+)\s*,\s*(\d)", kind)
            if shape:
                types = {"Int32": "i32", "Int": "i32", "Float16": "f16"}
                args.append(array(name, types.get(shape.group(1), "f32"), int(shape.group(2))))
                launch.append(name)
            elif "Float" in kind:
                launch.append({"value": "0.5", "type": "f32"})
            else:
                value = "1" if "Bool" in kind else "4" if "Int32" in kind else "16"
                launch.append({"value": value, "type": "i32"})
        yield found.group(1), plan("cutile_jl", source, found.group(1), args, launch)


def request(source, function, triton):
    ranks = ranks_of(function)
    pointers = pointers_of(function)
    args, launch = [], []
    for parameter in function.args.args:
        name = parameter.arg
        pointer = triton and name in pointers and not is_constant(parameter)
        if pointer or (name in ranks and not is_constant(parameter)):
            kind = "i32" if INDICES.search(name) else "f32"
            args.append(array(name, kind, 1 if triton else ranks[name]))
            launch.append(name)
        else:
            launch.append(number(parameter))
    if not args:
        return None
    return plan("triton" if triton else "cutile", source, function.name, args, launch)


def compiled(program, data, form):
    answer = subprocess.run([program, "call", "compile_kernel", "-", "--data", data, "--no-gpu"],
                            input=json.dumps(form), capture_output=True, text=True)
    try:
        result = json.loads(answer.stdout)
    except json.JSONDecodeError:
        return (answer.stdout + answer.stderr).strip()[:200]
    if result["verdict"] == "compiled":
        return None
    first = (result["diagnostics"] or [{"message": result["summary"]}])[0]
    return f"line {first.get('line', 0)}: {first['message'][:200]}"


def python_requests(source, triton):
    if ("triton" if triton else "cuda.tile") not in source:
        return
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and decorated(node, "jit" if triton else "kernel"):
            form = request(source, node, triton)
            if form is not None:
                yield node.name, form


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--language", choices=("cutile", "triton", "cutile_jl"), default="cutile")
    parser.add_argument("--verbose", action="store_true", help="print each refused kernel")
    options = parser.parse_args()
    julia = options.language == "cutile_jl"
    total, reasons = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as data:
        for path in sorted(options.folder.rglob("*.jl" if julia else "*.py")):
            source = path.read_text(errors="replace")
            forms = (julia_requests(source) if julia else
                     python_requests(source, options.language == "triton"))
            for name, form in forms:
                total += 1
                why = compiled(options.program, data, form)
                if why is not None:
                    reasons[re.sub(r"line \d+: |`[^`]*`|\(.*?\)|\d+", "_", why)[:70]] += 1
                    if options.verbose:
                        print(f"{path.relative_to(options.folder)}:{name}: {why}")
    print(f"{total - sum(reasons.values())} of {total} kernels compile")
    for reason, count in reasons.most_common(30):
        print(f"{count:4} {reason}")


if __name__ == "__main__":
    main()
