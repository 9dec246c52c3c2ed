"""Activations of NVIDIA/TileGym: src/tilegym/suites/liger and src/tilegym/suites/unsloth."""

from recipe_forms import arrays_of, number

array = arrays_of("f16")

LIGER = "src/tilegym/suites/liger/cutile/"
UNSLOTH = "src/tilegym/suites/unsloth/cutile/"

# Rows that no block divides, and rows that consist of whole blocks, as the host code demands of kernels without checks.
RAGGED = {"m": {"values": [5], "min": 1, "max": 9}, "n": {"values": [700], "min": 1, "max": 1100}}
ALIGNED = {"m": {"values": [5], "min": 1, "max": 9},
           "n": {"values": [768], "min": 256, "max": 1024, "multiple_of": 256}}
BLOCK = number(256)
FLAT = {"n": {"values": [5000], "min": 1, "max": 9000}}

GATES = """
import numpy as np

def sigmoid(x):
    return 0.5 * (1 + np.tanh(x / 2))

def silu(x):
    return x * sigmoid(x), sigmoid(x) * (1 + x * (1 - sigmoid(x)))

def gelu(x):
    c = np.sqrt(2 / np.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    slope = c * (1 + 3 * 0.044715 * x**2)
    return 0.5 * x * (1 + t), 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * slope
"""


def gated(function, scale=1):
    """c = f(scale * a) * b."""
    return GATES + f"""
def reference(inputs, dims):
    a, b = inputs["a"].astype(np.float64), inputs["b"].astype(np.float64)
    return {{"c": {function}({scale} * a)[0] * b}}
"""


def gated_back(function, scale=1):
    """The gradients of c = f(scale * a) * b take the places of a and b."""
    return GATES + f"""
def reference(inputs, dims):
    a, b, dc = (inputs[name].astype(np.float64) for name in ("a", "b", "dc"))
    value, slope = {function}({scale} * a)
    return {{"a": dc * b * slope * {scale}, "b": dc * value}}
"""


def gated_back_flat(function):
    """The same, and c itself takes the place of its gradient: (dc, a, b) become (c, db, da)."""
    return GATES + f"""
def reference(inputs, dims):
    a, b, dc = (inputs[name].astype(np.float64) for name in ("a", "b", "dc"))
    value, slope = {function}(a)
    return {{"dc": value * b, "a": dc * value, "b": dc * b * slope}}
"""


ROWS = ["m", "n"]
FORWARD = [array("a", ROWS), array("b", ROWS), array("c", ROWS, "out")]
BACKWARD = [array("dc", ROWS), array("a", ROWS, "inout"), array("b", ROWS, "inout")]
FORWARD_FLAT = [array("a", ["n"]), array("b", ["n"]), array("c", ["n"], "out")]
BACKWARD_FLAT = [array("dc", ["n"], "inout"), array("a", ["n"], "inout"), array("b", ["n"], "inout")]


def by_rows(file, kernel, dims, args, reference, *constants, **more):
    """One block for each row, which it takes in pieces."""
    names = [each["name"] for each in args]
    return {"file": LIGER + file, "kernel": kernel, "dims": dims, "args": args, "reference": reference,
            "launches": [{"grid": ["m"], "args": names + ["n", BLOCK, *constants]}]} | more


def flat(file, kernel, args, reference, **more):
    """One block for each 1024 elements; the last constant would choose indices of 64 bits."""
    names = [each["name"] for each in args]
    return {"file": UNSLOTH + file, "kernel": kernel, "dims": FLAT, "args": args, "reference": reference,
            "launches": [{"grid": ["cdiv(n, 1024)"], "args": names + ["n", number(1024), number(0)]}]} | more


SQUARE = """
import numpy as np
def reference(inputs, dims):
    return {"y": np.maximum(inputs["x"].astype(np.float64), 0)**2}
"""
SQUARE_BACK = """
import numpy as np
def reference(inputs, dims):
    return {"dx": inputs["dy"].astype(np.float64) * 2 * np.maximum(inputs["x"].astype(np.float64), 0)}
"""
ONE = [array("x", ROWS), array("y", ROWS, "out")]
ONE_BACK = [array("dy", ROWS), array("x", ROWS), array("dx", ROWS, "out")]
HALF_GATE = number(1.5, "f32")

KERNELS = [
    by_rows("relu_squared.py", "_relu_squared_fwd_ct", RAGGED, ONE, SQUARE),
    by_rows("relu_squared.py", "_relu_squared_fwd_ct_aligned", ALIGNED, ONE, SQUARE),
    by_rows("relu_squared.py", "_relu_squared_bwd_ct", RAGGED, ONE_BACK, SQUARE_BACK),
    by_rows("relu_squared.py", "_relu_squared_bwd_ct_aligned", ALIGNED, ONE_BACK, SQUARE_BACK),
    by_rows("geglu.py", "_geglu_fwd_kernel_ct", RAGGED, FORWARD, gated("gelu"), number(1)),
    by_rows("geglu.py", "_geglu_fwd_kernel_ct", ALIGNED, FORWARD, gated("gelu"), number(0)),
    by_rows("geglu.py", "_geglu_bwd_kernel_ct", RAGGED, BACKWARD, gated_back("gelu"), number(1)),
    by_rows("swiglu.py", "_swiglu_fwd_ct", RAGGED, FORWARD, gated("silu", 1.5), HALF_GATE),
    by_rows("swiglu.py", "_swiglu_fwd_ct_aligned", ALIGNED, FORWARD, gated("silu", 1.5), HALF_GATE),
    by_rows("swiglu.py", "_swiglu_bwd_ct", RAGGED, BACKWARD, gated_back("silu", 1.5), HALF_GATE),
    by_rows("swiglu.py", "_swiglu_bwd_ct_aligned", ALIGNED, BACKWARD, gated_back("silu", 1.5), HALF_GATE),
    flat("swiglu.py", "_fg_kernel_ct", FORWARD_FLAT, gated("silu")),
    flat("swiglu.py", "_DWf_DW_dfg_kernel_ct", BACKWARD_FLAT, gated_back_flat("silu")),
    flat("geglu.py", "_approx_forward_ct", FORWARD_FLAT, gated("gelu")),
    flat("geglu.py", "_approx_backward_ct", BACKWARD_FLAT, gated_back_flat("gelu")),
]
