"""Gated delta rules of NVIDIA/TileGym: src/tilegym/ops/cutile."""

from recipe_forms import array, number

RECURRENT = "src/tilegym/ops/cutile/recurrent_gated_delta_rule.py"
CHUNKS = "src/tilegym/ops/cutile/chunk_gated_delta_rule.py"

# z sequences of t tokens; h heads of queries and keys of k numbers, for each of which there are r heads of values of v
# numbers. Keys are short, as the state grows without end otherwise.
DIMS = {"z": {"values": [2], "min": 1, "max": 2}, "t": {"values": [6], "min": 1, "max": 9},
        "h": {"values": [2], "min": 1, "max": 3}, "r": {"values": [2], "min": 1, "max": 3},
        "k": {"values": [20], "min": 3, "max": 32}, "v": {"values": [40], "min": 1, "max": 70}}
SHORT = {"kind": "uniform", "low": -0.3, "high": 0.3}
DECAY = {"kind": "uniform", "low": -1, "high": 0}
UNIT = {"kind": "uniform", "low": 0, "high": 1}
SCALE = number(0.25, "f32")
BLOCK = 32

# A state maps keys to values. It decays, and is corrected towards the next value; the query reads it.
RULE = """
import numpy as np
def unit(x):
    return x / np.sqrt((x * x).sum(axis=-1, keepdims=True) + 1e-6) if {unit} else x
def reference(inputs, dims):
    q, k, v, g, b = (inputs[name].astype(np.float64) for name in ("q", "key", "value", "g", "b"))
    q, k = (np.repeat(unit(x), dims["r"], axis=2) for x in (q, k))
    state = inputs["before"].astype(np.float64) if {before} else 0
    out = np.zeros(v.shape)
    for t in range(dims["t"]):
        state = state * np.exp(g[:, t])[..., None, None] + np.zeros((*g[:, t].shape, dims["k"], dims["v"]))
        change = (v[:, t] - np.einsum("zhkv,zhk->zhv", state, k[:, t])) * b[:, t][..., None]
        state = state + k[:, t][..., None] * change[..., None, :]
        out[:, t] = np.einsum("zhkv,zhk->zhv", state, q[:, t]) * 0.25
    return {{"out": out, "after": state}}
"""


def rule(kernel, kind, unit, before, grid, last, dims=DIMS):
    heads = "h * r"
    args = [array("q", ["z", "t", "h", "k"], kind=kind, fill=SHORT),
            array("key", ["z", "t", "h", "k"], kind=kind, fill=SHORT),
            array("value", ["z", "t", heads, "v"], kind=kind), array("g", ["z", "t", heads], fill=DECAY),
            array("b", ["z", "t", heads], kind=kind, fill=UNIT), array("out", ["z", "t", heads, "v"], "out", kind)]
    args += [array("before", ["z", heads, "k", "v"])] * before + [array("after", ["z", heads, "k", "v"], "out")]
    names = [each["name"] for each in args]
    # Without a state at the beginning any array stands in its place.
    if not before:
        names.insert(6, "after")
    return {"file": RECURRENT, "kernel": kernel, "dims": dims, "args": args,
            "reference": RULE.format(unit=unit, before=before), "launches": [{"grid": grid, "args": [
                *names, SCALE, number(int(before)), number(1), number(int(unit)), number("pow2ceil(k)"), number(BLOCK),
                number(1), number(1), last]}]}


# The same in chunks of 16 tokens: within a chunk all corrections are one triangular system. Its matrices come from
# keys, their decay since the chunk's first token, and the strength b of each correction.
CHUNK = 16
COUNT = f"cdiv(t, {CHUNK})"
PREPARE = """
import numpy as np
def unit(x):
    return x / np.sqrt((x * x).sum(axis=-1, keepdims=True) + 1e-6) if {unit} else x
def chunks(x, count):
    # Heads before tokens, and whole chunks, the last of which has zeros behind its end.
    x = np.moveaxis(x.astype(np.float64), 2, 1)
    x = np.pad(x, [(0, 0), (0, 0), (0, count * {chunk} - x.shape[2])] + [(0, 0)] * (x.ndim - 3))
    return x.reshape(*x.shape[:2], count, {chunk}, *x.shape[3:])
def reference(inputs, dims):
    count = -(-dims["t"] // {chunk})
    q, k, v, b, g = (chunks(inputs[name], count) for name in ("q", "key", "value", "b", "g"))
    q, k, g, b = unit(q) * 0.25, unit(k), g.cumsum(axis=-1), b[..., None]
    decay = np.exp(np.tril(g[..., :, None] - g[..., None, :]))
    system = np.eye({chunk}) + np.tril(b * k @ k.swapaxes(-1, -2) * decay, -1)
    return {{"q_out": q, "k_out": k, "v_out": np.linalg.solve(system, b * v),
             "decayed": np.linalg.solve(system, b * k * np.exp(g)[..., None]), "g_out": g}}
"""
# Factors of all products are rounded to tf32, which keeps 10 bits, and some of them are sums of such products.
ROUNDED = {"tolerance": {"rtol": 4e-3, "atol": 2e-3}}
# Errors of a state are carried from chunk to chunk.
CARRIED = {"tolerance": {"rtol": 1e-2, "atol": 5e-3}}
CHUNKED = {"z": {"values": [2], "min": 1, "max": 2}, "t": {"values": [40], "min": 1, "max": 70},
           "h": {"values": [2], "min": 1, "max": 3}, "k": {"values": [20], "min": 3, "max": 32},
           "v": {"values": [40], "min": 1, "max": 70}}
FULL = ["z", "h", COUNT, str(CHUNK)]


def prepare(unit):
    args = [array("q", ["z", "t", "h", "k"], fill=SHORT), array("key", ["z", "t", "h", "k"], fill=SHORT),
            array("value", ["z", "t", "h", "v"], fill=UNIT), array("b", ["z", "t", "h"], fill=UNIT),
            array("g", ["z", "t", "h"], fill=DECAY), array("q_out", [*FULL, "k"], "out"),
            array("k_out", [*FULL, "k"], "out"), array("v_out", [*FULL, "v"], "out"),
            array("decayed", [*FULL, "k"], "out"), array("g_out", FULL, "out")]
    return {"file": CHUNKS, "kernel": "_intra_chunk_prepare_kernel", "dims": CHUNKED, "args": args,
            "reference": PREPARE.format(unit=unit, chunk=CHUNK), "launches": [{"grid": ["z * h", COUNT], "args": [
                *(each["name"] for each in args), "t", "k", "v", SCALE, "h", number(int(unit)), number(CHUNK),
                number("pow2ceil(k)"), number(4), number(0)]}]} | ROUNDED


# Chunks follow each other: each reads the state that the ones before left, and corrects its own values by it.
INTER = """
import numpy as np
def reference(inputs, dims):
    q, k, v, decayed, g = (inputs[name].astype(np.float64) for name in ("q", "key", "value", "decayed", "g"))
    state, out = inputs["before"].astype(np.float64), np.zeros(v.shape)
    for i in range(v.shape[2]):
        grown, new = np.exp(g[:, :, i])[..., None], v[:, :, i] - decayed[:, :, i] @ state
        decay = np.exp(np.tril(g[:, :, i, :, None] - g[:, :, i, None, :]))
        own = np.tril(q[:, :, i] @ k[:, :, i].swapaxes(-1, -2) * decay)
        out[:, :, i] = (q[:, :, i] * grown) @ state + own @ new
        rest = np.exp(g[:, :, i, -1:, None] - g[:, :, i, :, None])
        state = state * np.exp(g[:, :, i, -1:, None]) + (k[:, :, i] * rest).swapaxes(-1, -2) @ new
    return {"out": out, "after": state}
"""


def inter():
    args = [array("q", [*FULL, "k"], fill=SHORT), array("key", [*FULL, "k"], fill=SHORT),
            array("value", [*FULL, "v"], fill=UNIT), array("decayed", [*FULL, "k"], fill=SHORT),
            array("g", FULL, fill=DECAY), array("out", [*FULL, "v"], "out"),
            array("before", ["z", "h", "k", "v"], fill=UNIT), array("after", ["z", "h", "k", "v"], "out")]
    return {"file": CHUNKS, "kernel": "_chunk_inter_recurrence_kernel", "dims": CHUNKED, "args": args,
            "reference": INTER, "launches": [{"grid": ["z * h", f"cdiv(v, {BLOCK})"], "args": [
                *(each["name"] for each in args), number(COUNT), "k", "v", "h", number(1), number(1), number(CHUNK),
                number("pow2ceil(k)"), number(BLOCK)]}]} | CARRIED


EACH = ["z * h * r", f"cdiv(v, {BLOCK})"]
FEW = [f"min(5, z * h * r * cdiv(v, {BLOCK}))"]
ONE = DIMS | {"t": [1]}

KERNELS = [
    rule("_recurrent_gated_delta_rule_fwd_kernel", "f32", False, True, EACH, "t"),
    rule("_recurrent_gated_delta_rule_fwd_kernel", "bf16", True, False, EACH, "t"),
    rule("_recurrent_gated_delta_rule_fwd_kernel_persistent", "f32", True, False, FEW, "t"),
    rule("_recurrent_gated_delta_rule_fwd_kernel_persistent", "f16", False, True, FEW, "t"),
    rule("_recurrent_gated_delta_rule_fwd_kernel_decode_vstream", "f32", False, True, EACH, number(16), ONE),
    rule("_recurrent_gated_delta_rule_fwd_kernel_decode_vstream", "f16", True, False, EACH, number(8), ONE),
    prepare(False), prepare(True), inter(),
]
