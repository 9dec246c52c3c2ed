"""Products of matrices of NVIDIA/TileGym: src/tilegym/ops, julia and examples of its skills."""

from recipe_forms import array, number

CUTILE = "src/tilegym/ops/cutile/"
TO_TRITON = "skills/tilegym-converting-cutile-to-triton/examples/04_matmul/"
TO_JULIA = "skills/tilegym-converting-cutile-to-julia/examples/02_matmul/"
TUNED = "skills/tilegym-cutile-autotuning/assets/examples/02_matmul_full_search/"
SKILL = "skills/tilegym-cutile-python/examples/matmul/"

# Kernels that take products of f32 on tensor cores round both factors to tf32, which keeps 10 bits of 23.
TF32 = """
import numpy as np
def rounded(x):
    if x.dtype != np.float32:
        return x.astype(np.float64)
    bits = x.view(np.uint32).astype(np.uint64)
    return ((bits + 0x1000) & 0xffffe000).astype(np.uint32).view(np.float32).astype(np.float64)
"""
PRODUCT = TF32 + """
def reference(inputs, dims):
    a, b = rounded(inputs["a"]), rounded(inputs["b"])
    return {{"c": {expression}}}
"""
# The same without rounding.
EXACT = """
import numpy as np
def reference(inputs, dims):
    a, b = inputs["a"].astype(np.float64), inputs["b"].astype(np.float64)
    return {{"c": {expression}}}
"""

DIMS = {"m": {"values": [70], "min": 1, "max": 200}, "n": {"values": [50], "min": 1, "max": 100},
        "k": {"values": [90], "min": 1, "max": 150}}
BATCH = DIMS | {"z": {"values": [3], "min": 1, "max": 4}}
TILES = [number(16), number(32), number(32)]
COUNT = "cdiv(m, 16) * cdiv(n, 32)"


def product(file, kernel, kind, grid, constants, shapes=(["m", "k"], ["k", "n"], ["m", "n"]), expression="a @ b",
            reference=PRODUCT, dims=DIMS, **more):
    args = [array(name, shape, "out" if name == "c" else "in", kind) for name, shape in zip("abc", shapes)]
    return {"file": file, "kernel": kernel, "dims": dims, "args": args,
            "reference": reference.format(expression=expression),
            "launches": [{"grid": grid, "args": ["a", "b", "c", *constants]}]} | more


def persistent(kind, turned_a, turned_b, latency):
    """Either factor may lie transposed in memory."""
    shapes = ["k", "m"] if turned_a else ["m", "k"], ["n", "k"] if turned_b else ["k", "n"], ["m", "n"]
    expression = ("a.T" if turned_a else "a") + " @ " + ("b.T" if turned_b else "b")
    return product(CUTILE + "matmul.py", "_static_persistent_matmul_kernel", kind, [f"min({COUNT}, 5)"],
                   ["m", "n", "k", *TILES, number(int(turned_a)), number(int(turned_b)), number(2), number(latency)],
                   shapes, expression)


def bmm(kind):
    return product(CUTILE + "bmm.py", "_bmm_kernel", kind, ["cdiv(m, 16)", "cdiv(n, 32)", "z"], TILES,
                   (["z", "m", "k"], ["z", "k", "n"], ["z", "m", "n"]), dims=BATCH, reference=EXACT)


def persistent_bmm(kind, turned_a, turned_b):
    shapes = (["z", "k", "m"] if turned_a else ["z", "m", "k"], ["z", "n", "k"] if turned_b else ["z", "k", "n"],
              ["z", "m", "n"])
    turned = ".transpose(0, 2, 1)"
    expression = "a" + turned * turned_a + " @ b" + turned * turned_b
    return product(CUTILE + "bmm.py", "_static_persistent_bmm_kernel", kind, [f"min(z * {COUNT}, 7)"],
                   ["z", "m", "n", "k", *TILES, number(2), number(int(turned_a)), number(int(turned_b))],
                   shapes, expression, dims=BATCH, reference=EXACT)


def triton(kernel, kind):
    strides = ["k", number(1), "n", number(1), "n", number(1)]
    return product(TO_TRITON + "triton_kernel.py", kernel, kind, ["cdiv(m, 16)", "cdiv(n, 32)"],
                   ["m", "n", "k", *strides, *TILES], language="triton")


def julia(file, kind):
    """Columns lie along the last dimension of the memory, so the memory holds the transposed matrices."""
    return product(file, "matmul_kernel", kind, [COUNT], TILES, (["k", "m"], ["n", "k"], ["n", "m"]), "b @ a",
                   language="cutile_jl")


# The host chooses groups of rows of tiles that divide the number of such rows.
GROUP = number("gcd(cdiv(m, 16), 4)")
FOUR = {"p": {"values": [2], "min": 1, "max": 3}, "q": {"values": [3], "min": 1, "max": 4},
        "m": {"values": [70], "min": 1, "max": 130}, "n": {"values": [50], "min": 1, "max": 70},
        "k": {"values": [90], "min": 1, "max": 100}}


def four(kind):
    """The kernel takes the tiles' sizes in another order."""
    return product(SKILL + "matmul_4d_tensors.py", "matmul_kernel", kind, [f"min(p * q * {COUNT}, 9)"],
                   [number("p * q"), "q", "m", "n", number(16), number(32), number(32), GROUP],
                   (["p", "q", "m", "k"], ["p", "q", "k", "n"], ["p", "q", "m", "n"]), dims=FOUR, reference=EXACT)


def split(kind):
    """Four parts of a sum are added to the same zeros. The host demands that the parts are equal."""
    made = product(SKILL + "split_k_gemm.py", "split_gemm", kind, [f"min(4 * {COUNT}, 9)"],
                   [number("cdiv(m, 16)"), number("cdiv(n, 32)"), number(4), number("k // 128"), number(f"4 * {COUNT}"),
                    *TILES, GROUP], dims=DIMS | {"k": {"values": [256], "min": 128, "max": 384, "multiple_of": 128}},
                   reference=EXACT)
    made["args"][2] = array("c", ["m", "n"], "inout", "f32", fill="zeros")
    return made


def gemv(kind):
    return product(SKILL + "matrix_vector_multiplication.py", "cutile_gemv_kernel", kind, ["min(cdiv(m, 16), 3)"],
                   ["m", number(16), number(32)], (["m", "k"], ["k"], ["m"]), reference=EXACT)


# Sums of parts, each of which was weighted by its own softmax: their weights are powers of two.
PARTS = """
import numpy as np
def reference(inputs, dims):
    lse = inputs["lse"].astype(np.float64)
    w = np.exp2(lse - lse.max(axis=2, keepdims=True))
    w /= w.sum(axis=2, keepdims=True)
    return {"out": (w[..., None] * inputs["part"].astype(np.float64)).sum(axis=2)}
"""


def splitk_reduce(kind, dot):
    dims = {"b": {"values": [2], "min": 1, "max": 3}, "h": {"values": [3], "min": 1, "max": 4},
            "s": {"values": [5], "min": 1, "max": 17}, "d": {"values": [40], "min": 1, "max": 150}}
    args = [array("part", ["b", "h", "s", "d"], kind=kind), array("lse", ["b", "h", "s"]),
            array("out", ["b", "h", "d"], "out", kind)]
    return {"file": CUTILE + "splitk_reduce.py", "kernel": "_splitk_reduce_kernel", "dims": dims, "args": args,
            "reference": PARTS,
            "launches": [{"grid": ["b", "h", "cdiv(d, 16)"], "args": [
                "part", "lse", "out", "b", number(1000), "h", "d", "s", number("pow2ceil(s)"), number(16),
                number(dot)]}]}


KERNELS = [
    product(CUTILE + "matmul.py", "_matmul_kernel", "f32", [COUNT], TILES),
    product(CUTILE + "matmul.py", "_matmul_kernel", "f16", [COUNT], TILES),
    persistent("f16", False, False, -1), persistent("f32", True, False, 3), persistent("bf16", False, True, -1),
    persistent("f32", True, True, -1),
    bmm("f16"), bmm("f32"),
    persistent_bmm("f16", False, False), persistent_bmm("f32", True, False), persistent_bmm("bf16", False, True),
    product(TO_TRITON + "cutile_kernel.py", "matmul_kernel", "f32", [COUNT], TILES),
    product(TO_JULIA + "cutile_python.py", "matmul_kernel", "f16", ["cdiv(m, 16)", "cdiv(n, 32)"], TILES),
    product(TUNED + "autotuned_launch.py", "matmul_kernel", "f32", [COUNT], TILES),
    product(TUNED + "fixed_launch.py", "matmul_kernel", "bf16", [COUNT], TILES),
    julia(TO_JULIA + "cutile_julia.jl", "f32"), julia("julia/kernels/matmul.jl", "f32"),
    julia("julia/kernels/matmul.jl", "f16"),
    triton("matmul_kernel", "f32"), triton("matmul_kernel_autotuned", "f16"),
    four("f16"), split("f32"), gemv("f16"), gemv("f32"),
    splitk_reduce("f32", 0), splitk_reduce("f16", 1), splitk_reduce("bf16", 0),
]
