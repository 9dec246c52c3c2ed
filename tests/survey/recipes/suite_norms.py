"""Layer and group norms, and dynamic tanh, of NVIDIA/TileGym: src/tilegym/suites/liger and unsloth."""

from recipe_forms import array, number, recipe

LIGER = "src/tilegym/suites/liger/cutile/"
UNSLOTH = "src/tilegym/suites/unsloth/cutile/"

ROWS = ["m", "n"]
RAGGED = {"m": {"values": [6], "min": 1, "max": 11}, "n": {"values": [300], "min": 16, "max": 600}}
POWER = {"m": {"values": [6], "min": 1, "max": 11}, "n": [256]}
WHOLE_ROW = number("pow2ceil(n)")
PIECE = number(128)
EPS = number(1e-5, "f32")
NEAR_ONE = {"kind": "uniform", "low": 0.5, "high": 2}
# Gradients of weights are sums over rows. Each of so many blocks writes its own part, and the host adds the parts.
PARTS = 4

LAYER = """
def reference(inputs, dims):
    x, w, b = (inputs[name].astype(np.float64) for name in ("x", "w", "b"))
    mean = x.mean(axis=1)
    rstd = 1 / np.sqrt(x.var(axis=1) + 1e-5)
    return {"y": (x - mean[:, None]) * rstd[:, None] * w + b, "mean": mean, "rstd": rstd}
"""
LAYER_BACK = """
def gradients(inputs):
    x, dy, w = (inputs[name].astype(np.float64) for name in ("x", "dy", "w"))
    mean, rstd = inputs["mean"].astype(np.float64)[:, None], inputs["rstd"].astype(np.float64)[:, None]
    z = (x - mean) * rstd
    g = w * dy
    dx = rstd * (g - g.mean(axis=1, keepdims=True) - z * (g * z).mean(axis=1, keepdims=True))
    return dx, dy * z, dy

def reference(inputs, dims):
    return {"dx": gradients(inputs)[0]}
"""
LAYER_BACK_PARTS = LAYER_BACK + f"""
def reference(inputs, dims):
    dx, dw, db = gradients(inputs)
    share = -(-dims["m"] // {PARTS})
    parts = [slice(i * share, (i + 1) * share) for i in range({PARTS})]
    return {{"dx": dx, "dw": np.stack([dw[part].sum(axis=0) for part in parts]),
             "db": np.stack([db[part].sum(axis=0) for part in parts])}}
"""


def layer(dims, kind, aligned):
    args = [array("x", ROWS, kind=kind), array("y", ROWS, "out", kind), array("w", ["n"], kind=kind),
            array("b", ["n"], kind=kind), array("mean", ["m"], "out", kind), array("rstd", ["m"], "out", kind)]
    return recipe(LIGER + "layer_norm.py", "_layer_norm_fwd_kernel_ct", dims, args, LAYER, ["m"],
                  ["n", EPS, WHOLE_ROW, number(aligned)])


SAVED = [array("x", ROWS), array("dy", ROWS), array("w", ["n"]), array("mean", ["m"]),
         array("rstd", ["m"], fill=NEAR_ONE), array("dx", ROWS, "out")]


def layer_back(dims, aligned):
    return recipe(LIGER + "layer_norm.py", "_layer_norm_bwd_dx_kernel_ct", dims, SAVED, LAYER_BACK, ["m"],
                  ["n", WHOLE_ROW, number(aligned)])


def layer_back_parts(dims, aligned):
    args = SAVED + [array("dw", [str(PARTS), "n"], "out"), array("db", [str(PARTS), "n"], "out")]
    return recipe(LIGER + "layer_norm.py", "_layer_norm_bwd_combined_kernel_ct", dims, args, LAYER_BACK_PARTS,
                  [str(PARTS)], ["m", "n", number(PARTS), number(f"cdiv(m, {PARTS})"), WHOLE_ROW, number(aligned)])


UNSLOTH_LAYER = [array("y", ROWS, "out", "f16"), array("x", ROWS, kind="f16"), array("w", ["n"], kind="f16"),
                 array("b", ["n"], kind="f16"), array("rstd", ["m"], "out"), array("mean", ["m"], "out")]
UNSLOTH_LAYER_BACK = [array("dx", ROWS, "out"), array("dy", ROWS), array("x", ROWS), array("w", ["n"]),
                      array("rstd", ["m"], fill=NEAR_ONE), array("mean", ["m"])]

# Two images of six channels, which are normalized in groups of c channels.
IMAGES = {"batch": {"values": [2], "min": 1, "max": 3}, "groups": {"values": [3], "min": 1, "max": 4},
          "c": {"values": [2], "min": 1, "max": 3}, "n": {"values": [200], "min": 16, "max": 300}}
CHANNELS = "groups * c"
PIXELS = [f"batch * {CHANNELS}", "n"]
STATISTICS = ["batch * groups"]
GROUP = """
def reference(inputs, dims):
    x, w, b = (inputs[name].astype(np.float64) for name in ("x", "w", "b"))
    shape = dims["batch"], dims["groups"], dims["c"], dims["n"]
    images = x.reshape(shape)
    mean = images.mean(axis=(2, 3), keepdims=True)
    rstd = 1 / np.sqrt(images.var(axis=(2, 3), keepdims=True) + 1e-5)
    w, b = (each.reshape(1, *shape[1:3], 1) for each in (w, b))
    y = (images - mean) * rstd * w + b
    return {"y": y.reshape(x.shape), "mean": mean.ravel(), "rstd": rstd.ravel()}
"""
GROUP_BACK = """
def reference(inputs, dims):
    shape = dims["batch"], dims["groups"], dims["c"], dims["n"]
    x, dy = (inputs[name].astype(np.float64).reshape(shape) for name in ("x", "dy"))
    mean, rstd = (inputs[name].astype(np.float64).reshape(*shape[:2], 1, 1) for name in ("mean", "rstd"))
    w = inputs["w"].astype(np.float64).reshape(1, *shape[1:3], 1)
    z = (x - mean) * rstd
    g = w * dy
    dx = rstd * (g - g.mean(axis=(2, 3), keepdims=True) - z * (g * z).mean(axis=(2, 3), keepdims=True))
    return {"dx": dx.reshape(-1, dims["n"]), "dw": (dy * z).sum(axis=3).reshape(dims["batch"], -1),
            "db": dy.sum(axis=3).reshape(dims["batch"], -1)}
"""
GROUPS = [array("x", PIXELS), array("y", PIXELS, "out"), array("w", [CHANNELS]), array("b", [CHANNELS]),
          array("mean", STATISTICS, "out"), array("rstd", STATISTICS, "out")]
GROUPS_BACK = [array("x", PIXELS), array("dy", PIXELS), array("w", [CHANNELS]), array("mean", STATISTICS),
               array("rstd", STATISTICS, fill=NEAR_ONE), array("dx", PIXELS, "out"),
               array("dw", ["batch", CHANNELS], "out"), array("db", ["batch", CHANNELS], "out")]
GROUP_SIZES = [number(CHANNELS), "groups", "c", "n"]

DYT = """
def reference(inputs, dims):
    x, alpha, w, b = (inputs[name].astype(np.float64) for name in ("x", "alpha", "w", "b"))
    return {"y": np.tanh(alpha * x) * w + b}
"""
# Block (column, part) takes the rows part, part + PARTS, and so on, and 128 columns.
DYT_BACK = f"""
def reference(inputs, dims):
    x, dy, alpha, w = (inputs[name].astype(np.float64) for name in ("x", "dy", "alpha", "w"))
    t = np.tanh(alpha * x)
    g = dy * w * (1 - t**2)
    pieces = range(0, dims["n"], 128)
    terms = dy * t, dy, x * g
    dw, db, da = (np.stack([each[part::{PARTS}].sum(axis=0) for part in range({PARTS})]) for each in terms)
    da = np.stack([da[:, i:i + 128].sum(axis=1) for i in pieces], axis=1)
    return {{"dx": alpha * g, "dw": dw, "db": db, "da": da}}
"""
ALPHA = array("alpha", ["1"], fill=NEAR_ONE)
DYT_ARGS = [array("x", ROWS), array("y", ROWS, "out"), ALPHA, array("w", ["n"]), array("b", ["n"])]
# The slope 1 - tanh^2 loses its digits where x is large.
DYT_BACK_ARGS = [array("dy", ROWS), array("dx", ROWS, "out"), array("da", [str(PARTS), "cdiv(n, 128)"], "out"),
                 array("dw", [str(PARTS), "n"], "out"), array("db", [str(PARTS), "n"], "out"),
                 array("x", ROWS, fill={"kind": "uniform", "low": -3, "high": 3}), ALPHA, array("w", ["n"])]

KERNELS = [
    layer(RAGGED, "f32", 0), layer(POWER, "f16", 1),
    layer_back(RAGGED, 0), layer_back(POWER, 1),
    layer_back_parts(RAGGED, 0), layer_back_parts(POWER, 1),
    recipe(UNSLOTH + "layernorm.py", "_layernorm_forward_ct_1d", RAGGED, UNSLOTH_LAYER, LAYER, ["m"],
           ["n", EPS, WHOLE_ROW]),
    recipe(UNSLOTH + "layernorm.py", "_layernorm_backward_ct_1d", RAGGED, UNSLOTH_LAYER_BACK, LAYER_BACK, ["m"],
           ["n", WHOLE_ROW]),
    recipe(LIGER + "group_norm.py", "_group_norm_fwd_kernel", IMAGES, GROUPS, GROUP, ["batch", "groups"],
           GROUP_SIZES + [EPS, PIECE]),
    recipe(LIGER + "group_norm.py", "_group_norm_bwd_kernel", IMAGES, GROUPS_BACK, GROUP_BACK, ["batch", "groups"],
           GROUP_SIZES + [PIECE]),
    recipe(LIGER + "dyt.py", "_dyt_fwd_kernel", RAGGED, DYT_ARGS, DYT, ["cdiv(n, 128)", "m"],
           [number(1), number(1), PIECE]),
    recipe(LIGER + "dyt.py", "_dyt_fwd_kernel", POWER, DYT_ARGS, DYT, ["1", "m"], [number(1), number(0), WHOLE_ROW]),
    recipe(LIGER + "dyt.py", "_dyt_bwd_kernel", RAGGED, DYT_BACK_ARGS, DYT_BACK, ["cdiv(n, 128)", str(PARTS)],
           [number(1), "m", PIECE, number(PARTS)]),
]
