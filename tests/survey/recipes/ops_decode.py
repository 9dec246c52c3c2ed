"""Attention of one query to parts of its keys, of NVIDIA/TileGym: src/tilegym/ops/cutile."""

from recipe_forms import array, number

CUTILE = "src/tilegym/ops/cutile/"


def recipe(file, kernel, dims, args, reference, grid, names, constants):
    return {"file": CUTILE + file, "kernel": kernel, "dims": dims, "args": args, "reference": COMMON + reference,
            "launches": [{"grid": grid, "args": [*names, *constants]}]}


# z sequences, h heads of keys for each of which there are r heads of queries, t keys of d numbers. Keys are divided
# into parts. The kernels take as many tiles for each part, and the last part must have a key in each of them.
DIMS = {"z": {"values": [2], "min": 1, "max": 2}, "h": {"values": [2], "min": 1, "max": 3},
        "r": {"values": [3], "min": 1, "max": 9}, "d": [16, 32]}
RAGGED = {"t": {"values": [100], "min": 1, "max": 150}}
WHOLE = {"t": {"values": [192], "min": 64, "max": 256, "multiple_of": 64}}
SCALE = number(0.25, "f32")
TILE = 32

# The results of the parts, and the logarithms to base 2 of their sums of weights.
COMMON = """
import numpy as np
def doubles(inputs, *names):
    return [inputs[name].astype(np.float64) for name in names]
def parted(scores, v, size):
    made = []
    for at in range(0, v.shape[-2], size):
        part = scores[..., at:at + size]
        top = part.max(axis=-1, keepdims=True)
        p = np.exp(part - top)
        total = p.sum(axis=-1, keepdims=True)
        made.append((p @ v[..., at:at + size, :] / total, ((top + np.log(total)) / np.log(2))[..., 0]))
    return [np.stack(each, axis=axis) for each, axis in zip(zip(*made), (-2, -1))]
"""


def grouped(kind, part, lse="f32"):
    """Heads of queries that share a head of keys are rows of one tile."""
    parts = f"cdiv(t, {part})"
    return [array("q", ["z", "h", "r", "d"], kind=kind), array("k", ["z", "h", "t", "d"], kind=kind),
            array("v", ["z", "h", "t", "d"], kind=kind), array("out", ["z", "h", "r", parts, "d"], "out", kind),
            array("lse", ["z", "h", "r", parts], "out", lse)]


STRIDES = [number(0)] * 5
SIZES = ["z", number("h * r"), "h", "t"]
HEADS = ["r", number("max(8, pow2ceil(r))")]

FLASH = """
def reference(inputs, dims):
    q, k, v = doubles(inputs, "q", "k", "v")
    out, lse = parted(q @ k.swapaxes(2, 3) * 0.25, v, {part})
    return {{"out": out, "lse": lse}}
"""


def flash(kind, part, keys, groups={}):
    return recipe("flash_decode.py", "_attention_decode_kernel_grouped", DIMS | keys | groups, grouped(kind, part),
                  FLASH.format(part=part), ["z", "h", f"cdiv(t, {part})"], ["q", "k", "v", "out", "lse"],
                  [SCALE, *STRIDES, *SIZES, "d", number(TILE), number(part), *HEADS, number(f"cdiv(t, {part})")])


GEMMA = """
def reference(inputs, dims):
    q, k, v = doubles(inputs, "q", "k", "v")
    scores = q @ k.swapaxes(2, 3) * 0.25
    if {cap}:
        scores = np.tanh(scores / {cap}) * {cap}
    out, lse = parted(scores, v, {part})
    return {{"out": out, "lse": lse}}
"""


# Two kernels round the logarithms to the type of the queries, f16 here, though they store them as f32.
HALF = {"tolerance": {"rtol": 2e-3, "atol": 2e-3}}


def gemma(kind, part, cap):
    return recipe("gemma_attention_decode.py", "_gemma_attention_decode_kernel_grouped", DIMS | WHOLE,
                  grouped(kind, part), GEMMA.format(part=part, cap=cap), ["z", "h", f"cdiv(t, {part})"],
                  ["q", "k", "v", "out", "lse"],
                  [SCALE, *SIZES, number(part), "d", number(TILE), *HEADS, number(f"cdiv(t, {part})"), number(0),
                   number(cap, "f32"), number(int(cap > 0))])


# The first part has the sink's share, too. Keys behind the query, and those before its window, do not count.
SINKS = """
def reference(inputs, dims):
    q, k, v, sinks = doubles(inputs, "q", "k", "v", "sinks")
    far = np.arange(dims["t"]) - inputs["start"][0]
    allowed = (far <= 0) & (far > -{window})
    out, lse = parted(np.where(allowed, q @ k.swapaxes(2, 3) * 0.25, -np.inf), v, {part})
    sink = sinks.reshape(dims["h"], dims["r"]) / np.log(2)
    if {has}:
        both = np.logaddexp2(lse[..., 0], sink)
        out[..., 0, :] *= np.exp2(lse[..., 0] - both)[..., None]
        lse[..., 0] = both
    return {{"out": out, "lse": lse}}
"""


# A part without keys would have the logarithm of zero: there are two parts at most, and the window reaches the first.
NEAR = {"t": {"values": [60], "min": 1, "max": 64}}


def sinks(kind, part, keys, window, has):
    args = [*grouped(kind, part), array("sinks", ["h * r"], kind=kind),
            array("start", ["1"], kind="i32", fill={"kind": "range", "low": "t - 1", "high": "t"})]
    return recipe("attention_sink_decode.py", "_attention_sink_decode_kernel", DIMS | keys, args,
                  SINKS.format(part=part, window=window or 1000, has=has), ["z", "h", f"cdiv(t, {part})"],
                  ["q", "k", "v", "sinks", "out", "lse", "start"],
                  [SCALE, *STRIDES, *SIZES, number(part), "d", number(TILE), *HEADS, number(f"cdiv(t, {part})"),
                   number(window), number(has)])


# Keys are values as well, and all heads have the same.
LATENT = {"z": DIMS["z"], "h": {"values": [20], "min": 1, "max": 40}, "d": [16, 32], "e": [16, 32]}
MLA = """
def reference(inputs, dims):
    q, qpe, kv, kpe = doubles(inputs, "q", "qpe", "kv", "kpe")
    out, lse = parted((q @ kv.swapaxes(1, 2) + qpe @ kpe.swapaxes(1, 2)) * 0.25, kv, {part})
    return {{"out": out.reshape({out}), "lse": lse.reshape({lse})}}
"""


def latent(kind):
    return [array("q", ["z", "h", "d"], kind=kind), array("qpe", ["z", "h", "e"], kind=kind),
            array("kv", ["z", "t", "d"], kind=kind), array("kpe", ["z", "t", "e"], kind=kind)]


def mla(kind):
    args = [*latent(kind), array("out", ["z", "h", "d"], "out", kind), array("lse", ["z", "h"], "out")]
    return recipe("mla_decoding.py", "_naive_absorb_mla_transpose_kernel", LATENT | WHOLE, args,
                  MLA.format(part=1000, out='dims["z"], dims["h"], -1', lse='dims["z"], dims["h"]'),
                  ["cdiv(h, 16)", "z"], ["q", "qpe", "kv", "kv", "kpe", "out", "lse"],
                  [SCALE, "d", number(16), number(TILE), "e", "t", number("t % 32 == 0")])


def mla_parts(kind, part, keys):
    parts = f"cdiv(t, {part})"
    args = [*latent(kind), array("out", ["z", "h", parts, "d"], "out", kind), array("lse", ["z", "h", parts], "out")]
    return recipe("mla_decoding_split_kv.py", "_naive_absorb_mla_transpose_kernel", LATENT | keys, args,
                  MLA.format(part=part, out="out.shape", lse="lse.shape"), ["cdiv(h, 16)", "z", parts],
                  ["q", "qpe", "kv", "kv", "kpe", "out", "lse"],
                  [SCALE, "z", "h", "t", number(parts), number(part), "d", number(16), number(TILE), "e",
                   number("t % 32 == 0")])


KERNELS = [
    flash("f32", 32, RAGGED), flash("f16", 64, WHOLE), flash("f16", 32, RAGGED, {"r": [8]}),
    gemma("f32", 64, 0), gemma("f16", 32, 3) | HALF,
    sinks("f32", 32, RAGGED, 0, 1), sinks("f32", 32, NEAR, 40, 0), sinks("f16", 32, NEAR, 40, 1) | HALF,
    mla("f32"), mla("f16"),
    mla_parts("f32", 64, RAGGED), mla_parts("f16", 32, RAGGED), mla_parts("f16", 64, WHOLE),
]
