"""Attention with sinks, windows, caps, latent or chosen keys of NVIDIA/TileGym: src/tilegym/ops/cutile."""

from recipe_forms import array, number

CUTILE = "src/tilegym/ops/cutile/"


def recipe(file, kernel, dims, args, reference, grid, constants, **more):
    """All arrays are the first arguments of the kernel, in the same order."""
    return {"file": CUTILE + file, "kernel": kernel, "dims": dims, "args": args, "reference": COMMON + reference,
            "launches": [{"grid": grid, "args": [each["name"] for each in args] + constants}]} | more


# z sequences, h heads of keys for each of which there are r heads of queries, s queries and t keys of d numbers. Most
# kernels load keys and values without padding, so their number is a multiple of a tile's.
DIMS = {"z": {"values": [2], "min": 1, "max": 2}, "h": {"values": [2], "min": 1, "max": 3},
        "r": {"values": [3], "min": 1, "max": 3}, "s": {"values": [50], "min": 1, "max": 70},
        "t": {"values": [96], "min": 32, "max": 128, "multiple_of": 32}, "d": [16, 32]}
SQUARE = {name: DIMS[name] for name in "zhrd"} | {"s": DIMS["t"]}
QUERIES, KEYS, SAME = ["z", "h * r", "s", "d"], ["z", "h", "t", "d"], ["z", "h", "s", "d"]
SCALE = number(0.25, "f32")
TILES = [number(16), number(32)]
GRID = ["cdiv(s, 16)", "z * h * r"]

COMMON = """
import numpy as np
def doubles(inputs, *names):
    return [inputs[name].astype(np.float64) for name in names]
def shared(x, dims):
    # Heads of keys, once for each head of queries that uses them.
    return np.repeat(x, dims["r"], axis=1)
def ahead(s, t):
    # How far each key lies behind each query, or before it.
    return np.arange(t) - np.arange(s)[:, None]
def attention(scores, allowed, v, sink=-np.inf):
    # The sink takes its share of the weights, and has no value.
    scores = np.where(allowed, scores, -np.inf)
    top = np.maximum(scores.max(axis=-1, keepdims=True), sink)
    p = np.exp(scores - top)
    return p @ v / (p.sum(axis=-1, keepdims=True) + np.exp(sink - top))
"""

# Every head has the same keys for the positions.
MLA = """
def reference(inputs, dims):
    q, qpe, k, kpe, v = doubles(inputs, "q", "qpe", "k", "kpe", "v")
    scores = q @ shared(k, dims).swapaxes(2, 3) + qpe @ kpe.swapaxes(2, 3)
    return {"out": attention(scores * 0.25, ahead(dims["s"], dims["s"]) <= 0, shared(v, dims))}
"""


def mla(kind, grouped):
    """The host gives 0 for the size of groups where there are as many heads of queries as of keys."""
    dims = SQUARE | {"e": [16, 32]} | ({} if grouped else {"r": [1]})
    args = [array("q", QUERIES, kind=kind), array("qpe", ["z", "h * r", "s", "e"], kind=kind),
            array("k", SAME, kind=kind), array("kpe", ["z", "1", "s", "e"], kind=kind), array("v", SAME, kind=kind),
            array("out", QUERIES, "out", kind)]
    return recipe("mla.py", "_prefill_mla_kernel", dims, args, MLA, GRID,
                  [SCALE, "d", "e", number("h * r"), *TILES, "r" if grouped else number(0)])


# Queries begin at a later position than keys. A window ends at the query's own position.
SINKS = """
def reference(inputs, dims):
    q, k, v, sinks = doubles(inputs, "q", "k", "v", "sinks")
    far = ahead(dims["s"], dims["t"]) - inputs["start"][0]
    allowed = (far <= 0) & (far > -{window})
    scores = q @ shared(k, dims).swapaxes(2, 3) * 0.25
    return {{"out": attention(scores, allowed, shared(v, dims), sinks[:, None, None])}}
"""


def sinks(kind, window):
    """Weights are rounded to f16 before they meet the values, and would vanish beside a sink that is far larger."""
    small = {"fill": {"kind": "uniform", "low": -1, "high": 1}} if kind == "f16" else {}
    args = [array("q", QUERIES, kind=kind, **small), array("k", KEYS, kind=kind, **small), array("v", KEYS, kind=kind),
            array("sinks", ["h * r"], kind=kind, **small), array("out", QUERIES, "out", kind),
            array("start", ["1"], kind="i32", fill={"kind": "range", "low": 3, "high": 40})]
    return recipe("attention_sink.py", "_attention_sink_kernel", DIMS, args, SINKS.format(window=window or 1000), GRID,
                  [SCALE, "d", number("h * r"), "t", *TILES, "r", number(window)])


# Scores may be capped by a hyperbolic tangent, and keys be left out that are too far on either side.
GEMMA = """
def reference(inputs, dims):
    q, k, v = doubles(inputs, "q", "k", "v")
    scores = q @ shared(k, dims).swapaxes(2, 3) * 0.25
    if {cap}:
        scores = np.tanh(scores / {cap}) * {cap}
    far = ahead(dims["s"], k.shape[2])
    allowed = (far <= 0) | (not {causal})
    if {window}:
        allowed = allowed & (abs(far) <= {window})
    return {{"out": attention(scores, allowed, shared(v, dims))}}
"""


def gemma(kind, causal, window, cap):
    """The kernel skips from tile to tile, so a tile of queries has as many as some tiles of keys."""
    keys = SAME if causal else KEYS
    args = [array("q", QUERIES, kind=kind), array("k", keys, kind=kind), array("v", keys, kind=kind),
            array("out", QUERIES, "out", kind)]
    return recipe("gemma_attention.py", "_gemma_fmha_kernel", SQUARE if causal else DIMS, args,
                  GEMMA.format(causal=causal, window=window, cap=cap), ["cdiv(s, 32)", "z * h * r"],
                  [SCALE, "z", number("h * r"), "s", "s" if causal else "t", "d", number(32), number(16), "r",
                   number(3 if causal else 1), number(window), number(cap, "f32"), number(int(cap > 0)), number(1)])


# The host pads all sequences to whole tiles, and says how many keys there are.
WINDOW = """
def reference(inputs, dims):
    q, k, v = (x.reshape(dims["z"], -1, dims["d"]) for x in doubles(inputs, "q", "k", "v"))
    far = ahead(q.shape[1], k.shape[1])
    allowed = (far > -{window}) & (np.arange(k.shape[1]) < dims["s"])
    if {causal}:
        allowed = allowed & (far <= 0)
    return {{"out": attention(q @ k.swapaxes(1, 2) * 0.25, allowed, v).reshape(-1, dims["d"])}}
"""


def window(causal, size):
    """Weights are rounded to f16 before they meet the values."""
    dims = {"z": DIMS["z"], "s": DIMS["s"], "d": DIMS["d"]}
    rows, keys = ["z * cdiv(s, 16) * 16", "d"], ["z * cdiv(s, 32) * 32", "d"]
    args = [array("q", rows, kind="f16"), array("k", keys, kind="f16"), array("v", keys, kind="f16"),
            array("out", rows, "out", "f16")]
    return recipe("experimental/swa_attention.py", "_swa_fwd_kernel", dims, args,
                  WINDOW.format(window=size, causal=causal), ["cdiv(s, 16)", "z"],
                  [SCALE, "s", number(size), number("cdiv(s, 16)"), number("cdiv(s, 32)"), *TILES, "d", number(causal)])


# Each query names the keys that it looks at, of which those that lie behind it do not count.
SPARSE = """
def reference(inputs, dims):
    q, k, v, qpe, kpe = doubles(inputs, "q", "k", "v", "qpe", "kpe")
    out = np.zeros(q.shape)
    for z, head, s in np.ndindex(q.shape[:3]):
        at = inputs["at"][z, s, head // dims["r"]]
        at = at[at <= s]
        kv = k[z, head // dims["r"], at], v[z, head // dims["r"], at]
        scores = (kv[0] @ q[z, head, s] + kpe[z, 0, at] @ qpe[z, head, s]) * 0.25
        out[z, head, s] = attention(scores[None], True, kv[1])[0]
    return {"out": out}
"""


def sparse(kind):
    """Tiles have two heads of queries and 16 keys; the host demands that they divide groups and numbers of keys. Every
    query must find a key, the first one too, so each names the first c keys.
    """
    dims = SQUARE | {"s": [48, 32, 64], "r": [2, 4], "e": [16], "c": [32, 16]}
    args = [array("q", QUERIES, kind=kind), array("k", SAME, kind=kind), array("v", SAME, kind=kind),
            array("at", ["z", "s", "h", "c"], kind="i32", fill={"kind": "sorted_indices", "high": "c"}),
            array("qpe", ["z", "h * r", "s", "e"], kind=kind), array("kpe", ["z", "1", "s", "e"], kind=kind),
            array("out", QUERIES, "out", kind)]
    return recipe("experimental/sparse_mla.py", "_sparse_mla_fwd_kernel", dims, args, SPARSE,
                  ["s", "z * h * r // 2"], [SCALE, "d", "e", number("h * r"), number(16), number("c // 16"), "r",
                                            number(2), number("h * r // 2")], valid=["c <= s"])


KERNELS = [
    mla("f32", True), mla("f16", False),
    sinks("f32", 0), sinks("f16", 20),
    gemma("f32", True, 0, 0), gemma("f16", True, 25, 0), gemma("f32", False, 20, 5), gemma("f16", True, 0, 3),
    window(1, 20), window(0, 30),
    sparse("f32"), sparse("f16"),
]
