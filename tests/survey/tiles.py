#!/usr/bin/env python3
"""How many kernels of tiles in a folder compile: parsed, and every name, shape and type checked.

Nobody says what such a kernel is launched with, so this guesses: arrays have as many dimensions as the indices
that the kernel, or a function that it calls, uses, and are of i32 where their names say so; constants are 16,
other numbers 4. Where that is refused, other guesses are tried: arrays of f16, constants that are compared are 0,
the fewest dimensions that an index has. Files of the folder that a kernel's file imports are sent with it. A kernel
that is refused may still be refused because of a guess; the reasons of the first guess are printed.

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

CALLS = {"load", "store", "gather", "scatter", "atomic_add", "num_tiles", "load_advanced_indexing"}
FLAGS = re.compile(r"^(is_|has_|use_|needs_|even_|causal|transpose)|_?(flag|causal)$", re.I)
INDICES = re.compile(r"(^|_)(idx|ind|index|indices|ids?|size|sizes|len|lens|lengths?|label|labels|target|targets|"
                     r"offset|offsets|table|tables|indptr|cu|start|starts|num|count|counts|tokens?|map|seqlens?|cumsum|device)(_|$)",
                     re.I)
REALS = re.compile(r"eps|scale|alpha|beta|prob|offset_f|temperature|softcap", re.I)


def decorated(function, word):
    return any(word in ast.dump(each) for each in function.decorator_list)


def is_constant(parameter):
    return parameter.annotation is not None and re.search(
        r"Const|constexpr", ast.unparse(parameter.annotation))


def tuples_of(function):
    """Name -> the tuple that it stands for."""
    return {node.targets[0].id: node.value for node in ast.walk(function)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Tuple)}


def length(node, tuples):
    node = tuples.get(node.id, node) if isinstance(node, ast.Name) else node
    return len(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else 1


def parts_of(function):
    """Name of a part -> the array that it is a slice of."""
    parts = {}
    for node in ast.walk(function):
        if (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name)
                and isinstance(node.value.func, ast.Attribute) and node.value.func.attr == "slice"
                and isinstance(node.value.func.value, ast.Name)):
            parts[node.targets[0].id] = node.value.func.value.id
    return parts


def indices_of(function):
    """Name, how many dimensions an index or a shape of it has: for each place that tells it."""
    parts, tuples = parts_of(function), tuples_of(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in CALLS and node.args and isinstance(node.args[0], ast.Name):
                keywords = {each.arg: each.value for each in node.keywords}
                index = keywords.get("index", keywords.get("indices"))
                index = index or (node.args[1] if len(node.args) > 1 else None)
                shape = keywords.get("shape")
                found = length(shape, tuples) if shape is not None else 0
                name = node.args[0].id
                yield parts.get(name, name), found or length(index, tuples)
        if (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute)
                and node.value.attr == "shape" and isinstance(node.value.value, ast.Name)
                and isinstance(node.slice, ast.Constant) and node.slice.value >= 0):
            yield node.value.value.id, node.slice.value + 1


def ranks_of(function, functions, choose=max, depth=3):
    """Name -> how many dimensions its indices have, here or in a function that it is passed to."""
    ranks = {}
    for name, rank in indices_of(function):
        ranks[name] = choose(ranks.get(name, rank), rank)
    for node in ast.walk(function):
        if depth and isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            callee = functions[node.func.id]
            inner = ranks_of(callee, functions, choose, depth - 1)
            names = [each.arg for each in callee.args.args]
            passed = dict(zip(names, node.args)) | {each.arg: each.value for each in node.keywords}
            for name, value in passed.items():
                if isinstance(value, ast.Name) and name in inner:
                    ranks[value.id] = choose(ranks.get(value.id, inner[name]), inner[name])
    return ranks


def compared(function):
    """Names that are compared with a constant or with a name of the file: they choose a variant."""
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
            if all(isinstance(op, (ast.Eq, ast.NotEq)) for op in node.ops):
                names.add(node.left.id)
    return names


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


def descriptors_of(function):
    """Name -> dimensions of what tiles are loaded from or stored to by a method."""
    return {node.func.value.id: len(node.args[0].elts) for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args
            and node.func.attr in ("load", "store") and isinstance(node.func.value, ast.Name)
            and isinstance(node.args[0], ast.List)}


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
    """For each function that takes an array: name and requests."""
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
        yield found.group(1), [plan("cutile_jl", source, found.group(1), args, launch)]


def request(source, function, functions, triton, real="f32", zero=frozenset(), choose=max):
    ranks = ranks_of(function, functions, choose)
    pointers = pointers_of(function)
    descriptors = descriptors_of(function) if triton else {}
    args, launch, maps = [], [], []
    for parameter in function.args.args:
        name = parameter.arg
        if name in descriptors:
            rank = descriptors[name]
            args.append(array(name, real, 2) | {"shape": ["16"] * rank})
            maps.append({"name": name + "_map", "of": name, "box": ["16"] * rank})
            launch.append(name + "_map")
            continue
        pointer = triton and name in pointers and not is_constant(parameter)
        if pointer or (name in ranks and not is_constant(parameter)):
            kind = "i32" if INDICES.search(name) else real
            args.append(array(name, kind, 1 if triton else ranks[name]))
            launch.append(name)
        elif name in zero and is_constant(parameter):
            launch.append({"value": "0", "type": "i32"})
        else:
            launch.append(number(parameter))
    if not args:
        return None
    form = plan("triton" if triton else "cutile", source, function.name, args, launch)
    if maps:
        form["kernel"]["tensor_maps"] = maps
    return form


def guesses(source, function, functions, triton):
    """Requests, the most likely one first."""
    zero = compared(function)
    choices = [{}, {"real": "f16"}, {"zero": zero}, {"choose": min}, {"zero": zero, "choose": min}]
    forms = [request(source, function, functions, triton, **choice) for choice in choices]
    return [form for i, form in enumerate(forms) if form is not None and form not in forms[:i]]


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


def imports_of(path, folder):
    """The files of the folder that a file imports from."""
    for node in ast.parse(path.read_text(errors="replace")).body:
        if isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            roots = ([path.parents[node.level - 1]] if node.level else
                     [folder, folder / "src", folder.parent])
            for root in roots:
                at = root.joinpath(*parts)
                for file in (at.with_suffix(".py"), *(at / f"{each.name}.py" for each in node.names)):
                    if file.is_file() and file != path:
                        yield file


def files_beside(path, folder):
    """Name -> text of what a kernel's file imports, itself or through others."""
    found, left = {}, [path]
    while left:
        for file in imports_of(left.pop(), folder):
            text = file.read_text(errors="replace")
            if file.name not in found and ("cuda.tile" in text or "triton" in text):
                found[file.name] = text
                left.append(file)
    return found


def python_requests(source, triton, files):
    if ("triton" if triton else "cuda.tile") not in source:
        return
    tree = ast.parse(source)
    trees = [*map(ast.parse, files.values()), tree]
    functions = {node.name: node for each in trees for node in each.body
                 if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and decorated(node, "jit" if triton else "kernel"):
            forms = guesses(source, node, functions, triton)
            for form in forms:
                form["kernel"]["headers"] = files
            if forms:
                yield node.name, forms


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
                     python_requests(source, options.language == "triton",
                                     files_beside(path, options.folder)))
            for name, tries in forms:
                total += 1
                whys = [compiled(options.program, data, tries[0])]
                for form in tries[1:]:
                    if whys[-1] is not None:
                        whys.append(compiled(options.program, data, form))
                why = None if None in whys else whys[0]
                if why is not None:
                    reasons[re.sub(r"line \d+: |`[^`]*`|\(.*?\)|\d+", "_", why)[:70]] += 1
                    if options.verbose:
                        print(f"{path.relative_to(options.folder)}:{name}: {why}")
    print(f"{total - sum(reasons.values())} of {total} kernels compile")
    for reason, count in reasons.most_common(30):
        print(f"{count:4} {reason}")


if __name__ == "__main__":
    main()
