"""Cross entropy of NVIDIA/TileGym: src/tilegym/suites/liger and src/tilegym/suites/unsloth."""

from recipe_forms import array, number

LIGER = "src/tilegym/suites/liger/cutile/cross_entropy.py"
UNSLOTH = "src/tilegym/suites/unsloth/cutile/cross_entropy_loss.py"

ROWS = ["m", "n"]
DIMS = {"m": {"values": [5], "min": 1, "max": 6}, "n": {"values": [500], "min": 401, "max": 700}}
POWER = {"m": {"values": [5], "min": 1, "max": 6}, "n": [512]}
# Rows of whole pieces, for logits that are capped: the kernels cap their padding, too, so that it counts a little.
CHUNKED = {"m": {"values": [5], "min": 1, "max": 6}, "n": {"values": [512], "min": 512, "max": 768, "multiple_of": 128}}
PIECE = number(128)
LOGITS = {"kind": "uniform", "low": -6, "high": 6}
# Labels in different pieces of a row. The second one, 75, is the one that Liger's kernel is told to ignore.
LABELS = array("label", ["m"], "in", "i64", fill={"kind": "iota", "start": 5, "step": 70})
IGNORED = 75
SMOOTHING, SQUARE, CAP, COUNT, USED_WEIGHT, ALL_WEIGHT = 0.1, 0.01, 5.0, 4.0, 3.5, 400.0

# The loss of soft targets, which is -(1 - s) * w[label] * log p[label] - s / n * sum(w * log p), and a multiple of the
# square of log sum exp. The gradient takes the place of the logits.
LOSS = """
import numpy as np
def reference(inputs, dims):
    label, rows = inputs["label"], np.arange(dims["m"])
    x, slope = inputs["x"].astype(np.float64), 1
    if {cap}:
        t = np.tanh(x / {cap})
        x, slope = {cap} * t, 1 - t**2
    top = x.max(axis=1)
    lse = top + np.log(np.exp(x - top[:, None]).sum(axis=1))
    p = np.exp(x - lse[:, None])
    hot = np.zeros_like(x)
    hot[rows, label] = 1
    if {weighted}:
        w, all_weight, mean = inputs["w"].astype(np.float64), {all_weight}, {used_weight}
    else:
        w, all_weight, mean = np.ones(dims["n"]), dims["n"], {count}
    eps, own = {smoothing} / dims["n"], w[label]
    loss = (1 - {smoothing}) * own * (lse - x[rows, label]) + eps * (all_weight * lse - (w * x).sum(axis=1))
    z = {square} * lse**2 / {count}
    dx = (1 - {smoothing}) * own[:, None] * (p - hot) + eps * (all_weight * p - w)
    dx = (dx / mean + 2 * {square} * lse[:, None] * p / {count}) * slope
    kept = label != {ignored}
    best = x.argmax(axis=1)
    made = {{"loss": np.where(kept, loss / mean + z, 0), "x": np.where(kept[:, None], dx, 0), "z": np.where(kept, z, 0),
            "right": kept * (best == label), "best": np.where(kept, best, -1)}}
    return {{name: made[name] for name in {outputs!r}}}
"""


def liger(smoothing, square, cap, weighted, extras):
    """A row whose label is ignored keeps its z, which the host code sets to zero before."""
    args = [array("x", ROWS, "inout", fill=LOGITS), LABELS, array("loss", ["m"], "out")]
    args += [array("w", ["n"], fill={"kind": "uniform", "low": 0.5, "high": 2})] * weighted
    if extras:
        args += [array("z", ["m"], "inout", fill="zeros"), array("right", ["m"], "out"),
                 array("best", ["m"], "out", "i64")]
    outputs = [each["name"] for each in args if each["role"] != "in"]
    reference = LOSS.format(cap=cap, weighted=weighted, smoothing=smoothing, square=square, count=COUNT,
                            ignored=IGNORED, used_weight=USED_WEIGHT, all_weight=ALL_WEIGHT, outputs=outputs)
    # An array that a kernel does not use may be any.
    extra = ["z", "right", "best"] if extras else ["loss", "loss", "label"]
    return {"file": LIGER, "kernel": "_liger_cross_entropy_kernel", "dims": CHUNKED if cap else DIMS, "args": args,
            "reference": reference,
            "launches": [{"grid": ["m"], "args": [
                "x", "label", "w" if weighted else "x", "loss", *extra, "n", number(1 / COUNT, "f32"),
                number(USED_WEIGHT, "f32"), number(ALL_WEIGHT, "f32"), number(IGNORED), number(smoothing, "f32"),
                number(square, "f32"), number(cap, "f32"), PIECE, number(1), number(1), number(int(weighted)),
                number(int(cap > 0)), *[number(int(extras))] * 3]}]}


# Unsloth's kernels leave out rows with label -100. The logits are scaled, then capped.
FIRST_IGNORED = array("label", ["m"], "in", "i64", fill={"kind": "iota", "start": -100, "step": 100})
SOME = array("label", ["m"], "in", "i64", fill={"kind": "range", "high": "n"})
CAPPED = """
import numpy as np

def capped(x):
    x = x.astype(np.float64) * ({scale} or 1)
    if not {cap}:
        return x, {scale} or 1
    t = np.tanh(x / {cap})
    return {cap} * t, ({scale} or 1) * (1 - t**2)

def log_sum_exp(x):
    top = x.max(axis=1)
    return top + np.log(np.exp(x - top[:, None]).sum(axis=1))

def own(x, label):
    return x[np.arange(len(label)), np.maximum(label, 0)]
"""
UNSLOTH_LOSS = CAPPED + """
def reference(inputs, dims):
    x, label = capped(inputs["x"])[0], inputs["label"]
    lse = log_sum_exp(x)
    return {{"loss": np.where(label < 0, 0, lse - own(x, label)), "lse": lse}}
"""
UNSLOTH_CHUNKS = CAPPED + """
def reference(inputs, dims):
    x, label = capped(inputs["x"])[0], inputs["label"]
    lse = np.stack([log_sum_exp(x[:, i:i + 128]) for i in range(0, dims["n"], 128)], axis=1)
    return {{"loss": np.where(label < 0, 0, -own(x, label)), "lse": lse}}
"""
UNSLOTH_BACK = CAPPED + """
def reference(inputs, dims):
    (x, slope), label = capped(inputs["x"]), inputs["label"]
    p = np.exp(x - inputs["lse"].astype(np.float64)[:, None])
    hot = np.arange(dims["n"]) == label[:, None]
    return {{"dx": np.where(label < 0, 0, inputs["dloss"].astype(np.float64))[:, None] * (p - hot) * slope}}
"""
# The logits, and other numbers of a similar size for their log sum exp.
SCORES = array("x", ROWS, fill=LOGITS)
SAVED = array("lse", ["m"], fill={"kind": "uniform", "low": 4, "high": 10})


def unsloth(kernel, reference, args, labels, grid, sizes, cap, scale, dims=DIMS):
    names = [each["name"] for each in args] + ["label"]
    flags = [number(int(cap > 0)), number(cap, "f32"), number(int(scale > 0)), number(scale, "f32")]
    return {"file": UNSLOTH, "kernel": kernel, "dims": dims, "args": args + [labels],
            "reference": reference.format(cap=cap, scale=scale),
            "launches": [{"grid": grid, "args": names + ["n"] + sizes + flags}]}


LOSSES = [SCORES, array("loss", ["m"], "out"), array("lse", ["m"], "out")]
CHUNK_LOSSES = [SCORES, array("loss", ["m"], "out"), array("lse", ["m", "cdiv(n, 128)"], "out")]
GRADIENTS = [SCORES, array("dx", ROWS, "out"), array("dloss", ["m"]), SAVED]
CHUNKS = ["m", "cdiv(n, 128)"]
WHOLE_ROW = number("pow2ceil(n)")

KERNELS = [
    liger(0, 0, 0, False, True), liger(SMOOTHING, SQUARE, 0, True, False), liger(SMOOTHING, 0, CAP, False, False),
    unsloth("_cross_entropy_forward_ct", UNSLOTH_LOSS, LOSSES, FIRST_IGNORED, ["m"], [WHOLE_ROW], 0, 0),
    unsloth("_cross_entropy_forward_ct", UNSLOTH_LOSS, LOSSES, SOME, ["m"], [WHOLE_ROW], CAP, 0.5, POWER),
    unsloth("_chunked_cross_entropy_forward_ct", UNSLOTH_CHUNKS, CHUNK_LOSSES, FIRST_IGNORED, CHUNKS,
            [number("cdiv(n, 128)"), PIECE], CAP, 0, CHUNKED),
    unsloth("_chunked_cross_entropy_forward_ct", UNSLOTH_CHUNKS, CHUNK_LOSSES, SOME, CHUNKS,
            [number("cdiv(n, 128)"), PIECE], 0, 0.5),
    unsloth("_cross_entropy_backward_ct", UNSLOTH_BACK, GRADIENTS, FIRST_IGNORED, CHUNKS, [PIECE], 0, 0),
    unsloth("_cross_entropy_backward_ct", UNSLOTH_BACK, GRADIENTS, SOME, CHUNKS, [PIECE], CAP, 0.5),
]
