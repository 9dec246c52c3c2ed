"""Products of matrices of NVIDIA/TileGym: src/tilegym/suites/flashinfer and src/tilegym/suites/unsloth."""

from recipe_forms import arrays_of, number, wanted

array = arrays_of("f16")

GEMM = "src/tilegym/suites/flashinfer/cutile/gemm/"
GROUPED = "src/tilegym/suites/unsloth/cutile/grouped_gemm.py"

# Blocks of 16 rows, 32 columns and 16 numbers of the sum, in groups of two rows of blocks; three blocks work in all.
BLOCKS = [number(16), number(32), number(16), number(2)]
GRID = ["3"]

ALPHA_BETA = """
import numpy as np
def reference(inputs, dims):
    a, b, c = (inputs[name].astype(np.float64) for name in ("a", "b", "c"))
    return {{"c": 1.5 * (a{a} @ b{b}) + 0.5 * c}}
"""
SIZES = {"m": wanted(70, 1, 100), "n": wanted(50, 1, 90), "k": wanted(40, 1, 60)}
# With two halves of a block stored one by one, the second half must not lie beyond the last column.
HALVES = SIZES | {"n": wanted(64, 32, 96, multiple_of=32)}


def turned(shape, transposed):
    return shape[:-2] + shape[:-3:-1] if transposed else shape


def mark(transposed):
    return ".swapaxes(-1, -2)" if transposed else ""


def alpha_beta(a, b, halves):
    args = [array("a", turned(["m", "k"], a)), array("b", turned(["k", "n"], b)), array("c", ["m", "n"], "inout")]
    return {"file": GEMM + "gemm_alpha_beta.py", "kernel": "_gemm_alpha_beta_kernel",
            "dims": HALVES if halves else SIZES, "args": args, "reference": ALPHA_BETA.format(a=mark(a), b=mark(b)),
            "launches": [{"grid": GRID, "args": ["a", "b", "c", number(1.5, "f32"), number(0.5, "f32"), number(int(a)),
                                                 number(int(b)), *BLOCKS, number(int(halves))]}]}


# Only blocks of rows that begin before the number of valid rows of a batch are written.
MASKED = """
import numpy as np
def reference(inputs, dims):
    c = inputs["a"].astype(np.float64){a} @ inputs["b"].astype(np.float64){b}
    first = np.arange(dims["m"]) // 16 * 16
    return {{"c": np.where((first < inputs["valid"][:, None])[:, :, None], c, 0)}}
"""
BATCHES = {"q": wanted(3, 1, 4)} | SIZES


def masked(a, b):
    args = [array("a", turned(["q", "m", "k"], a)), array("b", turned(["q", "k", "n"], b)),
            array("c", ["q", "m", "n"], "inout", fill="zeros"),
            array("valid", ["q"], kind="i32", fill={"kind": "range", "high": "m + 1"})]
    return {"file": GEMM + "masked_bmm.py", "kernel": "_masked_bmm_kernel", "dims": BATCHES, "args": args,
            "reference": MASKED.format(a=mark(a), b=mark(b)),
            "launches": [{"grid": GRID, "args": ["a", "b", "c", "valid", number(int(a)), number(int(b)), *BLOCKS]}]}


# The rows of a belong to batches of any size, one after the other; each batch has its own b.
RAGGED = """
import numpy as np
def reference(inputs, dims):
    a, b, offsets = inputs["a"].astype(np.float64){a}, inputs["b"].astype(np.float64){b}, inputs["offsets"]
    c = np.zeros((dims["t"], dims["n"]))
    for q in range(dims["q"]):
        rows = slice(offsets[q], offsets[q + 1])
        c[rows] = a[rows] @ b[q]
    return {{"c": c}}
"""
ROWS = {"q": wanted(4, 1, 5), "t": wanted(90, 1, 130), "n": wanted(50, 1, 90), "k": wanted(40, 1, 60)}
OFFSETS = array("offsets", ["q + 1"], kind="i32", fill={"kind": "sorted_offsets", "low": 0, "high": "t"})
# No batch is larger than all rows together.
LARGEST = array("largest", ["1"], kind="i32", fill={"kind": "iota", "start": "t"})


def ragged(kernel, a, b):
    args = [array("a", turned(["t", "k"], a)), array("b", turned(["q", "k", "n"], b)), array("c", ["t", "n"], "out"),
            OFFSETS, LARGEST]
    return {"file": GEMM + "ragged_bmm.py", "kernel": kernel, "dims": ROWS, "args": args,
            "reference": RAGGED.format(a=mark(a), b=mark(b)),
            "launches": [{"grid": GRID, "args": ["a", "b", "c", "offsets", "q", "t", "largest", "n", number(int(a)),
                                                 number(int(b)), *BLOCKS]}]}


# As before, with one scale for 32 numbers of a row of a, and one for 32 by 32 numbers of b.
SCALED = """
import numpy as np
def reference(inputs, dims):
    a, b, offsets = inputs["a"].astype(np.float64), inputs["b"].astype(np.float64), inputs["offsets"]
    if {scaled}:
        a = a * np.repeat(inputs["a_scale"], 32, axis=1)[:, :dims["k"]]
    scale = np.repeat(np.repeat(inputs["b_scale"], 32, axis=1), 32, axis=2)
    b = b * scale[:, :dims["n"], :dims["k"]]
    c = np.zeros((dims["t"], dims["n"]))
    for q in range(dims["q"]):
        rows = slice(offsets[q], offsets[q + 1])
        c[rows] = a[rows] @ b[q].T
    return {{"c": c}}
"""
SCALES = {"kind": "uniform", "low": 0.5, "high": 2}


def scaled(kernel, with_a):
    """The kernel that goes through the batches one by one does not read the size of the largest."""
    args = [array("a", ["t", "k"], kind="f8e4m3"), array("b", ["q", "n", "k"], kind="f8e4m3")]
    args += [array("a_scale", ["t", "cdiv(k, 32)"], kind="f32", fill=SCALES)] * with_a
    args += [array("b_scale", ["q", "cdiv(n, 32)", "cdiv(k, 32)"], kind="f32", fill=SCALES),
             array("c", ["t", "n"], "out", "bf16"), OFFSETS]
    swapped = "swap" in kernel
    return {"file": GEMM + "ragged_block_scaled_bmm.py", "kernel": kernel, "dims": ROWS,
            "args": args + [LARGEST] * swapped, "reference": SCALED.format(scaled=with_a),
            "launches": [{"grid": GRID, "args": [
                "a", "b", "a_scale" if with_a else "b_scale", "b_scale", "c", "offsets", "q", "t",
                "largest" if swapped else "offsets", "n", number(int(with_a)), number(16), number(32), number(32),
                number(2)]}]}


# A mixture of experts: each expert takes the next rows in a sorted order, and `at` says where a row was before. Rows
# that no expert takes stay as they were.
EXPERTS = """
import numpy as np

def reference(inputs, dims):
    sizes, at = inputs["sizes"], inputs["at"]
    w = inputs["w"].astype(np.float64).reshape(dims["e"], dims["n"], dims["k"]) if "w" in inputs else None
    x, dy = (inputs[name].astype(np.float64) if name in inputs else None for name in ("x", "dy"))
    out = {out}
    first = 0
    for e in range(dims["e"]):
        rows = np.arange(first, first + sizes[e])
        first += sizes[e]
        {step}
    return {{"{name}": out}}
"""
TOKENS = {"e": wanted(3, 1, 4), "t": wanted(60, 8, 80, multiple_of=2), "n": wanted(40, 1, 50), "k": wanted(24, 1, 40)}
TAKEN = [array("sizes", ["e"], kind="i32", fill={"kind": "range", "high": "t // e + 1"}),
         array("at", ["t"], kind="i32", fill="permutation")]
WEIGHTS = array("w", ["e * n", "k"])
EXPERT_BLOCKS = [number(16), number(32), number(16)]
# Nothing is permuted, or the rows of the inputs, two of which are the same token, or the rows of the outputs.
PLACES = {"none": ("rows", "rows"), "x": ("at[rows] // 2", "rows"), "y": ("rows", "at[rows]")}


def experts(kernel, args, permuted, out, step, sizes, last):
    """The name of the last of `args` is that of the output."""
    x, y = PLACES[permuted]
    flags = [number(int(permuted == each)) for each in "xy"]
    dx = "at[rows]" if permuted == "x" else "rows"
    names = [each["name"] for each in args]
    return {"file": GROUPED, "kernel": kernel, "dims": TOKENS, "args": args + TAKEN,
            "reference": EXPERTS.format(out=out, step=step.format(x=x, y=y, dx=dx), name=names[-1]),
            "launches": [{"grid": last["grid"], "args": names + ["sizes", "at"] + sizes + EXPERT_BLOCKS + flags
                          + last["args"]}]}


def forward(permuted):
    args = [array("x", ["t // 2" if permuted == "x" else "t", "k"]), WEIGHTS,
            array("y", ["t", "n"], "inout", fill="zeros")]
    return experts("_grouped_gemm_fwd_kernel_ct", args, permuted, "np.zeros((dims['t'], dims['n']))",
                   "out[{y}] = x[{x}] @ w[e].T", ["n", "k", "t", "e", number(3)], {"grid": GRID, "args": [number(2)]})


def inputs_back(permuted):
    args = [array("dy", ["t", "n"]), WEIGHTS, array("dx", ["t", "k"], "inout", fill="zeros")]
    return experts("_grouped_gemm_dX_kernel_ct", args, permuted, "np.zeros((dims['t'], dims['k']))",
                   "out[{dx}] = dy[{y}] @ w[e]", ["n", "k", "t", "e", number(3)], {"grid": GRID, "args": []})


KERNELS = [
    alpha_beta(False, False, False), alpha_beta(True, True, False), alpha_beta(False, True, True),
    masked(False, True), masked(True, False),
    ragged("_ragged_bmm_kernel", False, True), ragged("_ragged_bmm_kernel", True, False),
    ragged("_ragged_bmm_swap_ab_kernel", False, True), ragged("_ragged_bmm_swap_ab_kernel", True, False),
    scaled("_ragged_block_scaled_bmm_kernel", True), scaled("_ragged_block_scaled_bmm_kernel", False),
    scaled("_ragged_block_scaled_bmm_swap_ab_kernel", True), scaled("_ragged_block_scaled_bmm_swap_ab_kernel", False),
    *(make(permuted) for make in (forward, inputs_back) for permuted in PLACES),
]
