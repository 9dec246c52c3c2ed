"""Hyper-connections and losses of NVIDIA/TileGym: src/tilegym/ops/cutile/experimental."""

from recipe_forms import array, number, recipe

MHC = "src/tilegym/ops/cutile/experimental/mhc.py"
LOSS = "src/tilegym/ops/cutile/experimental/fused_linear_cross_entropy.py"

# m rows, a multiple of a tile's, as the parts of a sum lie under each other.
DIMS = {"m": {"values": [48], "min": 16, "max": 96, "multiple_of": 16}, "n": {"values": [24], "min": 1, "max": 50},
        "k": {"values": [150], "min": 1, "max": 200}}
PARTS = 3
TALL, TILES = f"{PARTS} * m", "cdiv(n, 16)"

# Each part has a third of the tiles of a row, of 32 columns. Products of f32 are rounded to tf32, which keeps 10 bits;
# the sums of squares are not.
SPLIT = """
def rounded(x):
    if x.dtype != np.float32:
        return x.astype(np.float64)
    bits = x.view(np.uint32).astype(np.uint64)
    return ((bits + 0x1000) & 0xffffe000).astype(np.uint32).view(np.float32).astype(np.float64)
def reference(inputs, dims):
    x, w = rounded(inputs["x"]), rounded(inputs["w"])
    squares = inputs["x"].astype(np.float64)**2
    share = -(-(-(-dims["k"] // 32)) // {parts}) * 32
    at = [slice(i * share, (i + 1) * share) for i in range({parts})]
    sums = np.concatenate([squares[:, each].sum(axis=1) for each in at])
    return {{"y": np.concatenate([x[:, each] @ w[each] for each in at]),
             "r": np.repeat(sums[:, None], -(-dims["n"] // 16), axis=1)}}
"""


def split(kind):
    args = [array("x", ["m", "k"], kind=kind), array("w", ["k", "n"], kind=kind), array("y", [TALL, "n"], "out"),
            array("r", [TALL, TILES], "out")]
    return recipe(MHC, "_mhc_split_gemm_rms_kernel", DIMS, args, SPLIT.format(parts=PARTS),
                  [f"m // 16 * {TILES}", str(PARTS)],
                  ["m", "n", "k", number(16), number(16), number(32), number(PARTS), number(2)])


# The first c columns become sigmoids, the next c twice that, and the others stay.
FINAL = """
def reference(inputs, dims):
    y, r = (inputs[name].astype(np.float64).reshape({parts}, dims["m"], -1).sum(axis=0) for name in ("part", "squares"))
    r, c, column = np.sqrt(r / dims["k"]), dims["c"], np.arange(dims["n"])
    scale = np.where(column < c, 0.5, np.where(column < 2 * c, 0.25, 2))
    y = y * scale / r[:, column // 16] + inputs["bias"].astype(np.float64)
    gate = 1 / (1 + np.exp(-y))
    return {{"y": np.where(column < c, gate, np.where(column < 2 * c, 2 * gate, y)), "r": r[:, :1]}}
"""


def final(kind):
    """A row has its sum of squares once for each of its tiles. They are the same where the first kernel made them."""
    squares = {"kind": "uniform", "low": 10, "high": 90}
    args = [array("part", [TALL, "n"]), array("squares", [TALL, TILES], fill=squares),
            array("y", ["m", "n"], "out", kind), array("r", ["m", "1"], "out"), array("bias", ["n"], kind=kind)]
    made = recipe(MHC, "_mhc_finalize_scale_bias_sigmoid_kernel", DIMS | {"c": {"values": [4], "min": 1, "max": 6},
                  "n": {"values": [24], "min": 16, "max": 50}}, args, FINAL.format(parts=PARTS), ["m // 16", TILES],
                  ["m", "n", "k", number(16), number(16), number(PARTS)])
    names = made["launches"][0]["args"]
    alphas = [number(0.5, "f32"), number(0.25, "f32"), number(2.0, "f32")]
    made["launches"][0]["args"] = names[:4] + ["c", *alphas] + names[4:]
    return made


# c streams of n numbers are mixed, and a result is given to each.
RESIDUAL = """
def reference(inputs, dims):
    x, f, post, res = (inputs[name].astype(np.float64) for name in ("x", "f", "post", "res"))
    return {"out": res @ x + post[:, :, None] * f[:, None, :]}
"""


def residual(kind):
    """The host leaves out what does not fill a tile of columns, so that there are only whole ones."""
    dims = {"m": {"values": [5], "min": 1, "max": 9}, "c": [4, 8],
            "n": {"values": [192], "min": 64, "max": 256, "multiple_of": 64}}
    args = [array("x", ["m", "c", "n"], kind=kind), array("f", ["m", "n"], kind=kind), array("post", ["m", "c"]),
            array("res", ["m", "c", "c"]), array("out", ["m", "c", "n"], "out", kind)]
    return recipe(MHC, "_mhc_apply_residual_kernel", dims, args, RESIDUAL, ["m", "n // 64"], ["n", "c", number(64)])


# Rows and columns are divided by their sums in turn, twenty times.
SINKHORN = """
def reference(inputs, dims):
    x = np.exp(inputs["y"].astype(np.float64)).reshape(dims["m"], dims["c"], dims["c"])
    for _ in range(20):
        x /= x.sum(axis=2, keepdims=True)
        x /= x.sum(axis=1, keepdims=True)
    return {"y": x.reshape(dims["m"], -1)}
"""


def sinkhorn(kind):
    dims = {"m": {"values": [5], "min": 1, "max": 9}, "c": [4, 8]}
    return recipe(MHC, "_mhc_sinkhorn_kernel", dims, [array("y", ["m", "c * c"], "inout", kind,
                  fill={"kind": "uniform", "low": -2, "high": 2})], SINKHORN, ["m"], ["c"])


# Scores become probabilities in place; the loss is the logarithm of one of them.
ENTROPY = """
def reference(inputs, dims):
    x = inputs["x"].astype(np.float64)
    top = x.max(axis=1)
    total = np.exp(x - top[:, None]).sum(axis=1)
    return {"x": np.exp(x - top[:, None]) / total[:, None], "loss": top + np.log(total) - inputs["target"]}
"""


def entropy(kind):
    dims = {"m": {"values": [7], "min": 1, "max": 11}, "n": {"values": [300], "min": 1, "max": 600}}
    args = [array("x", ["m", "n"], "inout", kind), array("loss", ["m"], "out"), array("target", ["m"])]
    return recipe(LOSS, "_ce_online_kernel", dims, args, ENTROPY, ["min(m, 3)"], ["m", "n", number(128)])


KERNELS = [
    split("f32"), split("bf16"), final("f32"), final("bf16"),
    residual("f32"), residual("bf16"), sinkhorn("f32"), sinkhorn("f16"), entropy("f32"), entropy("f16"),
]
