"""Losses between distributions of NVIDIA/TileGym: src/tilegym/suites/liger."""

from recipe_forms import array, number

LIGER = "src/tilegym/suites/liger/cutile/"

ROWS = ["m", "n"]
RAGGED = {"m": {"values": [6], "min": 1, "max": 9}, "n": {"values": [300], "min": 1, "max": 600}}
CHUNKS = {"m": {"values": [6], "min": 1, "max": 9},
          "n": {"values": [512], "min": 128, "max": 640, "multiple_of": 128}}
PIECE = number(128)
LOGARITHMS = {"kind": "uniform", "low": -6, "high": 0}
SHARES = {"kind": "uniform", "low": 0, "high": 1}
# One of six rows is left out on average.
IGNORED = 3
LABELS = array("label", ["m"], "in", "i64", fill={"kind": "range", "low": 0, "high": 6})
SCALE = 0.125

# With m the mixture of both distributions: beta * KL(p, m) + (1 - beta) * KL(q, m), and its derivative by log q.
# At the two ends of beta it is KL(p, q) and KL(q, p).
JSD = """
import numpy as np
def reference(inputs, dims):
    x, y = inputs["x"].astype(np.float64), inputs["y"].astype(np.float64)
    q, p, beta = np.exp(x), np.exp(y), {beta}
    if beta == 0:
        loss, dx = p * (y - x), -p
    elif beta == 1:
        loss, dx = q * (x - y), q * (x - y) + q
    else:
        m = np.log(beta * p + (1 - beta) * q)
        loss, dx = beta * p * (y - m) + (1 - beta) * q * (x - m), (1 - beta) * q * (x - m)
    kept = {kept}
    return {{"loss": loss * kept * {scale}, "dx": dx * kept * {scale}}}
"""


def jsd(beta, labels):
    """The loss is zero before the kernel runs, and rows that are left out keep it."""
    kept = f"(inputs['label'] != {IGNORED})[:, None]" if labels else "1"
    args = [array("x", ROWS, fill=LOGARITHMS), array("y", ROWS, fill=LOGARITHMS),
            array("loss", ROWS, "inout", fill="zeros"), array("dx", ROWS, "out")] + [LABELS] * labels
    return {"file": LIGER + "jsd.py", "kernel": "_jsd_kernel", "dims": RAGGED, "args": args,
            "reference": JSD.format(beta=beta, kept=kept, scale=SCALE),
            "launches": [{"grid": ["m"], "args": [
                "x", "y", "loss", "dx", "label" if labels else "x", number(beta, "f32"), number(SCALE, "f32"),
                number(IGNORED), "n", PIECE, number(int(labels))]}]}


KL = """
import numpy as np
def reference(inputs, dims):
    y, t = inputs["y"].astype(np.float64), inputs["t"].astype(np.float64)
    loss = np.exp(t) * (t - y) if {logarithms} else t * (np.log(np.maximum(t, 1e-10)) - y)
    return {{"loss": loss{total}}}
"""
KL_BACK = """
import numpy as np
def reference(inputs, dims):
    t = inputs["t"].astype(np.float64)
    return {{"dy": -{scale} * (np.exp(t) if {logarithms} else t)}}
"""
FULL = number("n // 128")


def kl(kernel, logarithms, shape, total):
    return {"file": LIGER + "kl_div.py", "kernel": kernel, "dims": RAGGED,
            "args": [array("y", ROWS, fill=LOGARITHMS), array("t", ROWS, fill=LOGARITHMS if logarithms else SHARES),
                     array("loss", shape, "out")],
            "reference": KL.format(logarithms=logarithms, total=total),
            "launches": [{"grid": ["m"], "args": ["y", "t", "loss", "n", number(1e-10, "f32"), PIECE,
                                                  number(int(logarithms)), FULL]}]}


def kl_back(logarithms):
    return {"file": LIGER + "kl_div.py", "kernel": "_kldiv_bwd_ct", "dims": RAGGED,
            "args": [array("t", ROWS, "in", "f16", fill=LOGARITHMS if logarithms else SHARES),
                     array("dy", ROWS, "out", "f16")],
            "reference": KL_BACK.format(logarithms=logarithms, scale=SCALE),
            "launches": [{"grid": ["m"], "args": ["t", "dy", "n", number(SCALE, "f32"), PIECE,
                                                  number(int(logarithms)), FULL]}]}


TVD = """
import numpy as np
def reference(inputs, dims):
    p, q = inputs["p"].astype(np.float64), inputs["q"].astype(np.float64)
    kept = (inputs["label"] != {ignored})[:, None]
    loss, grads = np.abs(p - q) / 2 * kept, np.where(p > q, 0.5, -0.5) * kept * {scale}
    return {{"loss": loss{total}, "grads": grads}}
"""


def tvd(kernel, dims, reduction):
    """Each block takes several rows, since the grid is smaller than their number. Reduction 0 keeps each element."""
    scale = SCALE if reduction else 1
    total = f".sum(axis=1) * {scale}" if reduction else ""
    return {"file": LIGER + "tvd.py", "kernel": kernel, "dims": dims,
            "args": [array("p", ROWS, "in", "f16", fill=SHARES), array("q", ROWS, "in", "f16", fill=SHARES),
                     array("loss", ["m"] if reduction else ROWS, "out"), array("grads", ROWS, "out", "f16"), LABELS],
            "reference": TVD.format(ignored=IGNORED, scale=scale, total=total),
            "launches": [{"grid": ["cdiv(m, 2)"], "args": [
                "p", "q", "loss", "grads", "label", number(scale, "f32"), "m", "n", number(IGNORED), PIECE, number(1),
                number(reduction)]}]}


KERNELS = [
    jsd(0.0, False), jsd(1.0, True), jsd(0.5, True), jsd(0.25, False),
    kl("_kldiv_fwd_none_ct", False, ROWS, ""), kl("_kldiv_fwd_none_ct", True, ROWS, ""),
    kl("_kldiv_fwd_reduce_ct", False, ["m"], ".sum(axis=1)"), kl("_kldiv_fwd_reduce_ct", True, ["m"], ".sum(axis=1)"),
    kl_back(False), kl_back(True),
    tvd("_tv_distance_kernel_ct_aligned", CHUNKS, 0), tvd("_tv_distance_kernel_ct_aligned", CHUNKS, 3),
    tvd("_tv_distance_kernel_ct", RAGGED, 0), tvd("_tv_distance_kernel_ct", RAGGED, 3),
    tvd("_tv_distance_kernel_ct_gather", RAGGED, 0), tvd("_tv_distance_kernel_ct_gather", RAGGED, 3),
]
