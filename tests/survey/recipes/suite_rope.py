"""Rotary embeddings of NVIDIA/TileGym: src/tilegym/suites/liger and src/tilegym/suites/unsloth."""

from recipe_forms import array, number

LIGER = "src/tilegym/suites/liger/cutile/"
UNSLOTH = "src/tilegym/suites/unsloth/cutile/"

# b sequences of s tokens, hq heads of queries and hk heads of keys, each with two halves of h numbers. The numbers of
# cosines and sines are arbitrary here, as a kernel need not know that they belong to angles.
ANY = {"b": {"values": [2], "min": 1, "max": 3}, "s": {"values": [5], "min": 1, "max": 8},
       "hq": {"values": [6], "min": 1, "max": 7}, "hk": {"values": [3], "min": 1, "max": 5},
       "h": {"values": [20], "min": 3, "max": 32}}
# Kernels that load whole tiles without padding need powers of two, which the host code tests.
POWERS = {"b": {"values": [2], "min": 1, "max": 3}, "s": {"values": [5], "min": 1, "max": 8},
          "hq": [4, 8], "hk": [2, 4], "h": [16, 32]}
# Fewer heads of keys than of queries, as the grids of some kernels need.
GROUPED = ["hk <= hq"]
TILE_Q, TILE_K, TILE = number("pow2ceil(hq)"), number("pow2ceil(hk)"), number("pow2ceil(h)")
NEGATIVE = {1: "", -1: "-"}

# Turns pairs (x, y) of numbers: the first half of a head's numbers against the second.
TURN = """
import numpy as np

def turned(x, cos, sin):
    r, i = np.split(x.astype(np.float64), 2, axis=-1)
    return np.concatenate([r * cos - i * sin, i * cos + r * sin], axis=-1)
"""
# Heads before tokens, as attention wants them: cos and sin gain an axis for the heads.
HEADS_FIRST = TURN + """
def reference(inputs, dims):
    cos, sin = (inputs[name].astype(np.float64)[:, None, :, :dims["h"]] for name in ("cos", "sin"))
    return {{"q": turned(inputs["q"], cos, {sign}sin), "k": turned(inputs["k"], cos, {sign}sin)}}
"""
TOKENS_FIRST = TURN + """
def reference(inputs, dims):
    cos, sin = (inputs[name].astype(np.float64) for name in ("cos", "sin"))
    made = {{}}
    for name in ("q", "k"):
        x = inputs[name]
        flat = x.reshape(*x.shape[:3], -1)
        made[name] = turned(flat, cos, {sign}sin).reshape(x.shape)
    return made
"""


def rope_4d(kind, angles, batches, sign):
    """Cosines and sines hold two equal halves for each token; the kernel reads the first."""
    args = [array("q", ["b", "hq", "s", "2 * h"], "inout", kind), array("k", ["b", "hk", "s", "2 * h"], "inout", kind),
            array("cos", [batches, "s", "2 * h"], kind=angles), array("sin", [batches, "s", "2 * h"], kind=angles)]
    return {"file": LIGER + "rope.py", "kernel": "_rope_4d_ct", "dims": POWERS, "args": args,
            "reference": HEADS_FIRST.format(sign=NEGATIVE[sign]),
            "launches": [{"grid": ["b * s"], "args": ["q", "k", "cos", "sin", number(batches), "s", number(sign, "f32"),
                                                      "hq", "hk", "h"]}]}


def rope_5d(kind, batches, sign):
    args = [array("q", ["b", "s", "hq", "2", "h"], "inout", kind),
            array("k", ["b", "s", "hk", "2", "h"], "inout", kind),
            array("cos", [batches, "s", "1", "h"]), array("sin", [batches, "s", "1", "h"])]
    return {"file": LIGER + "rope.py", "kernel": "_rope_5d_ct", "dims": ANY, "args": args,
            "reference": TOKENS_FIRST.format(sign=NEGATIVE[sign]),
            "launches": [{"grid": ["b * s"], "args": ["q", "k", "cos", "sin", number(batches), "s", number(sign, "f32"),
                                                      TILE_Q, TILE_K, TILE]}]}


# Real and imaginary parts alternate: each pair is one complex number, which is multiplied by another.
COMPLEX = """
import numpy as np

def reference(inputs, dims):
    f = inputs["freqs"].astype(np.float64)
    f = f[:, 0::2] + {sign}1j * f[:, 1::2]
    made = {{}}
    for name in ("q", "k"):
        x = inputs[name].astype(np.float64)
        z = (x[:, 0::2] + 1j * x[:, 1::2]).reshape(dims["b"], dims["s"], -1, dims["h"]) * f[:, None, :]
        made[name] = np.stack([z.real, z.imag], axis=-1).reshape(x.shape)
    return made
"""


def llama4(kind, sign):
    args = [array("q", ["b * s * hq", "2 * h"], "inout", kind), array("k", ["b * s * hk", "2 * h"], "inout", kind),
            array("freqs", ["s", "2 * h"])]
    return {"file": LIGER + "llama4_rope.py", "kernel": "_llama4_rope_kernel", "dims": ANY, "args": args,
            "reference": COMPLEX.format(sign=NEGATIVE[sign]),
            "launches": [{"grid": ["b", "s", "max(hq, hk)"], "args": [
                "q", "k", "freqs", "s", "h", "hq", "hk", number(sign, "f32"), number(16)]}]}


# The numbers of a head are divided into three sections, and each section has its own position: in time, height, width.
SECTIONS = """
def mixed(table, dims):
    first, second = dims["h"] // 4, dims["h"] // 2
    parts = table[0][..., :first], table[1][..., first:second], table[2][..., second:dims["h"]]
    return np.concatenate(parts, axis=-1)
"""
MROPE_HEADS_FIRST = TURN + SECTIONS + """
def reference(inputs, dims):
    cos, sin = (mixed(inputs[name].astype(np.float64), dims)[:, None] for name in ("cos", "sin"))
    return {{"q": turned(inputs["q"], cos, {sign}sin), "k": turned(inputs["k"], cos, {sign}sin)}}
"""
MROPE_FLAT = TURN + SECTIONS + """
def reference(inputs, dims):
    shape = dims["b"], dims["s"], -1, 2 * dims["h"]
    cos, sin = (mixed(inputs[name].astype(np.float64).reshape(3, *shape), dims) for name in ("cos", "sin"))
    return {{name: turned(inputs[name].reshape(shape), cos, {sign}sin).ravel() for name in ("q", "k")}}
"""
FIRST, SECOND = number("h // 4"), number("h // 2 - h // 4")


def mrope_4d(kind, sign):
    table = ["3", "b", "s", "2 * h"]
    args = [array("q", ["b", "hq", "s", "2 * h"], "inout", kind), array("k", ["b", "hk", "s", "2 * h"], "inout", kind),
            array("cos", table), array("sin", table)]
    return {"file": LIGER + "qwen2vl_mrope.py", "kernel": "_qwen2vl_mrope_4d_ct", "dims": POWERS, "args": args,
            "reference": MROPE_HEADS_FIRST.format(sign=NEGATIVE[sign]),
            "launches": [{"grid": ["b * s"], "args": ["q", "k", "cos", "sin", "s", FIRST, SECOND, number(sign, "f32"),
                                                      "hq", "hk", "h"]}]}


def mrope_flat(kind, sign, dims, power):
    args = [array("q", ["b * s * hq * 2 * h"], "inout", kind), array("k", ["b * s * hk * 2 * h"], "inout", kind),
            array("cos", ["3 * b * s * 2 * h"]), array("sin", ["3 * b * s * 2 * h"])]
    return {"file": LIGER + "qwen2vl_mrope.py", "kernel": "_qwen2vl_mrope_kernel", "dims": dims, "args": args,
            "reference": MROPE_FLAT.format(sign=NEGATIVE[sign]),
            "launches": [{"grid": ["b", "s"], "args": [
                "q", "k", "cos", "sin", "s", number("b * s"), "hq", "hk", FIRST, SECOND, number(int(sign < 0)),
                number("2 * h"), "h", TILE, TILE_Q, TILE_K, number(power)]}]}


# Unsloth's kernels see all arrays in one row. There are more positions than tokens, and a token may name its own.
POSITIONS = "s + 3"
UNSLOTH_ONE = TURN + """
def reference(inputs, dims):
    cos, sin = (inputs[name].astype(np.float64).reshape(-1, dims["h"])[:dims["s"], None] for name in ("cos", "sin"))
    x = inputs["q"].reshape(dims["b"], dims["s"], dims["hq"], -1)
    return {{"out": turned(x, cos, {sign}sin).ravel()}}
"""
UNSLOTH_BOTH = TURN + """
def reference(inputs, dims):
    at = inputs["at"].reshape(dims["b"], dims["s"])
    cos, sin = (inputs[name].astype(np.float64).reshape(-1, dims["h"])[at][:, None] for name in ("cos", "sin"))
    made = [turned(inputs[name].reshape(dims["b"], -1, dims["s"], 2 * dims["h"]), cos, {sign}sin) for name in "qk"]
    return {{"q_out": made[0].ravel(), "k_out": made[1].ravel()}}
"""


def unsloth_one(kind, sign):
    flat = ["b * s * hq * 2 * h"]
    angles = [f"({POSITIONS}) * h"]
    args = [array("q", flat, kind=kind), array("out", flat, "out", kind), array("cos", angles), array("sin", angles)]
    return {"file": UNSLOTH + "rope_embedding.py", "kernel": "_rope_embedding_ct", "dims": ANY, "args": args,
            "reference": UNSLOTH_ONE.format(sign=NEGATIVE[sign]),
            "launches": [{"grid": ["b * s", "hq"], "args": [
                "q", "out", "cos", "sin", "s", "hq", number("2 * h"), "h", number(int(sign < 0)), TILE, number(0)]}]}


def unsloth_both(kind, sign):
    queries, keys, angles = ["b * hq * s * 2 * h"], ["b * hk * s * 2 * h"], [f"({POSITIONS}) * h"]
    args = [array("q", queries, kind=kind), array("q_out", queries, "out", kind), array("k", keys, kind=kind),
            array("k_out", keys, "out", kind), array("cos", angles), array("sin", angles),
            array("at", ["b * s"], kind="i32", fill={"kind": "range", "high": POSITIONS})]
    return {"file": UNSLOTH + "rope_embedding.py", "kernel": "_rope_embedding_QK_ct", "dims": ANY, "args": args,
            "valid": GROUPED, "reference": UNSLOTH_BOTH.format(sign=NEGATIVE[sign]),
            "launches": [{"grid": ["b * s", "hq"], "args": [
                *(each["name"] for each in args), "s", number("2 * h"), "hq", "hk", "h", number(int(sign < 0)),
                number(1), TILE, number(0)]}]}


KERNELS = [
    rope_4d("f32", "f32", "1", 1), rope_4d("bf16", "f32", "b", -1),
    rope_5d("f16", "1", 1), rope_5d("f32", "b", -1),
    llama4("f32", 1), llama4("bf16", -1),
    mrope_4d("f32", 1), mrope_4d("bf16", -1),
    mrope_flat("f32", 1, ANY, 0), mrope_flat("f16", -1, POWERS, 1),
    unsloth_one("f32", 1), unsloth_one("f16", -1),
    unsloth_both("f32", 1), unsloth_both("bf16", -1),
]
