"""Parses kernels that are written in Python, started by syntax_worker.cpp after
python_channel.py.

Enters the sandbox first and never runs what it parses. Answers in the frames of a compile worker
(runtime/compile/compile.h): the outcome's code is the tree (runtime/lift/tile/tree.h) as JSON.
"""

import ast
import json
import sys

FILTER = 4
MAX_NODES, MAX_DEPTH = 200_000, 150

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~",
    ast.Not: "not", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}
# What a statement or expression that no kernel may use is called in messages.
NAMES = {
    ast.With: "a `with` statement", ast.Try: "a `try` statement", ast.Raise: "`raise`",
    ast.Lambda: "a lambda", ast.ListComp: "a list comprehension", ast.Dict: "a dictionary",
    ast.Set: "a set", ast.JoinedStr: "an f-string", ast.Global: "`global`", ast.Await: "`await`",
    ast.Yield: "`yield`", ast.ClassDef: "a class", ast.Import: "an import",
    ast.ImportFrom: "an import", ast.FunctionDef: "a function in a function",
    ast.Delete: "`del`", ast.NamedExpr: "`:=`", ast.GeneratorExp: "a generator",
    ast.Starred: "`*` before an argument",
}


class TooLarge(Exception):
    pass


class Tree:
    """Nodes as rows, each naming others by index, so that no reader has to recurse."""

    def __init__(self):
        self.rows = []

    def add(self, kind, node, depth, **fields):
        if len(self.rows) >= MAX_NODES:
            raise TooLarge(f"the source has more than {MAX_NODES} parts")
        if depth > MAX_DEPTH:
            raise TooLarge(f"line {node.lineno} nests deeper than {MAX_DEPTH}")
        row = {"k": kind, "l": getattr(node, "lineno", 0), "c": getattr(node, "col_offset", -1) + 1}
        row.update((key, value) for key, value in fields.items() if value not in ("", None, []))
        self.rows.append(row)
        return len(self.rows) - 1

    def other(self, node, depth):
        text = NAMES.get(type(node), f"`{type(node).__name__}`")
        return self.add("unsupported", node, depth, t=text)

    def constant(self, node, depth):
        value = node.value
        if value is None or value is Ellipsis:
            return self.add("none", node, depth)
        if isinstance(value, bool):
            return self.add("bool", node, depth, i=int(value))
        if isinstance(value, int) and -2**63 <= value < 2**63:
            return self.add("integer", node, depth, i=value)
        if isinstance(value, (int, float)):
            try:
                number = float(value)
            except OverflowError:
                return self.other(node, depth)
            return self.add("float", node, depth, n=number if abs(number) != float("inf") else None,
                            t=repr(number))
        if isinstance(value, str):
            # Half of a surrogate pair is no text that JSON can carry.
            text = value[:1000].encode("utf-8", "replace").decode()
            return self.add("text", node, depth, t=text)
        return self.other(node, depth)

    def expression(self, node, depth):
        deeper = depth + 1

        def kids(*nodes):
            return [self.expression(kid, deeper) for kid in nodes]

        if isinstance(node, ast.Name):
            return self.add("name", node, depth, t=node.id)
        if isinstance(node, ast.Constant):
            return self.constant(node, depth)
        if isinstance(node, ast.Attribute):
            return self.add("attribute", node, depth, t=node.attr, kids=kids(node.value))
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return self.add("index", node, depth, kids=kids(node.value, *parts))
        if isinstance(node, ast.Slice):
            parts = [self.expression(part, deeper) if part else self.add("none", node, deeper)
                     for part in (node.lower, node.upper, node.step)]
            return self.add("slice", node, depth, kids=parts)
        if isinstance(node, ast.Call) and all(keyword.arg for keyword in node.keywords):
            values = [keyword.value for keyword in node.keywords]
            return self.add("call", node, depth, kids=kids(node.func, *node.args, *values),
                            names=[keyword.arg for keyword in node.keywords])
        if isinstance(node, ast.UnaryOp):
            return self.add("unary", node, depth, t=OPERATORS[type(node.op)],
                            kids=kids(node.operand))
        if isinstance(node, ast.BinOp):
            return self.add("binary", node, depth, t=OPERATORS[type(node.op)],
                            kids=kids(node.left, node.right))
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            rows = [self.add("compare", node, depth, t=OPERATORS[type(op)],
                             kids=kids(sides[i], sides[i + 1])) for i, op in enumerate(node.ops)]
            return rows[0] if len(rows) == 1 else self.add("and", node, depth, kids=rows)
        if isinstance(node, ast.BoolOp):
            kind = "and" if isinstance(node.op, ast.And) else "or"
            return self.add(kind, node, depth, kids=kids(*node.values))
        if isinstance(node, ast.IfExp):
            return self.add("conditional", node, depth, kids=kids(node.body, node.test, node.orelse))
        if isinstance(node, (ast.Tuple, ast.List)):
            return self.add("tuple", node, depth, kids=kids(*node.elts))
        return self.other(node, depth)

    def block(self, body, depth):
        return [self.statement(node, depth + 1) for node in body]

    def statement(self, node, depth):
        deeper = depth + 1
        if isinstance(node, ast.Assign):
            targets = [self.expression(target, deeper) for target in node.targets]
            return self.add("assign", node, depth,
                            kids=[self.expression(node.value, deeper), *targets])
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return self.add("assign", node, depth, kids=[self.expression(node.value, deeper),
                                                         self.expression(node.target, deeper)])
        if isinstance(node, ast.AugAssign):
            return self.add("augment", node, depth, t=OPERATORS[type(node.op)],
                            kids=[self.expression(node.target, deeper),
                                  self.expression(node.value, deeper)])
        if isinstance(node, ast.Expr):
            return self.add("expression", node, depth, kids=[self.expression(node.value, deeper)])
        if isinstance(node, ast.For) and not node.orelse:
            return self.add("for", node, depth, kids=[self.expression(node.target, deeper),
                                                      self.expression(node.iter, deeper)],
                            body=self.block(node.body, depth))
        if isinstance(node, ast.While) and not node.orelse:
            return self.add("while", node, depth, kids=[self.expression(node.test, deeper)],
                            body=self.block(node.body, depth))
        if isinstance(node, ast.If):
            return self.add("if", node, depth, kids=[self.expression(node.test, deeper)],
                            body=self.block(node.body, depth), other=self.block(node.orelse, depth))
        if isinstance(node, ast.Return):
            return self.add("return", node, depth,
                            kids=[self.expression(node.value, deeper)] if node.value else [])
        if isinstance(node, ast.Pass):
            return self.add("pass", node, depth)
        if isinstance(node, ast.Break):
            return self.add("break", node, depth)
        if isinstance(node, ast.Continue):
            return self.add("continue", node, depth)
        if isinstance(node, (ast.Assert, ast.AnnAssign)):
            return self.add("pass", node, depth)
        return self.other(node, depth)

    def function(self, node):
        arguments = node.args
        parameters = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
        plain = len(arguments.posonlyargs) + len(arguments.args)
        defaults = [None] * (plain - len(arguments.defaults)) + arguments.defaults
        defaults += arguments.kw_defaults
        rows = []
        for parameter, default in zip(parameters, defaults):
            row = {"name": parameter.arg, "l": parameter.lineno}
            if parameter.annotation is not None:
                row["annotation"] = self.expression(parameter.annotation, 1)
            if default is not None:
                row["default"] = self.expression(default, 1)
            rows.append(row)
        return {"name": node.name, "l": node.lineno, "end": node.end_lineno, "parameters": rows,
                "open": bool(arguments.vararg or arguments.kwarg),
                "decorators": [self.expression(each, 1) for each in node.decorator_list],
                "body": self.block(node.body, 0)}

    def file(self, module):
        found = {"modules": {}, "constants": {}, "functions": []}
        for node in module.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found["modules"].update(imported(node))
            elif isinstance(node, (ast.If, ast.Try)):
                # The host decides between names for one thing: the first will do.
                for each in ast.walk(node):
                    if isinstance(each, (ast.Import, ast.ImportFrom)):
                        found["modules"] = imported(each) | found["modules"]
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found["constants"][node.targets[0].id] = self.expression(node.value, 1)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if node.value is not None:
                    found["constants"][node.target.id] = self.expression(node.value, 1)
            elif isinstance(node, ast.FunctionDef):
                found["functions"].append(self.function(node))
        found["nodes"] = self.rows
        return found


def imported(node):
    """What the names that an import makes stand for."""
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (f"{node.module}." if node.module else "")
        return {alias.asname or alias.name: module + alias.name for alias in node.names}
    return {alias.asname or alias.name.split(".")[0]:
            alias.name if alias.asname else alias.name.split(".")[0] for alias in node.names}


def diagnostic(message, line=0, column=0, snippet=""):
    return {"severity": "error", "message": message, "region": "source", "line": line,
            "column": column, "snippet": snippet}


def outcome_of(source):
    """The outcome of a compile, and its code."""
    error = None
    try:
        tree = Tree().file(ast.parse(source))
        return {"verdict": 0}, json.dumps(tree, separators=(",", ":")).encode()
    except SyntaxError as wrong:
        line, column = wrong.lineno or 0, max(wrong.offset or 0, 0)
        lines = source.split("\n")
        text = lines[line - 1][:160] if 0 < line <= len(lines) else ""
        snippet = text + "\n" + " " * max(min(column, len(text) + 1) - 1, 0) + "^" if text else ""
        error = diagnostic(f"Python: {wrong.msg}", line, column, snippet)
    except (TooLarge, ValueError) as wrong:
        error = diagnostic(str(wrong))
    except (RecursionError, MemoryError):
        error = diagnostic("the source nests too deeply for Python's parser")
    return {"verdict": 1, "message": error["message"], "diagnostics": [error],
            "diagnostics_total": 1}, b""


def main():
    version = ".".join(map(str, sys.version_info[:3]))
    enter_sandbox(read_all(FILTER))
    send_frame(f"ready\nPython {version}\npython".encode())
    while True:
        request = json.loads(receive_frame())
        form, code = outcome_of(request["source"]["source"])
        form.update(ptx_bytes=0, log_bytes=0)
        send_frame(json.dumps(form).encode() + b"\0" + code)


main()
