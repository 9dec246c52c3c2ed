"""Mixtures of experts of NVIDIA/TileGym: src/tilegym/ops/cutile."""

from recipe_forms import arrays_of, number

array = arrays_of("i32")

CUTILE = "src/tilegym/ops/cutile/"
ALIGN = CUTILE + "moe_align_block.py"
STAGE = "_moe_align_block_size_stage{}_kernel"

# n choices among e experts are divided among e blocks, and each expert's choices are filled up to whole groups of 8.
DIMS = {"n": {"values": [50], "min": 1, "max": 120}, "e": {"values": [6], "min": 1, "max": 9}}
GROUP = 8
SHARE = number("cdiv(n, e)")
EXPERTS = array("experts", ["n"], fill={"kind": "range", "high": "e"})
COUNTS = ["(e + 1) * e"]

# Row i + 1 counts the choices of block i.
COUNT = """
import numpy as np
def reference(inputs, dims):
    n, e = dims["n"], dims["e"]
    counts = np.zeros((e + 1, e), dtype=np.int64)
    np.add.at(counts, (np.arange(n) // -(-n // e) + 1, inputs["experts"]), 1)
    return {"counts": counts.ravel()}
"""
SUM = """
import numpy as np
def reference(inputs, dims):
    counts = inputs["counts"].reshape(-1, dims["e"]).astype(np.int64)
    counts[1:] = counts[1:].cumsum(axis=0)
    return {"counts": counts.ravel()}
"""
# Sizes of all groups come from the last row.
ENDS = """
import numpy as np
def ends(counts, group):
    return np.concatenate([[0], (-(-counts // group) * group).cumsum()])
"""
TOTAL = ENDS + """
def reference(inputs, dims):
    last = inputs["counts"].reshape(-1, dims["e"])[-1].astype(np.int64)
    made = ends(last, {group})
    return {{"total": made[-1:], "most": last.max(keepdims=True), "ends": made}}
"""
# The last kernel counts on, so that row i says in the end how many choices blocks 0 to i had.
SORTED = ENDS + """
def reference(inputs, dims):
    n, e = dims["n"], dims["e"]
    table = np.zeros((e + 1, e), dtype=np.int64)
    np.add.at(table, (np.arange(n) // -(-n // e), inputs["experts"]), 1)
    table = table.cumsum(axis=0)
    counts = np.bincount(inputs["experts"], minlength=dims["e"])
    made = ends(counts, {group})
    order, owner = inputs["order"].astype(np.int64), inputs["owner"].astype(np.int64)
    for expert in range(dims["e"]):
        order[made[expert]:made[expert] + counts[expert]] = np.flatnonzero(inputs["experts"] == expert)
        owner[made[expert] // {group}:made[expert + 1] // {group}] = expert
    return {{"order": order, "owner": owner, "total": made[-1:], "most": counts.max(keepdims=True), "ends": made,
            "counts": table.ravel()}}
"""
ENDS_OUT = array("ends", ["e + 1"], "inout", fill="zeros")
NUMBERS = [array("total", ["1"], "out"), array("most", ["1"], "out")]
ROOM = f"n + e * {GROUP - 1}"


def launch(stage, grid, names, constants):
    return {"entry": STAGE.format(stage), "grid": grid, "args": names + constants}


COUNTING = launch(1, ["e"], ["experts", "counts"], ["e", "n", SHARE])
SUMMING = launch(2, ["e"], ["counts"], ["e", number("pow2ceil(e)")])
TOTALLING = launch(3, ["1"], ["total", "most", "counts", "ends"], ["e", number(GROUP)])
SORTING = launch(4, ["e"], ["experts", "order", "owner", "counts", "ends"], ["e", number(GROUP), "n", SHARE])


def align(stage, args, reference, launches):
    return {"file": ALIGN, "kernel": STAGE.format(stage), "dims": DIMS, "args": args,
            "reference": reference.format(group=GROUP) if "{{" in reference else reference, "launches": launches}


SOME = {"kind": "range", "low": 0, "high": 20}

# t tokens, each of which goes to two of e experts: `order` has the numbers of all choices, and others that stand for
# none. Every tile of 16 choices has one expert, which need not be the same for a choice in the next run.
MOE = """
import numpy as np
def reference(inputs, dims):
    a, b, weight = (inputs[name].astype(np.float64) for name in ("a", "b", "weight"))
    a = a.reshape(dims["t"], -1)
    c = np.zeros((2 * dims["t"], dims["n"]))
    for i, choice in enumerate(inputs["order"]):
        if choice < len(c):
            c[choice] = b[inputs["expert"][i // 16]] @ a[choice // 2] * (weight[choice] if {weighted} else 1)
    return {{"c": c}}
"""
TILES = "cdiv(2 * t, 16) + 2"


def moe(kind, weighted):
    """The number of columns of the factors is a multiple of a tile's, as the kernel does not mask them."""
    dims = {"t": {"values": [20], "min": 1, "max": 40}, "e": {"values": [4], "min": 1, "max": 6},
            "n": {"values": [50], "min": 1, "max": 70}, "k": {"values": [64], "min": 32, "max": 96, "multiple_of": 32}}
    args = [array("a", ["t * k"], kind=kind), array("b", ["e", "n", "k"], kind=kind),
            array("c", ["2 * t", "n"], "out", kind), array("weight", ["2 * t"], kind="f32"),
            array("order", [f"16 * ({TILES})"], fill="permutation"),
            array("expert", [TILES], fill={"kind": "range", "high": "e"}),
            array("used", ["1"], fill={"kind": "range", "low": f"16 * ({TILES})", "high": f"16 * ({TILES}) + 1"})]
    names = ["a", "b", "c", "a", "b", "weight", "order", "expert", "used"]
    constants = ["n", "k", number(f"16 * ({TILES})"), number("2 * t"), number(0), number(0), number(16), number(32),
                 number(32), number(4), number(weighted), number(2), number(0), number(0), number(1), "k"]
    return {"file": CUTILE + "moe.py", "kernel": "_fused_moe_kernel", "dims": dims, "args": args,
            "reference": MOE.format(weighted=weighted),
            "launches": [{"grid": [f"({TILES}) * cdiv(n, 32)"], "args": names + constants}]}


KERNELS = [
    align(1, [EXPERTS, array("counts", COUNTS, "inout", fill="zeros")], COUNT, [COUNTING]),
    align(2, [array("counts", COUNTS, "inout", fill=SOME)], SUM, [SUMMING]),
    align(3, [*NUMBERS, array("counts", COUNTS, fill=SOME), ENDS_OUT], TOTAL, [TOTALLING]),
    # The last kernel needs what the others make.
    align(4, [EXPERTS, array("order", [ROOM], "inout", fill={"kind": "iota", "start": "n", "step": 0}),
              array("owner", [f"cdiv({ROOM}, {GROUP})"], "inout", fill="zeros"), *NUMBERS, ENDS_OUT,
              array("counts", COUNTS, "inout", fill="zeros")],
          SORTED, [COUNTING, SUMMING, TOTALLING, SORTING]),
    moe("f16", 0), moe("f32", 1),
]
