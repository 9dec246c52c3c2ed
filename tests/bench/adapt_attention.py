#!/usr/bin/env python3
"""Three variants of the expert kernel ping_pong by apply_transformation: causal, a sliding window and ALiBi.

    tests/bench/adapt_attention.py WARPSMITH [--device cuda:0]

Without a device each is lowered for sm_90a, and its program is run in its place; with one it is also validated at level
standard. Prints a row for each; exit status 1: one is not lowered, or not passed. Standard library only.
"""

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from base import ROOT, Server  # noqa: E402

EXAMPLES = ROOT / "examples/kernels/attention-f16"
QUERY = "arange(64)[:, None] + blockIdx.x * 128 + (wg - 1) * 64"
# A power of two: its product with the scale is exact, so a GPU that fuses product and difference gets 0 too.
HIDDEN, HIDDEN_C = "-1.2676506002282294e30", "-0x1p100f"
# For each variant the program's statement and the kernel's, for scores `x` of keys `key`. In the kernel queries count from
# the tile's first key.
VARIANTS = {
    "causal": ("where({key} <= {query}, {x}, -inf)", "key <= query ? x[i] : -INFINITY"),
    "window": (f"where(({{key}} <= {{query}}) & ({{key}} > {{query}} - 96), {{x}}, {HIDDEN})",
               f"key <= query && key > query - 96 ? x[i] : {HIDDEN_C}"),
    "alibi": ("{x} + ({key} - ({query})) * 0.25", "x[i] + (key - query) * 0.25f"),
}
LOOP = """#pragma unroll
  for (int i = 0; i < BN / 2; ++i) {{
    const int key = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2, query = ahead + i / 2 % 2 * 8;
    x[i] = {};
  }}"""
ROW = "row0 + (group - 1) * 64 + tid % 128 / 32 * 16 + tid % 32 / 4"


def line_with(lines, part):
    return next(number for number, line in enumerate(lines, 1) if part in line)


def target_of(program, statement):
    """The program with a statement behind each mask of the keys that there are."""
    lines = program.split("\n")
    for x, key in (("first_1", "arange(128)[None, :]"), ("x_1", "(arange(128)[None, :] + j * 128)")):
        at = line_with(lines, f" {x} = where(") - 1
        indent = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
        lines.insert(at + 1, f"{indent}{x} = " + statement.format(x=x, key=key, query=QUERY))
    return "\n".join(lines)


def edits_of(source, statement):
    lines = source.split("\n")

    def changed(old, new):
        number = line_with(lines, old)
        return {"op": "replace", "from": number, "old": lines[number - 1], "text": lines[number - 1].replace(old, new)}

    behind_mask = line_with(lines, "? x[i] : -INFINITY;") + 3
    return [changed("int left) {", "int left, int ahead) {"),
            {"op": "insert", "from": behind_mask, "text": LOOP.format(statement)},
            changed("fix, t);", f"fix, t, {ROW});"), changed("t - j * BN);", f"t - j * BN, {ROW} - j * BN);")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable")
    parser.add_argument("--device")
    options = parser.parse_args()
    where = {"device": options.device} if options.device else {"arch": "sm_90a"}
    kernel = json.loads((EXAMPLES / "ping_pong.json").read_text())
    good = True
    with tempfile.TemporaryDirectory() as data:
        server = Server(options.executable, data)
        compiled, _ = server.call("compile_kernel", problem=json.loads((EXAMPLES / "problem.json").read_text()),
                                  kernel=kernel, **where)
        program = server.call("lift_to_ir", kernel_id=compiled["kernel_id"], detail="full")[0]["ir"]
        print("| variant | lowered | time | level standard |\n| --- | --- | --- | --- |")
        for name, (statement, in_c) in VARIANTS.items():
            made, ms = server.call("apply_transformation", kernel_id=compiled["kernel_id"],
                                   target_ir=target_of(program, statement), edits=edits_of(kernel["source"], in_c),
                                   wait_ms=600000, **where)
            standard = ""
            if made["applied"] and options.device:
                standard = server.call("validate", kernel_id=made["kernel_id"], level="standard", wait_ms=600000,
                                       **where)[0]["verdict"]
            good = good and made["applied"] and standard in ("", "passed")
            print(f"| {name} | {made['verdict']}{'' if options.device else ', not run'} | {ms / 1000:.1f} s | {standard} |",
                  flush=True)
        server.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
