"""Losses of group relative policy optimization of NVIDIA/TileGym: src/tilegym/suites/liger."""

from recipe_forms import array, number, real

FILE = "src/tilegym/suites/liger/cutile/grpo_loss.py"

# b answers of l tokens from a vocabulary of n. Each answer has the logits of one token more, which nothing reads.
DIMS = {"b": {"values": [3], "min": 1, "max": 4}, "l": {"values": [5], "min": 1, "max": 7},
        "n": {"values": [200], "min": 8, "max": 300}}
TOKENS = ["b", "l"]
LOGITS = ["b * (l + 1)", "n"]
LOGARITHMS = {"kind": "uniform", "low": -7, "high": -4}
NEAR_ONE = {"kind": "uniform", "low": 0.5, "high": 2}
HEAT, LOW, HIGH, LIMIT, HOT, COLD = 0.9, 0.2, 0.25, 1.5, 1.0, 1.05

X = array("x", LOGITS, fill={"kind": "uniform", "low": -3, "high": 3})
TOKEN = array("token", TOKENS, kind="i64", fill={"kind": "range", "high": "n"})
OLD, REF = array("old", TOKENS, fill=LOGARITHMS), array("ref", TOKENS, fill=LOGARITHMS)
# Every other token counts on average.
MASK = array("mask", TOKENS, kind="i32", fill={"kind": "range", "high": 2})
ADVANTAGE = array("advantage", ["b"])
RATIO = array("ratio", TOKENS, fill=NEAR_ONE)
PHI = array("phi", ["b"], fill=NEAR_ONE)
# What a masked token leaves as it was.
LOSSES = [array(name, TOKENS, "inout", fill="zeros") for name in ("loss", "lse", "kl", "clipped")]

COMMON = f"""
import numpy as np

def scores(inputs, dims):
    x = inputs["x"].astype(np.float64).reshape(dims["b"], dims["l"] + 1, -1)[:, :-1] / {HEAT}
    own = np.take_along_axis(x, inputs["token"][:, :, None], axis=2)[:, :, 0]
    return x, own

def log_sum_exp(x):
    top = x.max(axis=2)
    return top + np.log(np.exp(x - top[:, :, None]).sum(axis=2))

def sigmoid(x):
    return 1 / (1 + np.exp(-x))

def gradient(x, lse, inputs, dims, slope):
    hot = np.arange(dims["n"]) == inputs["token"][:, :, None]
    dx = (hot - np.exp(x - lse[:, :, None])) * slope[:, :, None] / {HEAT}
    last = np.zeros((dims["b"], 1, dims["n"]))
    return np.concatenate([dx, last], axis=1).reshape(-1, dims["n"])
"""
# The losses of one token, by name, with their slopes: c is the importance ratio, a the advantage, p the logarithm of
# the token's probability. Where a ratio is cut off, the loss has no slope.
PER_TOKEN = """
def per_token(c, a, p, phi):
    if {kind} == 0:
        cut = np.clip(c, 1 - {low}, 1 + {high})
        limited = np.minimum(c, {limit}) if {limit} else c
        clipped = (c < 1 - {low}) & (a < 0) | (c > 1 + {high}) & (a > 0)
        slope = -c * a * (cut * a >= limited * a) * (c <= {limit} if {limit} else 1)
        return -np.minimum(limited * a, cut * a), slope, clipped
    if {kind} == 1:
        cut = np.minimum(c, {high})
        return -cut * a * p, -cut * a, (c > {high}) & (a > 0)
    if {kind} == 2:
        heat = np.where(a > 0, {hot}, {cold})
        s = sigmoid(heat * (c - 1))
        return -4 * s / heat * a, -4 * s * (1 - s) * a * c, np.zeros_like(c)
    return -phi * a * p, -phi * a, np.zeros_like(c)
"""
FORWARD = COMMON + PER_TOKEN + """
def reference(inputs, dims):
    x, own = scores(inputs, dims)
    lse = log_sum_exp(x)
    p = own - lse
    c = np.exp(p - inputs["old"])
    loss, _, clipped = per_token(c, inputs["advantage"][:, None], p, inputs["phi"][:, None] if "phi" in inputs else 1)
    if "ratio" in inputs:
        loss = loss * inputs["ratio"]
    d = inputs["ref"] - p
    kl = (np.exp(d) - d - 1) * (c if {corrected} else 1)
    mask = inputs["mask"]
    return {{"loss": mask * (loss + {beta} * kl), "lse": mask * lse, "kl": mask * kl, "clipped": mask * clipped}}
"""
BACKWARD = COMMON + PER_TOKEN + """
def reference(inputs, dims):
    x, own = scores(inputs, dims)
    lse = inputs["lse"].astype(np.float64)
    p = own - lse
    c = np.exp(p - inputs["old"])
    slope = per_token(c, inputs["advantage"][:, None], p, inputs["phi"][:, None] if "phi" in inputs else 1)[1]
    if "ratio" in inputs:
        slope = slope * inputs["ratio"]
    d = inputs["ref"] - p
    slope = slope + {beta} * (-c * d if {corrected} else 1 - np.exp(d))
    return {{"dx": gradient(x, lse, inputs, dims, inputs["mask"] * slope * inputs["dloss"])}}
"""
SAVED = array("lse", TOKENS, fill={"kind": "uniform", "low": 5, "high": 7})


def settings(kind, beta, corrected, ratio):
    high = 1.3 if kind == 1 else HIGH
    limit = LIMIT if kind == 0 else 0
    names = {"kind": kind, "beta": beta, "corrected": corrected, "low": LOW, "high": high, "limit": limit, "hot": HOT,
             "cold": COLD}
    args = ["b", "l", "n", number(64), real(HEAT), real(beta), real(LOW), real(high), number(kind), real(HOT),
            real(COLD), real(limit), number(int(corrected)), number(1), number(1), number(int(ratio)), "l"]
    return names, args


def flat(used):
    """The ratios are given in one row."""
    return [array("ratio", ["b * l"], fill=NEAR_ONE)] if used else []


def forward(kind, beta, corrected, ratio):
    """Arguments that a kind of loss does not use may be any array."""
    names, constants = settings(kind, beta, corrected, ratio)
    args = [X, OLD, REF, TOKEN, MASK, ADVANTAGE] + flat(ratio) + [PHI] * (kind == 3) + LOSSES
    reference = FORWARD.replace('inputs["ratio"]', 'inputs["ratio"].reshape(dims["b"], -1)')
    return {"file": FILE, "kernel": "_grpo_loss_fwd_ct", "dims": DIMS, "args": args,
            "reference": reference.format(**names),
            "launches": [{"grid": ["b", "l"], "args": [
                "x", "old", "ref", "token", "mask", "advantage", "ratio" if ratio else "advantage",
                "phi" if kind == 3 else "advantage", "loss", "lse", "kl", "clipped", *constants]}]}


def backward(kind, beta, corrected, ratio):
    names, constants = settings(kind, beta, corrected, ratio)
    args = [array("dloss", TOKENS), array("dx", LOGITS, "inout", fill="zeros"), X, OLD, REF, TOKEN, ADVANTAGE, MASK,
            SAVED] + flat(ratio) + [PHI] * (kind == 3)
    reference = BACKWARD.replace('inputs["ratio"]', 'inputs["ratio"].reshape(dims["b"], -1)')
    return {"file": FILE, "kernel": "_grpo_loss_bwd_ct", "dims": DIMS, "args": args,
            "reference": reference.format(**names),
            "launches": [{"grid": ["b", "l"], "args": [
                "dloss", "dx", "x", "old", "ref", "token", "advantage", "mask", "lse",
                "ratio" if ratio else "advantage", "phi" if kind == 3 else "advantage", *constants]}]}


# Here one importance ratio belongs to a whole answer; the host code computes it, and what remains of it after cutting.
SEQUENCE = COMMON + """
def reference(inputs, dims):
    x, own = scores(inputs, dims)
    lse = log_sum_exp(x)
    a = inputs["advantage"].astype(np.float64)
    loss = -np.minimum(inputs["c1"] * a, inputs["c2"] * a)[:, None] * inputs["ratio"].reshape(dims["b"], -1)
    d = inputs["ref"] - (own - lse)
    kl = (np.exp(d) - d - 1) * inputs["raw"][:, None]
    mask = inputs["mask"]
    return {{"loss": mask * (loss + {beta} * kl), "lse": mask * lse, "kl": mask * kl,
            "clipped": mask * inputs["cut"][:, None]}}
"""
SEQUENCE_BACK = COMMON + """
def reference(inputs, dims):
    x, own = scores(inputs, dims)
    lse, dloss = inputs["lse"].astype(np.float64), inputs["dloss"].astype(np.float64)
    c, a = inputs["c1"].astype(np.float64), inputs["advantage"].astype(np.float64)
    limited = np.minimum(c, {limit})
    free = (np.clip(c, 1 - {low}, 1 + {high}) * a >= limited * a) & (c <= {limit})
    slope = (-c * a / inputs["count"] * free * inputs["total"])[:, None]
    slope = slope + {beta} * (1 - np.exp(inputs["ref"] - (own - lse))) * dloss
    return {{"dx": gradient(x, lse, inputs, dims, inputs["mask"] * slope)}}
"""
BETA = 0.04
EACH = [array(name, ["b"], fill=NEAR_ONE) for name in ("c1", "raw", "c2")]
SIZES = ["b", "l", "n", number(64), real(HEAT), real(BETA)]


def sequence():
    args = [X, REF, TOKEN, MASK, ADVANTAGE, *EACH, array("cut", ["b"]), *flat(True), *LOSSES]
    return {"file": FILE, "kernel": "_grpo_loss_fwd_seq_ct", "dims": DIMS, "args": args,
            "reference": SEQUENCE.format(beta=BETA),
            "launches": [{"grid": ["b", "l"], "args": [each["name"] for each in args] + SIZES + [
                number(1), number(1), number(1), "l"]}]}


def sequence_back():
    args = [array("dloss", TOKENS), array("total", ["b"]), array("dx", LOGITS, "inout", fill="zeros"), X, REF, TOKEN,
            ADVANTAGE, MASK, SAVED, EACH[0], array("count", ["b"], fill={"kind": "uniform", "low": 1, "high": 5})]
    return {"file": FILE, "kernel": "_grpo_loss_bwd_seq_ct", "dims": DIMS, "args": args,
            "reference": SEQUENCE_BACK.format(beta=BETA, low=LOW, high=HIGH, limit=LIMIT),
            "launches": [{"grid": ["b", "l"], "args": [each["name"] for each in args] + SIZES + [
                number(0), real(LOW), real(HIGH), real(LIMIT), number(1)]}]}


KERNELS = [
    forward(0, BETA, False, True), forward(1, BETA, True, False), forward(2, BETA, False, False),
    forward(3, BETA, True, True),
    backward(0, BETA, True, True), backward(1, BETA, False, False), backward(2, BETA, True, False),
    backward(3, BETA, False, True),
    sequence(), sequence_back(),
]
