#!/usr/bin/env python3
"""31 changes of kernels for tensor cores, by apply_transformation.

    tests/bench/lower_targets.py WARPSMITH [--device cuda:0] [--only NAME]

Each target is the lifted program with a few statements changed. It is sent without edits; what the server proposes is sent
back. Without a device the kernel is compiled for sm_90a, and the program that it lifts to is run in its place; with one it
is also validated at level quick. Prints a row for each; exit status 1: fewer than 30 are lowered. Standard library only.
"""

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from base import ROOT, Server  # noqa: E402

ENOUGH = 30
EXAMPLES = ROOT / "examples/kernels"
SPECIALIZED, CP_ASYNC, TILED = "gemm-f16/warp_specialized", "gemm-f16/cp_async", "gemm-f16/tiled"
TMA, PING_PONG, PLAIN_COPIES = "attention-f16/tma", "attention-f16/ping_pong", "attention-f16/cp_async"


def replaced(*changes):
    """A target by replacing texts of the program, each of which it has."""
    def target(program):
        for old, new in changes:
            if old not in program:
                sys.exit(f"the program has no `{old}`")
            program = program.replace(old, new)
        return program
    return target


def epilogue(value, sums="acc"):
    return replaced((f'to({sums}, "f16")', f'to({value.replace("@", sums)}, "f16")'))


def with_input(name, value, before="k"):
    """An argument more, and what the sums become by it."""
    return replaced((f"B, C, {before}", f"B, C, {name}, {before}"), ("self.C = C", f"self.C = C\n        self.{name} = {name}"),
                    ('to(acc, "f16")', f'to({value}, "f16")'))


class Scores:
    """The masked scores of an attention kernel: their names, tiles of keys and queries, and where these begin."""

    def __init__(self, names, keys, queries, first_query):
        self.names, self.keys = names, keys
        self.query = f"arange({queries})[:, None] + {first_query}"

    def key(self, name):
        own = f"arange({self.keys})[None, :]"
        return own if name.startswith("first") else f"({own} + j * {self.keys})"

    def change(self, value, behind=True):
        """`value` of the scores, @, in a statement behind their mask, or before it."""
        def target(program):
            lines = program.split("\n")
            for old, masked in self.names:
                at = next(n for n, line in enumerate(lines) if line.strip().startswith(f"{masked} = where("))
                indent = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
                name = masked if behind else f"{old}_changed"
                text = value.format(key=self.key(masked), query=self.query).replace("@", masked if behind else old)
                if not behind:
                    lines[at] = lines[at].replace(f" {old}, -inf), {old})", f" {name}, -inf), {name})")
                lines.insert(at + behind, f"{indent}{name} = {text}")
            return "\n".join(lines)
        return target

    def without_hidden(self, value):
        """Causal, and tiles of keys behind all queries are left out."""
        bound = f"(self.t + {self.keys} - 1) // {self.keys}"
        skips = replaced((f"tiles = {bound}", f"tiles = minimum({bound}, (row0 + 128 + {self.keys} - 1) // {self.keys})"))
        return lambda program: skips(self.change(value)(program))


SCORES = {
    TMA: Scores([("x", "x_1")], 128, 64, "blockIdx.x * 128 + wg * 64"),
    PING_PONG: Scores([("first", "first_1"), ("x", "x_1")], 128, 64, "blockIdx.x * 128 + (wg - 1) * 64"),
    PLAIN_COPIES: Scores([("x", "x_1")], 64, 128, "blockIdx.x * 128"),
}
CAUSAL = "where({key} <= {query}, @, -inf)"
WINDOW = "where(({key} <= {query}) & ({key} > {query} - 96), @, -1.2676506002282294e30)"
ALIBI = "@ + ({key} - ({query})) * 0.25"
SOFTCAP = "20.0 * tanh(@ / 20.0)"
COLUMNS = {SPECIALIZED: "arange(256)[None, :] + blockIdx.y * 256", CP_ASYNC: "arange(128)[None, :] + blockIdx.x * 128"}
ROWS = {SPECIALIZED: "arange(64)[:, None] + blockIdx.x * 128 + (wg - 1) * 64",
        CP_ASYNC: "arange(128)[:, None] + blockIdx.y * 128"}


def targets():
    """Kernel, name, target, and further arguments of the problem."""
    for kernel, sums in ((SPECIALIZED, "acc"), (CP_ASYNC, "acc"), (TILED, "sum_")):
        yield kernel, "ReLU", epilogue("relu(@)", sums), []
    yield SPECIALIZED, "half of it", epilogue("@ * 0.5"), []
    yield CP_ASYNC, "SiLU", epilogue("@ * sigmoid(@)"), []
    yield TILED, "between -4 and 4", epilogue("minimum(maximum(@, -4.0), 4.0)", "sum_"), []
    yield SPECIALIZED, "soft cap", epilogue("30.0 * tanh(@ / 30.0)"), []
    for kernel in (SPECIALIZED, CP_ASYNC):
        yield kernel, "upper triangle", epilogue(f"where({COLUMNS[kernel]} >= {ROWS[kernel]}, @, 0.0)"), []
    yield SPECIALIZED, "bias of columns", with_input("bias", "acc + load(self.bias, (blockIdx.y,), (256,))[None, :]"), \
        [("bias", "f32", ["n"])]
    yield CP_ASYNC, "bias of columns", with_input("bias", "acc + load(self.bias, (blockIdx.x,), (128,))[None, :]"), \
        [("bias", "f32", ["n"])]
    yield CP_ASYNC, "factors of rows", with_input("factors", "acc * load(self.factors, (blockIdx.y,), (128,))[:, None]"), \
        [("factors", "f32", ["m"])]
    yield CP_ASYNC, "residual", \
        with_input("R", 'acc + to(load(self.R, (blockIdx.y, blockIdx.x), (128, 128)), "f32")'), [("R", "f16", ["m", "n"])]
    yield SPECIALIZED, "lower triangle of A, other tiles left out", replaced(
        ("tiles = (self.k + 64 - 1) // 64", "tiles = minimum((self.k + 64 - 1) // 64, (row0 + 128 + 64 - 1) // 64)")), []
    for kernel, scores in SCORES.items():
        yield kernel, "causal", scores.change(CAUSAL), []
        yield kernel, "causal, hidden tiles left out", scores.without_hidden(CAUSAL), []
        yield kernel, "soft cap", scores.change(SOFTCAP, behind=False), []
        yield kernel, "window", scores.change(WINDOW, behind=False), []
        yield kernel, "ALiBi", scores.change(ALIBI), []
    yield TMA, "half of it", replaced(("acc / total", "acc / total * 0.5")), []
    yield TMA, "another scale", replaced(("0.18033688", "0.25")), []


def problem_of(kernel, target, arguments):
    """The kernel's problem with more arguments, and the target as its reference."""
    problem = json.loads((EXAMPLES / kernel).with_name("problem.json").read_text())
    problem["name"] += "_with_" + arguments[0][0]
    problem["args"] += [dict(name=name, type=dtype, shape=shape, role="in") for name, dtype, shape in arguments]
    problem["reference"] = {"kind": "cuir", "source": target}
    return problem


class Bench:
    def __init__(self, server, device):
        self.server = server
        self.where = {"device": device} if device else {"arch": "sm_90a"}
        self.lifted = {}

    def program(self, kernel):
        if kernel not in self.lifted:
            compiled, _ = self.server.call(
                "compile_kernel", problem=json.loads((EXAMPLES / kernel).with_name("problem.json").read_text()),
                kernel=json.loads((EXAMPLES / f"{kernel}.json").read_text()), **self.where)
            lifted, _ = self.server.call("lift_to_ir", kernel_id=compiled["kernel_id"], detail="full")
            self.lifted[kernel] = compiled["kernel_id"], lifted["ir"]
        return self.lifted[kernel]

    def lower(self, kernel, change, arguments):
        """Whether it is lowered, in words, and the milliseconds of the try."""
        kernel_id, program = self.program(kernel)
        call = dict(kernel_id=kernel_id, target_ir=change(program), wait_ms=600000, **self.where)
        if arguments:
            call["problem"] = problem_of(kernel, call["target_ir"], arguments)
        asked, ms = self.server.call("apply_transformation", **call)
        if "proposal" not in asked:
            return False, asked["no_proposal"], ms
        tried, more = self.server.call("apply_transformation", **call, **asked["proposal"])
        return tried["applied"], tried["verdict"] if tried["applied"] else tried["summary"], ms + more


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable")
    parser.add_argument("--device")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    lowered = count = 0
    print("| kernel | change | proposed, and sent | time |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as data:
        server = Server(options.executable, data)
        bench = Bench(server, options.device)
        for kernel, name, change, arguments in targets():
            if options.only in name:
                done, words, ms = bench.lower(kernel, change, arguments)
                lowered, count = lowered + done, count + 1
                print(f"| {kernel} | {name} | {words} | {ms / 1000:.1f} s |", flush=True)
        server.close()
    print(f"\n{lowered} of {count} lowered")
    return 0 if lowered >= min(ENOUGH, count) else 1


if __name__ == "__main__":
    sys.exit(main())
