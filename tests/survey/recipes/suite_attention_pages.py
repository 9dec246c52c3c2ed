"""Attention over pages and over sequences of any length of NVIDIA/TileGym: src/tilegym/suites/flashinfer."""

from recipe_forms import arrays_of, number, wanted

array = arrays_of("f16")

FOLDER = "src/tilegym/suites/flashinfer/cutile/"
DECODE, PREFILL = FOLDER + "fmha_decode_bsr.py", FOLDER + "fmha_prefill_bsr.py"

# Numbers of one size, so that no share is too small to matter.
SMALL = {"kind": "uniform", "low": -1, "high": 1}
SCALE, GAIN = 0.25, 2.0
SCALES = [number(SCALE, "f32"), number(GAIN, "f32")]

# Each sequence has a row of a table of four pages of 32 tokens, of which it uses the first `lengths`. Pages may belong
# to several sequences.
PAGE, PAGES = 32, 4
TABLE = array("table", [f"b * {PAGES}"], kind="i32", fill={"kind": "range", "high": "pages"})
LENGTHS = array("lengths", ["b"], kind="i32", fill={"kind": "range", "low": 1, "high": PAGE * PAGES + 1})

ATTENTION = f"""
import numpy as np

def tokens(cache, inputs, b):
    table = inputs["table"].reshape(-1, {PAGES})[b]
    pages = cache.astype(np.float64)[table]
    return pages.reshape(-1, *pages.shape[2:])

def attend(q, k, v, seen):
    x = np.where(seen, q @ k.T * {SCALE}, -np.inf)
    top = x.max(axis=1, keepdims=True)
    p = np.exp(x - top)
    total = p.sum(axis=1, keepdims=True)
    return p @ v / total * {GAIN}, (top + np.log(total))[:, 0]
"""
# One token of each sequence looks at all before it. With several parts, each has a result of its own, and the
# logarithm to the base two of its sum. A part behind the end of a sequence is not written.
GROUPED = ATTENTION + """
def reference(inputs, dims):
    q = inputs["q"].astype(np.float64)
    y = np.zeros(({parts}, *q.shape))
    lse = np.zeros((*q.shape[:2], {parts}))
    for b in range(dims["b"]):
        k, v = tokens(inputs["k"], inputs, b), tokens(inputs["v"], inputs, b)
        for part in range({parts}):
            rows = slice(part * {share}, min((part + 1) * {share}, inputs["lengths"][b]))
            for h in range(q.shape[1] if rows.start < rows.stop else 0):
                own = h // {group}
                made = attend(q[b, h:h + 1], k[rows, own], v[rows, own], True)
                y[part, b, h], lse[b, h, part] = made[0][0], made[1][0] / np.log(2)
    return {{"y": y, "lse": lse}} if {saved} else {{"y": y}}
"""
GROUP = 8
HEADS = {"b": wanted(3, 1, 4), "hk": wanted(2, 1, 3), "d": [16, 32], "pages": wanted(7, 4, 9)}
QUERIES = f"hk * {GROUP}"


def outputs(parts, heads):
    made = [array("y", [str(parts), "b", heads, "d"], "inout", fill="zeros")]
    return made + [array("lse", ["b", heads, str(parts)], "inout", "f32", fill="zeros")] * (parts > 1)


def grouped(parts, block, heads, turned, gather):
    """Blocks of `heads` queries and `block` keys, which lie on one page or on several."""
    cache = ["pages", str(PAGE), "hk", "d"]
    share = PAGE * PAGES // parts
    args = [array("q", ["b", QUERIES, "d"], fill=SMALL), array("k", cache, fill=SMALL), array("v", cache), LENGTHS,
            TABLE] + outputs(parts, QUERIES)
    names = [each["name"] for each in args] + ["table"] * (parts == 1)
    return {"file": DECODE, "kernel": "_decode_attention_kv_paged_kernel", "dims": HEADS, "args": args,
            "reference": GROUPED.format(parts=parts, share=share, group=GROUP, saved=parts > 1),
            "launches": [{"grid": ["b", f"hk * {GROUP // heads}", str(parts)], "args": names + SCALES + [
                "hk", number(PAGE), number(heads), number(block), "d", number(GROUP), number(parts),
                number(share if parts > 1 else -1), number(int(parts > 1)), number(PAGES), number(GROUP // heads),
                number(int(turned)), number(min(block, PAGE)), number(max(block // PAGE, 1)), number(int(gather))]}]}


# All heads share keys that are their own values; a second part of the keys only takes part in the scores.
SHARED = ATTENTION + """
def reference(inputs, dims):
    q = np.concatenate([inputs["q"], inputs["qr"]], axis=2).astype(np.float64)
    y = np.zeros(({parts}, *inputs["q"].shape))
    lse = np.zeros((*q.shape[:2], {parts}))
    for b in range(dims["b"]):
        v, k = tokens(inputs["k"], inputs, b), tokens(inputs["kr"], inputs, b)
        k = np.concatenate([v, k], axis=1)
        for part in range({parts}):
            rows = slice(part * {share}, min((part + 1) * {share}, inputs["lengths"][b]))
            if rows.start < rows.stop:
                y[part, b], sums = attend(q[b], k[rows], v[rows], True)
                lse[b, :, part] = sums / np.log(2)
    return {{"y": y, "lse": lse}} if {saved} else {{"y": y}}
"""
LATENT = {"b": wanted(3, 1, 4), "h": wanted(12, 1, 20), "d": [32], "r": [16], "pages": wanted(7, 4, 9)}


def shared(parts, block, turned, gather):
    share = PAGE * PAGES // parts
    args = [array("q", ["b", "h", "d"], fill=SMALL), array("qr", ["b", "h", "r"], fill=SMALL),
            array("k", ["pages", str(PAGE), "d"], fill=SMALL), array("kr", ["pages", str(PAGE), "r"], fill=SMALL),
            LENGTHS, TABLE] + outputs(parts, "h")
    names = ["q", "qr", "k", "k", "kr", "lengths", "table", "y", "lse" if parts > 1 else "table"]
    return {"file": DECODE, "kernel": "_decode_mla_kv_paged_kernel", "dims": LATENT, "args": args,
            "reference": SHARED.format(parts=parts, share=share, saved=parts > 1),
            "launches": [{"grid": ["b", "cdiv(h, 8)", str(parts)], "args": names + SCALES + [
                number(PAGE), number(8), number(block), "d", "r", "h", number(parts),
                number(share if parts > 1 else -1), number(int(parts > 1)), number(PAGES), number(min(block, PAGE)),
                number(max(block // PAGE, 1)), number(int(turned)), number(int(gather))]}]}


# All tokens of sequences of different lengths, one after the other with gaps that nothing writes; a token looks at
# those before it and at itself. Keys have some numbers more than values.
CAUSAL = ATTENTION + """
def reference(inputs, dims):
    q = inputs["q"].astype(np.float64)
    y, lse = np.zeros((*q.shape[:2], dims["d"])), np.zeros(q.shape[:2])
    for b in range(dims["b"]):
        n, first = inputs["count"][b], inputs["first"][b]
        rows = slice(first, first + n)
        k, v = ({keys} for name in "kv")
        for h in range(q.shape[1]):
            own = h // {group}
            y[rows, h], lse[rows, h] = attend(q[rows, h], k[:, own], v[:, own], np.tri(n, dtype=bool))
    return {{"y": y, "lse": lse}}
"""
SEQUENCES = {"b": wanted(3, 1, 3), "l": wanted(70, 17, 90), "hk": wanted(2, 1, 2), "d": [32]}
PAIR = 2
COUNT = array("count", ["b"], kind="i32", fill={"kind": "range", "low": 1, "high": "l + 1"})
FIRST = array("first", ["b"], kind="i32", fill={"kind": "iota", "step": "l"})
BLOCK_M, BLOCK_N = 32, 16
BLOCKS = f"cdiv(l, {BLOCK_M})"
# The longest sequences first: blocks are numbered through groups of two heads, and a rest of one.
ORDER = [number(f"hk * {PAIR}"), "b", "l", number(2), number(f"hk * {PAIR} * b // 2"), number(1)]


def causal(kernel, rest, paged):
    more = f"d + {rest}"
    rows = ["b * l", f"hk * {PAIR}"]
    cache = ["pages", str(PAGE), "hk"] if paged else ["b * l", "hk"]
    args = [array("q", [*rows, more], fill=SMALL), array("k", [*cache, more], fill=SMALL), array("v", [*cache, "d"]),
            COUNT, FIRST] + [TABLE] * paged
    args += [array("y", [*rows, "d"], "inout", fill="zeros"), array("lse", rows, "inout", "f32", fill="zeros")]
    names = ["q", "k", "v", "count", "count", "first"] + ["table"] * paged + ["y", "lse"]
    sizes = ["hk"] + [number(PAGE)] * paged + [number(BLOCK_M), number(BLOCK_N), "d", number(rest), number(PAIR)]
    sizes += [number(PAGES)] * paged + [number(1)] + [number(BLOCK_N)] * paged
    ordered = "_lpt_" in kernel
    heads = f"hk * {PAIR}"
    grid = [f"{BLOCKS} * {heads} * b"] if ordered else ["b", heads, BLOCKS] if paged else [BLOCKS, "b", heads]
    keys = "tokens(inputs[name], inputs, b)[:n]" if paged else "inputs[name].astype(np.float64)[rows]"
    return {"file": PREFILL, "kernel": kernel, "dims": SEQUENCES | ({"pages": wanted(7, 4, 9)} if paged else {}),
            "args": args, "reference": CAUSAL.format(keys=keys, group=PAIR),
            "launches": [{"grid": grid, "args": names + SCALES + sizes + ORDER * ordered}]}


KERNELS = [
    grouped(1, 16, 8, False, False), grouped(2, 16, 4, True, False), grouped(1, 64, 8, True, False),
    grouped(2, 64, 8, False, True),
    shared(1, 16, False, False), shared(2, 32, True, True), shared(1, 64, True, False), shared(2, 64, False, True),
    causal("_prefill_attention_paged_kernel", 0, True), causal("_prefill_attention_paged_kernel", 16, True),
    causal("_prefill_attention_paged_lpt_kernel", 16, True),
    causal("_prefill_attention_ragged_kernel", 0, False), causal("_prefill_attention_ragged_kernel", 16, False),
    causal("_prefill_attention_ragged_lpt_kernel", 0, False),
]
