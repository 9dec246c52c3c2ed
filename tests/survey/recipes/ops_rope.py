"""Rotary embeddings of NVIDIA/TileGym: src/tilegym/ops."""

from recipe_forms import array, number

CUTILE = "src/tilegym/ops/cutile/"
TUNED = "skills/tilegym-cutile-autotuning/assets/examples/03_rope_inplace_splitbuffer/"
TRITON = "src/tilegym/ops/triton/"

# z sequences of s tokens, hq heads of queries and hk heads of keys, whose first two times c numbers are turned; rest
# numbers behind them stay. Cosines and sines are arbitrary here, as a kernel need not know that they belong to angles.
DIMS = {"z": {"values": [2], "min": 1, "max": 3}, "s": {"values": [5], "min": 1, "max": 8},
        "hq": {"values": [6], "min": 1, "max": 7}, "hk": {"values": [3], "min": 1, "max": 5},
        "c": {"values": [20], "min": 1, "max": 30}, "rest": {"values": [7], "min": 0, "max": 20}}
# The kernel of cuTile finds the second half of a head as its second tile.
POWERS = DIMS | {"c": [16, 8]}
SIZE = "2 * c + rest"

TURN = """
import numpy as np
def reference(inputs, dims):
    c = dims["c"]
    cos, sin = (inputs[name].astype(np.float64)[..., :c] for name in ("cos", "sin"))
    cos, sin = np.expand_dims(cos, {axis}), np.expand_dims({sign}sin, {axis})
    made = {{}}
    for name in ("q", "k"):
        x = inputs[name].astype(np.float64)
        a, b = x[..., :c], x[..., c:2 * c]
        made[name] = np.concatenate([a * cos - b * sin, b * cos + a * sin, x[..., 2 * c:]], axis=-1)
    return made
"""


def rope(kind, batches):
    """Heads before tokens."""
    table = [batches, "s", "2 * c"]
    args = [array("q", ["z", "hq", "s", SIZE], "inout", kind), array("k", ["z", "hk", "s", SIZE], "inout", kind),
            array("cos", table), array("sin", table)]
    return {"file": CUTILE + "rope.py", "kernel": "_rope_kernel", "dims": POWERS, "args": args,
            "reference": TURN.format(axis=1, sign=""),
            "launches": [{"grid": ["z * s"], "args": [
                "q", "k", "cos", "sin", number(batches), "s", number("pow2ceil(hq)"), number("pow2ceil(hk)"), "c"]}]}


def triton_rope(kind, batches, back):
    """Tokens before heads. The backward kernel turns the other way."""
    table = [batches, "s", "2 * c"]
    args = [array("q", ["z", "s", "hq", SIZE], "inout", kind), array("k", ["z", "s", "hk", SIZE], "inout", kind),
            array("cos", table), array("sin", table)]
    return {"file": TRITON + "rope.py", "kernel": "_rope_kernel", "language": "triton", "dims": DIMS, "args": args,
            "reference": TURN.format(axis=2, sign="-" if back else ""),
            "launches": [{"grid": ["z * s"], "args": [
                "q", number(f"hq * ({SIZE})"), "k", number(f"hk * ({SIZE})"), "cos", number("2 * c"), "sin",
                number("2 * c"), "s", "z", number(batches), "hq", "hk", number(SIZE), number("pow2ceil(hq)"),
                number("pow2ceil(hk)"), number(f"pow2ceil({SIZE})"), number(back), number("2 * c"),
                number("pow2ceil(2 * c)")]}]}


# One sequence of tokens, and only queries.
ONE = """
import numpy as np
def reference(inputs, dims):
    cos, sin = (inputs[name].astype(np.float64)[:, None] for name in ("cos", "sin"))
    a, b = np.split(inputs["{source}"].astype(np.float64), 2, axis=-1)
    return {{"q": np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)}}
"""


def tuned(file, kernel, kind, inside):
    """The turned queries replace the others, or go to an array of their own."""
    shape, dims = ["s", "hq", "2 * c"], {name: DIMS[name] for name in ("s", "hq", "c")}
    args = [array("q", shape, "inout" if inside else "out", kind)]
    args = args if inside else [array("x", shape, kind=kind)] + args
    args += [array("cos", ["s", "c"]), array("sin", ["s", "c"])]
    return {"file": TUNED + file, "kernel": kernel, "dims": dims, "args": args,
            "reference": ONE.format(source="q" if inside else "x"), "launches": [{"grid": ["min(s * hq, 7)"], "args": [
                *(each["name"] for each in args), "s", "hq", number("2 * c"), number("pow2ceil(c)")]}]}


KERNELS = [
    rope("f32", "1"), rope("bf16", "z"),
    tuned("fixed_launch.py", "rope_kernel_inplace", "f32", True),
    tuned("autotuned_launch.py", "rope_kernel", "f16", False),
    triton_rope("f32", "1", 0), triton_rope("f16", "z", 0), triton_rope("f32", "z", 1),
]
