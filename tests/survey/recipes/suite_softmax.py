"""Softmax, sparsemax and causal masks of NVIDIA/TileGym: src/tilegym/suites/liger."""

from recipe_forms import array, number

LIGER = "src/tilegym/suites/liger/cutile/"

ROWS = ["m", "n"]
RAGGED = {"m": {"values": [5], "min": 1, "max": 9}, "n": {"values": [300], "min": 1, "max": 600}}
# The host code calls a row aligned that one block covers exactly.
POWER = {"m": {"values": [5], "min": 1, "max": 9}, "n": [256]}
CHUNKS = {"m": {"values": [5], "min": 1, "max": 9},
          "n": {"values": [512], "min": 128, "max": 640, "multiple_of": 128}}
WHOLE_ROW = number("pow2ceil(n)")
PIECE = number(128)

SOFTMAX = """
import numpy as np
def reference(inputs, dims):
    x = inputs["x"].astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return {"y": e / e.sum(axis=1, keepdims=True)}
"""
SOFTMAX_BACK = """
import numpy as np
def reference(inputs, dims):
    y, dy = inputs["y"].astype(np.float64), inputs["dy"].astype(np.float64)
    return {"dx": y * (dy - (y * dy).sum(axis=1, keepdims=True))}
"""


def softmax(kernel, dims, kind, *constants):
    return {"file": LIGER + "softmax.py", "kernel": kernel, "dims": dims, "reference": SOFTMAX,
            "args": [array("y", ROWS, "out", kind), array("x", ROWS, "in", kind)],
            "launches": [{"grid": ["m"], "args": ["y", "x", "n", *constants]}]}


def softmax_back(kernel, dims, kind, *constants):
    return {"file": LIGER + "softmax.py", "kernel": kernel, "dims": dims, "reference": SOFTMAX_BACK,
            "args": [array("dx", ROWS, "out", kind), array("dy", ROWS, "in", kind),
                     array("y", ROWS, "in", kind, fill={"kind": "uniform", "low": 0, "high": 1})],
            "launches": [{"grid": ["m"], "args": ["dx", "dy", "y", "n", *constants]}]}


# The kernel gets the rows a second time in descending order, from which it finds the threshold. Numbers that descend
# by equal steps stand for them here; no number is at the threshold itself with this step.
SPARSEMAX = """
import numpy as np
def reference(inputs, dims):
    z = inputs["z"].astype(np.float64)
    count = np.arange(1, dims["n"] + 1)
    threshold = (np.cumsum(z, axis=1) - 1) / count
    support = (z > threshold).sum(axis=1)
    tau = threshold[np.arange(dims["m"]), support - 1]
    return {"y": np.maximum(inputs["x"].astype(np.float64) - tau[:, None], 0)}
"""
SPARSEMAX_BACK = """
import numpy as np
def reference(inputs, dims):
    support, dy = inputs["y"] > 0, inputs["dy"].astype(np.float64)
    mean = (dy * support).sum(axis=1, keepdims=True) / (support.sum(axis=1, keepdims=True) + 1e-6)
    return {"dx": np.where(support, dy - mean, 0)}
"""

SQUARE = {"b": {"values": [3], "min": 1, "max": 4}, "n": {"values": [40], "min": 2, "max": 70}}
SCORES = ["b * n", "n"]


def masked(kernel, inputs, expression):
    """Each block writes one row of one of b square matrices; what lies in the future is replaced."""
    reference = f"""
import numpy as np
def reference(inputs, dims):
    n = dims["n"]
    past = np.tile(np.tril(np.ones((n, n), dtype=bool)), (dims["b"], 1))
    x, *rest = (inputs[name].astype(np.float64) for name in {inputs!r})
    return {{"y": {expression}}}
"""
    return {"file": LIGER + "multi_token_attention.py", "kernel": kernel, "dims": SQUARE, "reference": reference,
            "args": [array(name, SCORES) for name in inputs] + [array("y", SCORES, "out")],
            "launches": [{"grid": ["n", "b"], "args": [*inputs, "y", "n", number(16)]}]}


KERNELS = [
    softmax("_softmax_single_tma", RAGGED, "f32", WHOLE_ROW),
    softmax("_softmax_single_gather", RAGGED, "f16", WHOLE_ROW, number(0)),
    softmax("_softmax_single_gather", POWER, "bf16", WHOLE_ROW, number(1)),
    softmax("_softmax_fwd_ct", RAGGED, "f32", PIECE),
    softmax_back("_softmax_bwd_ct", RAGGED, "f32", PIECE, number(0)),
    softmax_back("_softmax_bwd_ct", CHUNKS, "f16", PIECE, number(1)),
    softmax_back("_softmax_bwd_fused", RAGGED, "f32", WHOLE_ROW, number(0)),
    softmax_back("_softmax_bwd_fused", POWER, "f16", WHOLE_ROW, number(1)),
    {
        "file": LIGER + "sparsemax.py",
        "kernel": "_sparsemax_fwd_kernel",
        "dims": RAGGED,
        "args": [array("y", ROWS, "out"), array("x", ROWS, fill={"kind": "uniform", "low": -3, "high": 3}),
                 array("z", ROWS, fill={"kind": "iota", "start": 2, "step": -0.003})],
        "reference": SPARSEMAX,
        "launches": [{"grid": ["m"], "args": ["y", "x", "z", "n", WHOLE_ROW]}],
    },
    {
        "file": LIGER + "sparsemax.py",
        "kernel": "_sparsemax_bwd_kernel",
        # Where only one number of a row is above zero, nothing but the rounding of its gradient is left.
        "dims": RAGGED | {"n": {"values": [300], "min": 32, "max": 600}},
        "args": [array("dx", ROWS, "out"), array("y", ROWS, fill={"kind": "sparse", "density": 0.5, "mean": 0.5}),
                 array("dy", ROWS)],
        "reference": SPARSEMAX_BACK,
        "launches": [{"grid": ["m"], "args": ["dx", "y", "dy", "n", PIECE]}],
    },
    masked("_mask_inf_fwd_kernel", ["x"], "np.where(past, x, -1e9)"),
    masked("_mask_zero_fwd_kernel", ["x"], "np.where(past, x, 0)"),
    masked("_mask_bwd_kernel", ["x"], "np.where(past, x, 0)"),
    masked("_fused_softmax_zeromask_bwd_kernel", ["x", "dx"],
           "np.where(past, x * (rest[0] - (x * rest[0]).sum(axis=1, keepdims=True)), 0)"),
]
