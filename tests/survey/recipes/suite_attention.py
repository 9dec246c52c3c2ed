"""Attention of NVIDIA/TileGym: src/tilegym/suites/liger and src/tilegym/suites/flashinfer."""

from recipe_forms import array, number, wanted

NEIGHBOURS = "src/tilegym/suites/liger/cutile/fused_neighborhood_attention.py"
DECODE = "src/tilegym/suites/flashinfer/cutile/fmha_decode_bsr.py"

# Position i looks at the positions i + step * (-reach ... reach) that exist. Blocks of 16 positions; the kernels load
# keys and values without padding, so that only whole blocks are defined.
DIMS = {"b": wanted(2, 1, 2), "h": wanted(2, 1, 3), "s": wanted(64, 16, 96, multiple_of=16), "d": [16, 32]}
FULL = ["b", "h", "s", "d"]
ROWS = ["b * h * s"]
SCALE, WINDOW = 0.25, 7

COMMON = f"""
import numpy as np

def near(s, step):
    apart = np.abs(np.arange(s)[:, None] - np.arange(s))
    return (apart <= {WINDOW // 2} * step) & (apart % step == 0)

def scores(inputs, dims, step):
    q, k = inputs["q"].astype(np.float64), inputs["k"].astype(np.float64)
    return np.where(near(dims["s"], step), q @ k.swapaxes(2, 3) * {SCALE}, -np.inf)
"""
FORWARD = COMMON + """
def reference(inputs, dims):
    x = scores(inputs, dims, {step})
    top = x.max(axis=3, keepdims=True)
    p = np.exp(x - top)
    total = p.sum(axis=3, keepdims=True)
    lse = (top + np.log(total)) / np.log(2)
    return {{"y": p / total @ inputs["v"].astype(np.float64), "lse": lse.ravel()}}
"""
# The saved sums are logarithms to the base two. `delta` is the sum of y * dy of each position.
BACKWARD = COMMON + """
def reference(inputs, dims):
    shape = dims["b"], dims["h"], dims["s"], 1
    lse, delta = (inputs[name].astype(np.float64).reshape(shape) for name in ("lse", "delta"))
    q, k, v, dy = (inputs[name].astype(np.float64) for name in ("q", "k", "v", "dy"))
    p = np.exp(scores(inputs, dims, {step}) - lse * np.log(2))
    dx = p * (dy @ v.swapaxes(2, 3) - delta) * {scale}
    return {{"dq": dx @ k}} if {query} else {{"dk": dx.swapaxes(2, 3) @ q, "dv": p.swapaxes(2, 3) @ dy}}
"""
DELTA = """
import numpy as np
def reference(inputs, dims):
    return {"delta": (inputs["y"].astype(np.float64) * inputs["dy"]).sum(axis=3).ravel()}
"""
# The kernels round numbers of 32 bits to tf32 before products, whose last bit is 2^-10 of their size: scores, shares,
# and the gradients of scores, which cancel in sums.
TF32 = {"rtol": 1e-2, "atol": 1e-2}
# Queries and keys of one size, so that the exponentials of their products remain numbers of 32 bits.
SMALL = {"kind": "uniform", "low": -2, "high": 2}


def attended(kind="f32"):
    return [array("q", FULL, kind=kind, fill=SMALL), array("k", FULL, kind=kind, fill=SMALL),
            array("v", FULL, kind=kind)]


# Sums of similar numbers as real ones, so that the shares p are not much above one.
SAVED = [array("lse", ROWS, fill={"kind": "uniform", "low": 4, "high": 6}), array("delta", ROWS)]
GRID = ["b * h", "s // 16"]
BLOCK = number(16)


def launch(args, step, blocks):
    return [{"grid": GRID, "args": [*(each["name"] for each in args), number(SCALE, "f32"), "h", "s", "d",
                                    number(WINDOW), number(step), *blocks, "s"]}]


def forward(kind, step):
    args = attended(kind) + [array("y", FULL, "out", kind), array("lse", ROWS, "out")]
    return {"file": NEIGHBOURS, "kernel": "_fna_fused_forward_kernel", "dims": DIMS, "args": args,
            "reference": FORWARD.format(step=step), "tolerance": TF32, "launches": launch(args, step, [BLOCK, BLOCK])}


def backward(kernel, outputs, step):
    args = [*attended("f16"), array("dy", FULL, kind="f16")]
    args += [*(array(name, FULL, "out", "f16") for name in outputs), *SAVED]
    return {"file": NEIGHBOURS, "kernel": kernel, "dims": DIMS, "args": args,
            "reference": BACKWARD.format(step=step, scale=SCALE, query=outputs == ["dq"]), "tolerance": TF32,
            "launches": launch(args, step, [BLOCK, BLOCK])}


# The results of eight parts of the keys are added, each with its share; sequences may end before the last part.
SPLITS = """
import numpy as np
def reference(inputs, dims):
    parts, lse = inputs["parts"].astype(np.float64), inputs["lse"].astype(np.float64)
    used = np.minimum(-(-inputs["lengths"] // 32), 8)
    share = np.exp2(lse - lse.max(axis=2, keepdims=True)) * (np.arange(8) < used[:, None])[:, None]
    share = share / share.sum(axis=2, keepdims=True)
    return {"y": np.einsum("bhp,pbhd->bhd", share, parts)}
"""

KERNELS = [
    forward("f32", 1), forward("f16", 2),
    {
        "file": NEIGHBOURS,
        "kernel": "_fna_bwd_preprocess_kernel",
        "dims": DIMS,
        "args": [array("y", FULL), array("dy", FULL), array("delta", ROWS, "out")],
        "reference": DELTA,
        "launches": [{"grid": GRID, "args": ["y", "dy", "delta", "h", "s", "d", BLOCK, "s"]}],
    },
    backward("_fna_bwd_dkdv_kernel", ["dk", "dv"], 1), backward("_fna_bwd_dkdv_kernel", ["dk", "dv"], 2),
    backward("_fna_bwd_dq_kernel", ["dq"], 1), backward("_fna_bwd_dq_kernel", ["dq"], 2),
    {
        "file": DECODE,
        "kernel": "_splitk_reduce_kernel",
        "dims": {"b": wanted(3, 1, 5), "h": wanted(4, 1, 6), "d": [32, 64]},
        "args": [array("parts", ["8", "b", "h", "d"], kind="f16"),
                 array("lse", ["b", "h", "8"], fill={"kind": "uniform", "low": -4, "high": 4}),
                 array("y", ["b", "h", "d"], "out", "f16"),
                 array("lengths", ["b"], kind="i32", fill={"kind": "range", "low": 1, "high": 300})],
        "reference": SPLITS,
        "launches": [{"grid": ["b", "h"], "args": ["parts", "lse", "y", "lengths", "h", number(32), number(8),
                                                   number(8), "d"]}],
    },
]
