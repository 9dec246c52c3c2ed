"""Norms by the root mean square of NVIDIA/TileGym: src/tilegym/suites/liger and src/tilegym/suites/unsloth."""

from recipe_forms import array, number, recipe

LIGER = "src/tilegym/suites/liger/cutile/"
UNSLOTH = "src/tilegym/suites/unsloth/cutile/"

ROWS = ["m", "n"]
RAGGED = {"m": {"values": [6], "min": 1, "max": 11}, "n": {"values": [300], "min": 16, "max": 600}}
POWER = {"m": {"values": [6], "min": 1, "max": 11}, "n": [256]}
CHUNKS = {"m": {"values": [6], "min": 1, "max": 11},
          "n": {"values": [512], "min": 128, "max": 640, "multiple_of": 128}}
# Rows that are longer than one half of the block, as the host code demands of kernels that take them in two halves.
HALVES = {"m": {"values": [6], "min": 1, "max": 11}, "n": {"values": [300], "min": 257, "max": 511}}
WHOLE_ROW = number("pow2ceil(n)")
PIECE = number(128)
EPS = number(1e-5, "f32")
NEAR_ONE = {"kind": "uniform", "low": 0.5, "high": 2}
# Gradients of weights are sums over rows. Each of so many blocks writes its own part, and the host adds the parts.
PARTS = 4
SHARE = number(f"cdiv(m, {PARTS})")
# How the kernels round in between: not at all, the rows before they are weighted, or nothing before the end.
NONE, LLAMA, GEMMA = number(-1), number(0), number(1)

RMS = """
def reference(inputs, dims):
    x, w = inputs["x"].astype(np.float64), inputs.get("w", np.ones(1)).astype(np.float64)
    rstd = 1 / np.sqrt((x**2).mean(axis=1) + 1e-5)
    return {{"y": x * rstd[:, None] * (w + {offset}), "rstd": rstd}}
"""
RMS_BACK = """
def gradients(inputs):
    x, dy = inputs["x"].astype(np.float64), inputs["dy"].astype(np.float64)
    rstd, w = inputs["rstd"].astype(np.float64)[:, None], inputs.get("w", np.ones(1)).astype(np.float64)
    g, z = dy * (w + {offset}), x * rstd
    return rstd * (g - z * (g * z).mean(axis=1, keepdims=True)), dy * z

def reference(inputs, dims):
    return {{"dx": gradients(inputs)[0]}}
"""
RMS_BACK_PARTS = RMS_BACK + """
def reference(inputs, dims):
    dx, dw = gradients(inputs)
    share = -(-dims["m"] // {parts})
    dw = np.stack([dw[i * share:(i + 1) * share].sum(axis=0) for i in range({parts})])
    return {{"dx": dx + inputs.get("ds", np.zeros(1)), "dw": dw}}
"""
RSTD_IN = array("rstd", ["m"], fill=NEAR_ONE)


def rms(kind, mode, offset, weighted):
    """Without weights any array stands in their place."""
    args = [array("y", ROWS, "out", kind), array("x", ROWS, kind=kind)]
    args += [array("w", ["n"], kind=kind)] * weighted + [array("rstd", ["m"], "out")]
    made = recipe(LIGER + "rms_norm.py", "_rms_norm_fwd_ct", RAGGED, args, RMS.format(offset=offset),
                  ["m"], ["n", EPS, number(offset, "f32"), WHOLE_ROW, mode, number(int(weighted))])
    if not weighted:
        made["launches"][0]["args"].insert(2, "x")
    return made


def rms_back(kind, mode, offset):
    args = [array("dy", ROWS, kind=kind), array("dx", ROWS, "out", kind), array("x", ROWS, kind=kind),
            array("w", ["n"], kind=kind), RSTD_IN, array("dw", [str(PARTS), "n"], "out")]
    return recipe(LIGER + "rms_norm.py", "_rms_norm_bwd_w_large_ct", RAGGED,
                  args, RMS_BACK_PARTS.format(offset=offset, parts=PARTS),
                  [str(PARTS)], ["n", number(offset, "f32"), SHARE, WHOLE_ROW, mode])


# The sum of both inputs is normalized, and written, too.
ADD_RMS = """
def reference(inputs, dims):
    s, w = inputs["x"].astype(np.float64) + inputs["r"], inputs["w"].astype(np.float64)
    rstd = 1 / np.sqrt((s**2).mean(axis=1) + 1e-5)
    return {{"y": s * rstd[:, None] * (w + {offset}), "s": s, "rstd": rstd}}
"""


def add_rms(kind, mode, offset, block):
    args = [array("y", ROWS, "out", kind), array("s", ROWS, "out", kind), array("x", ROWS, kind=kind),
            array("r", ROWS, kind=kind), array("w", ["n"], kind=kind), array("rstd", ["m"], "out")]
    return recipe(LIGER + "fused_add_rms_norm.py", "_fused_add_rms_norm_fwd_ct", RAGGED, args,
                  ADD_RMS.format(offset=offset), ["m"], ["n", EPS, number(offset, "f32"), block, mode])


def add_rms_back(kernel, kind, mode, offset, block, dims):
    args = [array("dy", ROWS, kind=kind), array("ds", ROWS, kind=kind), array("dx", ROWS, "out", kind),
            array("x", ROWS, kind=kind), array("w", ["n"], kind=kind), RSTD_IN, array("dw", [str(PARTS), "n"], "out")]
    return recipe(LIGER + "fused_add_rms_norm.py", kernel, dims, args,
                  RMS_BACK_PARTS.format(offset=offset, parts=PARTS), [str(PARTS)], ["n", number(offset, "f32"), SHARE, number(PARTS), "m", block, mode])


def unsloth(kind, offset):
    args = [array("y", ROWS, "out", kind), array("x", ROWS, kind=kind), array("w", ["n"], kind=kind),
            array("rstd", ["m"], "out")]
    return recipe(UNSLOTH + "rms_layernorm.py", "_rms_layernorm_forward_ct_1d", RAGGED, args, RMS.format(offset=offset),
                  ["m"], ["n", EPS, number(offset, "f32"), WHOLE_ROW])


UNSLOTH_BACK = [array("dx", ROWS, "out"), array("dy", ROWS), array("x", ROWS), array("w", ["n"]), RSTD_IN]

# A weighted sum of the norms of x^3, x^2 and x.
POLY = """
def reference(inputs, dims):
    x, w, b = (inputs[name].astype(np.float64) for name in ("x", "w", "b"))
    r3, r2, r1 = (1 / np.sqrt((x**(2 * p)).mean(axis=1) + 1e-5) for p in (3, 2, 1))
    y = w[0] * x**3 * r3[:, None] + w[1] * x**2 * r2[:, None] + w[2] * x * r1[:, None] + b
    return {"y": y, "r3": r3, "r2": r2, "r1": r1}
"""
POLY_BACK = """
def reference(inputs, dims):
    x, dy, w = (inputs[name].astype(np.float64) for name in ("x", "dy", "w"))
    dx, dw = np.zeros_like(x), []
    for i, p in enumerate((3, 2, 1)):
        r = inputs[f"r{p}"].astype(np.float64)[:, None]
        total = (dy * x**p).sum(axis=1, keepdims=True)
        dx += w[i] * p * x**(p - 1) * (r * dy - x**p * r**3 * total / dims["n"])
        dw.append((r * total).sum())
    return {"dx": dx, "dw": np.array(dw + [dy.sum()])}
"""
POWERS = ["r3", "r2", "r1"]
POLY_ARGS = [array("x", ROWS), array("y", ROWS, "out"), array("w", ["3"]), array("b", ["1"]),
             *(array(name, ["m"], "out") for name in POWERS)]
POLY_BACK_ARGS = [array("dy", ROWS), array("dx", ROWS, "out"), array("x", ROWS), array("w", ["3"]),
                  *(array(name, ["m"], fill=NEAR_ONE) for name in POWERS), array("dw", ["4"], "inout", fill="zeros")]


def poly(kernel, block, aligned, dims):
    return recipe(LIGER + "poly_norm.py", kernel, dims, POLY_ARGS, POLY, ["m"], ["n", EPS, block, number(aligned)])


def poly_back(block, aligned, dims):
    return recipe(LIGER + "poly_norm.py", "_poly_norm_bwd_kernel", dims, POLY_BACK_ARGS, POLY_BACK,
                  ["m"], ["n", block, number(aligned)])


KERNELS = [
    rms("f32", NONE, 0.5, True), rms("f16", LLAMA, 0.0, True), rms("bf16", GEMMA, 1.0, True),
    rms("f16", LLAMA, 0.0, False),
    recipe(LIGER + "rms_norm.py", "_rms_norm_bwd_large_ct",
           RAGGED,
           [array("dy", ROWS), array("dx", ROWS, "out"), array("x", ROWS), RSTD_IN], RMS_BACK.format(offset=0), [str(PARTS)], ["n", SHARE, WHOLE_ROW, LLAMA]),
    rms_back("f32", LLAMA, 0.0), rms_back("f16", GEMMA, 1.0), rms_back("f32", NONE, 0.5),
    add_rms("f32", NONE, 0.5, PIECE), add_rms("f32", LLAMA, 0.0, WHOLE_ROW), add_rms("f32", GEMMA, 1.0, PIECE),
    add_rms_back("_fused_add_rms_norm_bwd_persistent_ct", "f16", GEMMA, 1.0, WHOLE_ROW, RAGGED),
    add_rms_back("_fused_add_rms_norm_bwd_persistent_ct", "f32", LLAMA, 0.5, WHOLE_ROW, RAGGED),
    add_rms_back("_fused_add_rms_norm_bwd_persistent_2c_ct", "f32", LLAMA, 0.5, number(256), HALVES),
    add_rms_back("_fused_add_rms_norm_bwd_persistent_2c_ct", "f32", NONE, 0.0, number(256), HALVES),
    unsloth("f32", 0.0), unsloth("f16", 1.0),
    recipe(UNSLOTH + "rms_layernorm.py", "_rms_layernorm_backward_ct_1d", RAGGED, UNSLOTH_BACK,
           RMS_BACK.format(offset=1), ["m"], ["n", number(1, "f32"), WHOLE_ROW]),
    poly("_poly_norm_fwd_kernel", PIECE, 0, RAGGED), poly("_poly_norm_fwd_kernel", PIECE, 1, CHUNKS),
    poly("_poly_norm_fwd_kernel_sc_large", WHOLE_ROW, 0, RAGGED),
    poly("_poly_norm_fwd_kernel_sc_large", WHOLE_ROW, 1, POWER),
    poly_back(PIECE, 0, RAGGED), poly_back(PIECE, 1, CHUNKS),
]
