"""Attention of NVIDIA/TileGym: src/tilegym/ops/cutile and examples of its skills."""

from recipe_forms import array, number

CUTILE = "src/tilegym/ops/cutile/"
SKILL = "skills/tilegym-converting-cutile-to-triton/examples/05_attention/"


def recipe(file, kernel, dims, args, reference, grid, constants, **more):
    """All arrays are the first arguments of the kernel, in order. A reference may give more than the outputs."""
    outputs = [each["name"] for each in args if each["role"] == "out"]
    return {"file": file, "kernel": kernel, "dims": dims, "args": args,
            "reference": COMMON + reference + CHOSEN.format(outputs=outputs),
            "launches": [{"grid": grid, "args": [each["name"] for each in args] + constants}]} | more


# z sequences, h heads of keys for each of which there are r heads of queries, s queries and t keys of d numbers.
DIMS = {"z": {"values": [2], "min": 1, "max": 2}, "h": {"values": [2], "min": 1, "max": 3},
        "r": {"values": [3], "min": 1, "max": 3}, "s": {"values": [50], "min": 1, "max": 70},
        "t": {"values": [70], "min": 1, "max": 100}, "d": [16, 32]}
# Some kernels load without padding, or write more rows than there are queries: these sizes are whole tiles.
WHOLE = DIMS | {"s": {"values": [48], "min": 16, "max": 80, "multiple_of": 16},
                "t": {"values": [96], "min": 32, "max": 128, "multiple_of": 32}}
QUERIES, KEYS = ["z", "h * r", "s", "d"], ["z", "h", "t", "d"]
SCALE = number(0.25, "f32")
# Exponents of arbitrary numbers overflow without the largest of a row; these stay small.
SMALL = {"kind": "uniform", "low": -1, "high": 1}
TILES = [number(16), number(32)]
GRID = ["cdiv(s, 16)", "z * h * r"]

COMMON = """
import numpy as np
def doubles(inputs, *names):
    return [inputs[name].astype(np.float64) for name in names]
def shared(x, dims):
    # Heads of keys, once for each head of queries that uses them.
    return np.repeat(x, dims["r"], axis=1)
def past(s, t):
    return np.arange(s)[:, None] >= np.arange(t)
def attention(scores, allowed, v):
    # Also the logarithm of the sum, to base 2.
    scores = np.where(allowed, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    p = np.exp(scores - top)
    total = p.sum(axis=-1, keepdims=True)
    return p @ v / total, ((top + np.log(total)) / np.log(2))[..., 0]
"""
CHOSEN = """
whole = reference
def reference(inputs, dims):
    made = whole(inputs, dims)
    return {{name: made[name] for name in {outputs}}}
"""
FORWARD = """
def reference(inputs, dims):
    q, k, v = doubles(inputs, "q", "k", "v")
    k, v = shared(k, dims), shared(v, dims)
    allowed = past(dims["s"], dims["t"]) if {causal} else True
    out, lse = attention(q @ k.swapaxes(2, 3) * 0.25, allowed, v)
    return {{"out": out, "lse": lse.ravel()}}
"""
LSE = array("lse", ["z * h * r * s"], "out")


def attended(kind, queries=QUERIES, keys=KEYS, **more):
    return [array("q", queries, kind=kind, **more), array("k", keys, kind=kind, **more),
            array("v", keys, kind=kind, **more), array("out", queries, "out", kind)]


def fmha(file, kernel, kind, causal, dims, even):
    return recipe(file, kernel, dims, attended(kind), FORWARD.format(causal=causal), GRID,
                  [SCALE, number(0), "d", number("h * r"), *TILES, "r", number(causal), number(even)])


def fmha_with_lse(kind, causal):
    return recipe(CUTILE + "attention.py", "_fmha_fwd_kernel_with_lse", WHOLE, [*attended(kind), LSE],
                  FORWARD.format(causal=causal), GRID,
                  [SCALE, number(0), "d", number("h * r"), "z", "s", *TILES, "r", number(causal), number(1)])


# Gradients need the logarithms of the forward kernel and the sums of products of results and their gradients. They lie
# in rows of whole tiles; any numbers may stand for them.
BACKWARD = """
def reference(inputs, dims):
    q, k, v, do = doubles(inputs, "q", "k", "v", "do")
    rows = dims["z"], dims["h"] * dims["r"], -1
    lse, delta = (x.reshape(rows)[:, :, :dims["s"], None] for x in doubles(inputs, "lse", "delta"))
    k, v = shared(k, dims), shared(v, dims)
    p = np.exp2(q @ k.swapaxes(2, 3) * 0.25 / np.log(2) - lse)
    if {causal}:
        p = np.where(past(dims["s"], dims["t"]), p, 0)
    ds = p * (do @ v.swapaxes(2, 3) - delta)
    groups = dims["z"], dims["h"], dims["r"], dims["t"], dims["d"]
    return {{"dq": 0.25 * ds @ k, "dk": 0.25 * (ds.swapaxes(2, 3) @ q).reshape(groups).sum(axis=2),
             "dv": (p.swapaxes(2, 3) @ do).reshape(groups).sum(axis=2)}}
"""
# Gradients of scores are rounded to f16 before they meet the keys, which shows where these cancel each other.
HALF = {"tolerance": {"rtol": 1e-2, "atol": 2e-2}}
RAGGED_D = DIMS | {"d": {"values": [24], "min": 5, "max": 32}}
PADDED = "cdiv(s, 16) * 16"
SAVED = [array("lse", [f"z * h * r * {PADDED}"], fill={"kind": "uniform", "low": 4, "high": 8}),
         array("delta", [f"z * h * r * {PADDED}"])]
DELTA = """
def reference(inputs, dims):
    o, do = doubles(inputs, "o", "do")
    return {"delta": (o * do).sum(axis=-1).ravel()}
"""


def backward(kernel, kind, causal, outputs, grid, heads):
    inputs = [array(name, shape, kind=kind, fill=SMALL)
              for name, shape in (("q", QUERIES), ("k", KEYS), ("v", KEYS), ("do", QUERIES))]
    return recipe(CUTILE + "attention.py", kernel, RAGGED_D, [*inputs, *outputs, *SAVED],
                  BACKWARD.format(causal=causal), grid,
                  [SCALE, number("pow2ceil(d)"), *heads, number(PADDED), *TILES, "r", number(causal)])


def backward_dq(kind, causal):
    return backward("_fmha_bwd_dq_kernel", kind, causal, [array("dq", QUERIES, "out", kind)], GRID, [number("h * r")])


def backward_dkdv(kind, causal):
    return backward("_fmha_bwd_dkdv_kernel", kind, causal, [array(name, KEYS, "out", kind) for name in ("dk", "dv")],
                    ["cdiv(t, 32)", "z * h"], [number("h * r"), "h"])


# The Triton kernels have as many queries as keys, one head of keys for each head of queries, and natural logarithms.
FLASH = {"z": {"values": [2], "min": 1, "max": 2}, "h": {"values": [2], "min": 1, "max": 3},
         "s": {"values": [50], "min": 1, "max": 70}, "d": {"values": [24], "min": 5, "max": 32}}
NATURAL = """
def reference(inputs, dims):
    q, k, v = doubles(inputs, "q", "k", "v")
    out, lse = attention(q @ k.swapaxes(2, 3) * 0.25, True, v)
    return {"out": out, "lse": lse * np.log(2)}
"""


def flash():
    """Products of f32 would be rounded to tf32, so these are of f16."""
    shape = ["z", "h", "s", "d"]
    strides = ["h * s * d", "s * d", "d", "1"] * 4 + ["h * s", "s", "1"]
    return recipe(SKILL + "triton_kernel.py", "flash_attention_forward_kernel", FLASH,
                  [*attended("f16", shape, shape), array("lse", ["z", "h", "s"], "out")], NATURAL,
                  ["z * h", "cdiv(s, 16)"],
                  [*(number(stride) for stride in strides), "s", "d", SCALE, *TILES, number("pow2ceil(d)")],
                  language="triton")


KERNELS = [
    fmha(CUTILE + "attention.py", "_fmha_kernel", "f16", 1, WHOLE, 1),
    fmha(CUTILE + "attention.py", "_fmha_kernel", "f32", 0, WHOLE, 1),
    fmha(SKILL + "cutile_kernel.py", "fmha_kernel", "f16", 1, WHOLE, 1),
    fmha(SKILL + "cutile_kernel.py", "fmha_kernel", "f32", 0, WHOLE, 1),
    fmha_with_lse("f32", 1), fmha_with_lse("f16", 0),
    recipe(CUTILE + "attention.py", "_fmha_bwd_preprocess_kernel",
           RAGGED_D | {"s": WHOLE["s"]}, [array("o", QUERIES), array("do", QUERIES), LSE | {"name": "delta"}], DELTA,
           GRID, [number(16), number("pow2ceil(d)"), number("h * r"), "s"]),
    flash(),
    backward_dq("f32", 1), backward_dq("f16", 0) | HALF, backward_dkdv("f32", 1), backward_dkdv("bf16", 0),
]
