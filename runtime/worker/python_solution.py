"""Reads a solution of KernelBench as a syntax tree (runtime/reference/solution_reader.h), started by
solution_worker.cpp after python_channel.py. Nothing of the file is executed, and no library is needed.

Answers with one frame of JSON: the texts that load_inline gets, the call that ModelNew.forward
makes, and the text that an export of warpsmith has beside them; or why there is none.
"""

import ast

FILTER, JOB = 4, 5
NAME = "solution"
OWN = "warpsmith"
SAME = ("contiguous", "cuda", "detach")  # Methods that give the same tensor, or its copy.


MOST = 1 << 20  # Characters of the file's texts: a few additions could make gigabytes of them.


class Refused(Exception):
    """The file has a form that cannot be expressed."""


def short(node):
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 120 else text[:117] + "..."


def check_length(count):
    if count > MOST:
        raise Refused(f"the texts of the file have more than {MOST} characters")


def joined(parts, between):
    if None in parts:
        return None
    check_length(sum(len(each) + len(between) for each in parts))
    return between.join(parts)


def text_of(node, texts):
    """The text that an expression of constant texts and their names gives; None: another expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name):
        return texts.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return joined([text_of(node.left, texts), text_of(node.right, texts)], "")
    if isinstance(node, (ast.List, ast.Tuple)):
        return joined([text_of(each, texts) for each in node.elts], "\n")
    return None


def is_load(call):
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name == "load_inline"


def loaded(call, texts):
    """The texts of one load_inline."""
    given = {word.arg: word.value for word in call.keywords}
    given.update(zip(("name", "cpp_sources", "cuda_sources", "functions"), call.args))
    sources = {}
    for key in ("cpp_sources", "cuda_sources"):
        sources[key] = text_of(given[key], texts) if key in given else ""
        if sources[key] is None:
            raise Refused(f"load_inline gets {key} that are not texts of the file: `{short(given[key])}`")
    return sources


def argument(node, parameters):
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SAME:
        node = node.func.value
    if isinstance(node, ast.Name) and node.id in parameters:
        return {"input": parameters.index(node.id)}
    path, inner = [], node
    while isinstance(inner, ast.Attribute):
        path.insert(0, inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name) and inner.id == "self" and path:
        return {"weight": ".".join(path[:-1] if path[-1] == "data" and len(path) > 1 else path)}
    raise Refused(f"ModelNew.forward gives the kernel's function `{short(node)}`, which is neither an input nor a "
                  "weight")


def is_same(statement, parameters):
    """`x = x.contiguous()`"""
    value = statement.value if isinstance(statement, ast.Assign) else None
    target = statement.targets[0] if value is not None else None
    try:
        return isinstance(target, ast.Name) and argument(value, parameters) == {"input": parameters.index(target.id)}
    except (Refused, ValueError):
        return False


def forward_call(model):
    """The function that ModelNew.forward returns the call of, and its arguments."""
    forward = next((each for each in model.body if isinstance(each, ast.FunctionDef) and each.name == "forward"), None)
    if forward is None:
        raise Refused("class ModelNew has no method forward")
    parameters = [each.arg for each in forward.args.posonlyargs + forward.args.args][1:]
    body = [each for each in forward.body
            if not isinstance(each, ast.Expr) or not isinstance(each.value, ast.Constant)]
    for statement in body[:-1]:
        if not is_same(statement, parameters):
            raise Refused(f"ModelNew.forward does more than call one function: `{short(statement)}`")
    call = body[-1].value if body and isinstance(body[-1], ast.Return) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.keywords:
        raise Refused("ModelNew.forward does not end with the call of a loaded function by position")
    return call.func.attr, [argument(each, parameters) for each in call.args]


def assigned(statement):
    """The names that a statement of the file gives a value, and its expression; None: no single one does."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [], None
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and all(isinstance(each, ast.Name) for each in targets):
        return [each.id for each in targets], statement.value
    if isinstance(statement, ast.AugAssign) and isinstance(targets[0], ast.Name):
        return [targets[0].id], ast.BinOp(ast.Name(targets[0].id), statement.op, statement.value)
    return [each.id for each in ast.walk(statement)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)], None


def read_solution(source):
    tree = ast.parse(source, NAME)
    texts, kept, own, load, model = {}, 0, None, None, None
    for statement in tree.body:
        names, value = assigned(statement)
        text = text_of(value, texts)
        for name in names:
            own = statement if name == OWN else own
            kept += len(text or "") - len(texts.get(name) or "")
            check_length(kept)
            texts[name] = text
        if isinstance(statement, ast.ClassDef) and statement.name == "ModelNew":
            model = statement
        for each in ast.walk(statement):
            if isinstance(each, ast.Call) and is_load(each):
                if load is not None:
                    raise Refused("the file calls load_inline more than once, and one call can be read")
                load = (each, dict(texts))
    if model is None:
        raise Refused("the file has no class ModelNew")
    if load is None:
        raise Refused("the file does not call load_inline")
    sources = loaded(*load)
    if texts.get(OWN) is not None:
        return dict(sources, own=texts[OWN], file=source.replace(ast.get_source_segment(source, own), "", 1))
    function, arguments = forward_call(model)
    return dict(sources, function=function, arguments=arguments)


def main():
    job = json.loads(read_all(JOB))
    enter_sandbox(read_all(FILTER))
    try:
        answer(verdict="", parts=read_solution(job["source"]))
    except Refused as error:
        answer(verdict="refused", message=str(error))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        answer(verdict="refused",
               message=f"the file is no Python: {type(error).__name__}{place_of(error, job['source'], NAME)}")


main()
