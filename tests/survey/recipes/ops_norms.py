"""Norms of NVIDIA/TileGym: src/tilegym/ops and examples of its skills."""

from recipe_forms import array, number, recipe

CUTILE = "src/tilegym/ops/cutile/"
TRITON = "src/tilegym/ops/triton/"
TO_TRITON = "skills/tilegym-converting-cutile-to-triton/examples/03_layernorm/"
TUNED = "skills/tilegym-cutile-autotuning/assets/examples/01_rmsnorm_occupancy_only/"
GROUP = "skills/tilegym-cutile-python/examples/normalization/group_norm.py"

ROWS = ["m", "n"]
RAGGED = {"m": {"values": [7], "min": 1, "max": 11}, "n": {"values": [300], "min": 16, "max": 600}}
WHOLE_ROW = number("pow2ceil(n)")
PIECE = number(128)
EPS = number(1e-5, "f32")
NEAR_ONE = {"kind": "uniform", "low": 0.5, "high": 2}
# Fewer blocks than rows, of which each takes several then.
BLOCKS = "min(3, cdiv(m, 4))"

RMS = """
def reference(inputs, dims):
    x, w = inputs["x"].astype(np.float64), inputs["w"].astype(np.float64)
    rstd = 1 / np.sqrt((x**2).mean(axis=1) + 1e-5)
    return {{"y": x * rstd[:, None] * (w + {offset}), "rstd": rstd}}
"""


def rms(kernel, kind, offset, block):
    args = [array("x", ROWS, kind=kind), array("w", ["n"], kind=kind), array("y", ROWS, "out", kind),
            array("rstd", ["m"], "out")]
    return recipe(CUTILE + "rms_norm.py", kernel, RAGGED, args, RMS.format(offset=offset),
                  ["m"], ["n", EPS, number(offset, "f32"), block])


def rms_persistent(kind, offset):
    args = [array("x", ROWS, kind=kind), array("y", ROWS, "out", kind), array("w", ["n"], kind=kind),
            array("rstd", ["m"], "out")]
    return recipe(CUTILE + "rms_norm.py", "_rms_norm_kernel_static_persistent", RAGGED, args,
                  RMS.format(offset=offset), [BLOCKS], [number(4), WHOLE_ROW, EPS, number(offset, "f32")])


def rms_triton(kind, offset):
    args = [array("x", ROWS, kind=kind), array("w", ["n"], kind=kind), array("y", ROWS, "out", kind),
            array("rstd", ["m"], "out")]
    return recipe(TRITON + "rms_norm.py", "_rms_norm_kernel", RAGGED, args, RMS.format(offset=offset),
                  ["m"], ["n", "n", EPS, number(offset, "f32"), PIECE], language="triton")


def rms_tuned(file, kind):
    args = [array("y", ROWS, "out", kind), array("x", ROWS, kind=kind), array("w", ["n"])]
    reference = RMS.format(offset=0).replace(', "rstd": rstd', "")
    return recipe(TUNED + file, "rmsnorm_kernel", RAGGED, args, reference, ["min(m, 3)"], [EPS, "m", "n", WHOLE_ROW])


# Each of three blocks has every third group of four rows, and writes its own part of the gradient of the weights; the
# columns beyond the edge of the rows get zeros.
RMS_BACK = """
def reference(inputs, dims):
    x, dy, w, rstd = (inputs[name].astype(np.float64) for name in ("x", "dy", "w", "rstd"))
    z, g = x * rstd[:, None], dy * w
    dx = rstd[:, None] * (g - z * (g * z).mean(axis=1, keepdims=True))
    m, n = x.shape
    blocks, columns = min(3, -(-m // 4)), 1 << (n - 1).bit_length()
    dw = np.zeros((blocks, columns))
    for row in range(m):
        dw[row // 4 % blocks, :n] += dy[row] * z[row]
    return {"dx": dx, "dw": dw}
"""
RMS_BACK_ARGS = [array("dx", ROWS, "out"), array("dy", ROWS), array("x", ROWS), array("w", ["n"]),
                 array("rstd", ["m"], fill=NEAR_ONE), array("dw", [BLOCKS, "pow2ceil(n)"], "out")]

LAYER = """
def reference(inputs, dims):
    x, w, b = (inputs[name].astype(np.float64) for name in ("x", "w", "b"))
    mean, rstd = x.mean(axis=1), 1 / np.sqrt(x.var(axis=1) + 1e-5)
    return {{"y": (x - mean[:, None]) * rstd[:, None] * (w + {shift}) + b, "mean": mean, "rstd": rstd}}
"""
MOMENTS = [array("mean", ["m"], "out"), array("rstd", ["m"], "out")]


def layer(file, kernel, kind, shift, strides, block, language="cutile"):
    args = [array("x", ROWS, kind=kind), array("y", ROWS, "out", kind), array("w", ["n"]), array("b", ["n"]), *MOMENTS]
    return recipe(file, kernel, RAGGED, args, LAYER.format(shift=shift),
                  ["m"], strides + ["n", EPS, number(shift, "f32"), block], language=language)


# The persistent kernel writes bf16, and may be given the moments. It takes the variance as the difference of two means,
# so rows whose mean is far larger than their spread would lose it.
GIVEN = """
def reference(inputs, dims):
    x, w, b, mean, rstd = (inputs[name].astype(np.float64) for name in ("x", "w", "b", "mean", "rstd"))
    return {"y": (x - mean[:, None]) * rstd[:, None] * w + b}
"""


def layer_persistent(kind, given):
    args = [array("x", ROWS, kind=kind), array("y", ROWS, "out", "bf16"), array("w", ["n"]), array("b", ["n"])]
    args += [array("mean", ["m"]), array("rstd", ["m"], fill=NEAR_ONE)] if given else MOMENTS
    return recipe(CUTILE + "layer_norm_legacy.py", "_persistent_layer_norm_fwd_kernel", RAGGED,
                  args, GIVEN if given else LAYER.format(shift=0),
                  [BLOCKS], ["m", "n", EPS, "n", "n", number(0), number(1), number(4), WHOLE_ROW, number(1 - given),
                   number(BLOCKS)])


LAYER_BACK = """
def reference(inputs, dims):
    given = {{"w": np.ones(1)}} | inputs
    x, dy, w, mean, rstd = (given[name].astype(np.float64) for name in ("x", "dy", "w", "mean", "rstd"))
    z, g = (x - mean[:, None]) * rstd[:, None], dy * w
    dx = rstd[:, None] * (g - g.mean(axis=1, keepdims=True) - z * (g * z).mean(axis=1, keepdims=True))
    return {outputs}
"""
SAVED = [array("mean", ["m"]), array("rstd", ["m"], fill=NEAR_ONE)]

GROUPS = """
def reference(inputs, dims):
    x = inputs["x"].astype(np.float64)
    weight, bias = (inputs[name].astype(np.float64).reshape(dims["g"], -1, 1) for name in ("weight", "bias"))
    y = (x - x.mean(axis=2, keepdims=True)) / np.sqrt(x.var(axis=2, keepdims=True) + 1e-5)
    y = y.reshape(dims["b"], dims["g"], dims["c"], -1) * weight + bias
    return {"y": y.reshape(x.shape)}
"""


def group_norm(kind):
    """The host demands that blocks of 256 divide a channel; blocks of 64 stand for them here."""
    shape = ["b", "g", "c * h * w"]
    dims = {"b": {"values": [2], "min": 1, "max": 3}, "g": {"values": [3], "min": 1, "max": 4},
            "c": {"values": [3], "min": 1, "max": 4}, "h": {"values": [8], "min": 4, "max": 12, "multiple_of": 4},
            "w": [16, 32]}
    return recipe(GROUP, "group_norm_kernel",
                  dims, [array("x", shape, kind=kind), array("y", shape, "out", kind),
                   array("weight", ["g * c"], kind=kind), array("bias", ["g * c"], kind=kind)],
                  GROUPS,
                  ["min(b * g, 5)"], ["g", "c", "h", "w", EPS, number("b * g"), number(64)])


KERNELS = [
    rms("_rms_norm_kernel_multi_wave_cached", "f32", 0.0, WHOLE_ROW),
    rms("_rms_norm_kernel_multi_wave_cached", "bf16", 1.0, WHOLE_ROW),
    rms("_rms_norm_kernel_gather", "f32", 1.0, PIECE), rms("_rms_norm_kernel_gather", "f16", 0.0, PIECE),
    rms_persistent("f32", 0.0), rms_persistent("f16", 1.0),
    rms_triton("f32", 1.0), rms_triton("f16", 0.0),
    rms_tuned("autotuned_launch.py", "f16"), rms_tuned("fixed_launch.py", "f32"),
    recipe(CUTILE + "rms_norm.py", "_rms_bwd_kernel", RAGGED, RMS_BACK_ARGS, RMS_BACK, [BLOCKS],
           [number(4), WHOLE_ROW]),
    layer(CUTILE + "layer_norm_legacy.py", "_layer_norm_fwd_kernel", "f32", 0.5, [], PIECE),
    layer(CUTILE + "layer_norm_legacy.py", "_layer_norm_fwd_kernel", "f16", 0.0, [], PIECE),
    layer(TRITON + "layer_norm_legacy.py", "_layer_norm_fwd_fused", "f32", 1.0, ["n", "n"], PIECE, "triton"),
    layer(TRITON + "layer_norm_legacy.py", "_layer_norm_fwd_fused", "bf16", 0.0, ["n", "n"], WHOLE_ROW, "triton"),
    layer_persistent("f32", 0), layer_persistent("bf16", 1),
    recipe(TO_TRITON + "triton_kernel.py", "layernorm_backward_kernel",
           RAGGED,
           [array("dy", ROWS), array("x", ROWS), array("w", ["n"]), *SAVED, array("dx", ROWS, "out")], LAYER_BACK.format(outputs='{"dx": dx}'), ["m"], ["n", "n", WHOLE_ROW], language="triton"),
    recipe(TO_TRITON + "triton_kernel.py", "layernorm_dgamma_dbeta_kernel",
           RAGGED,
           [array("dy", ROWS), array("x", ROWS), *SAVED, array("dw", ["n"], "out"), array("db", ["n"], "out")], LAYER_BACK.format(outputs='{"dw": (dy * z).sum(axis=0), "db": dy.sum(axis=0)}'),
           ["n"], ["m", "n", "n", number(4)], language="triton"),
    group_norm("f32"), group_norm("f16"),
]
