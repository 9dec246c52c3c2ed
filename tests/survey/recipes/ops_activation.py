"""Activations, dropout and sums of NVIDIA/TileGym: src/tilegym/ops, julia and examples of its skills."""

from recipe_forms import array, number

CUTILE = "src/tilegym/ops/cutile/"
TRITON = "src/tilegym/ops/triton/"
TO_TRITON = "skills/tilegym-converting-cutile-to-triton/examples/"
TO_JULIA = "skills/tilegym-converting-cutile-to-julia/examples/"


def recipe(file, kernel, dims, args, expression, grid, constants, **more):
    """All arrays are the first arguments of the kernel, in the same order; `expression` gives the outputs."""
    reference = f"""
import numpy as np
def sigmoid(x):
    return 1 / (1 + np.exp(-x))
def reference(inputs, dims):
    x = {{name: value.astype(np.float64) for name, value in inputs.items()}}
    return {expression}
"""
    return {"file": file, "kernel": kernel, "dims": dims, "args": args, "reference": reference,
            "launches": [{"grid": grid, "args": [each["name"] for each in args] + constants}]} | more


FLAT = {"n": {"values": [5000], "min": 1, "max": 20000}}
ROWS = {"m": {"values": [5], "min": 1, "max": 9}, "n": {"values": [300], "min": 1, "max": 600}}
ROW = ["m", "n"]
PAIR = ["m", "2 * n"]
BLOCKS = ["cdiv(n, 1024)"]
WHOLE_ROW = number("pow2ceil(n)")
KILO = number(1024)


def relu(kind):
    return recipe(CUTILE + "activation/relu.py", "_relu_fwd_kernel", FLAT,
                  [array("x", ["n"], kind=kind), array("y", ["n"], "out", kind)],
                  '{"y": np.maximum(x["x"], 0)}', BLOCKS, ["n", KILO])


# Both modes compute the approximation by a hyperbolic tangent, and in the type of the input. There 1 + tanh cancels
# where x is negative, so an error is relative to x, not to the result.
GELU = '{"y": 0.5 * x["x"] * (1 + np.tanh(np.sqrt(2 / np.pi) * (x["x"] + 0.044715 * x["x"]**3)))}'


def gelu(mode):
    return recipe(CUTILE + "activation/gelu.py", "_gelu_kernel", FLAT, [array("y", ["n"], "out"), array("x", ["n"])],
                  GELU, BLOCKS, ["n", KILO, number(mode)])


SWIGLU = '{"c": x["a"] * sigmoid(x["a"]) * x["b"]}'
# The derivative of a * sigmoid(a) is s + a * s * (1 - s) with s = sigmoid(a).
SWIGLU_BACK = """{"da": x["dc"] * x["b"] * sigmoid(x["a"]) * (1 + x["a"] * (1 - sigmoid(x["a"]))),
            "db": x["dc"] * x["a"] * sigmoid(x["a"])}"""


def swiglu(kind, **more):
    return recipe(CUTILE + "swiglu.py", "_swiglu_forward_kernel", ROWS,
                  [array("a", ROW, kind=kind), array("b", ROW, kind=kind), array("c", ROW, "out", kind)],
                  SWIGLU, ["m"], [WHOLE_ROW], **more)


def swiglu_back(kind):
    """Each block has a part of one row."""
    args = [array(name, ROW, kind=kind) for name in ("dc", "a", "b")]
    args += [array(name, ROW, "out", kind) for name in ("da", "db")]
    return recipe(CUTILE + "swiglu.py", "_swiglu_backward_kernel", ROWS, args, SWIGLU_BACK, ["m", "cdiv(n, 128)"],
                  [number(128)])


# Both factors lie side by side in one array.
def beside(expression):
    return expression.replace('x["a"]', 'x["x"][:, :dims["n"]]').replace('x["b"]', 'x["x"][:, dims["n"]:]')


def silu_and_mul(kind):
    return recipe(CUTILE + "silu_and_mul.py", "_silu_and_mul_kernel_row_wise", ROWS,
                  [array("x", PAIR, kind=kind), array("c", ROW, "out", kind)],
                  beside(SWIGLU), ["m"], [WHOLE_ROW, "n"])


def silu_and_mul_back(kind):
    return recipe(CUTILE + "silu_and_mul.py", "_silu_and_mul_backward_kernel_row_wise", ROWS,
                  [array("dc", ROW, kind=kind), array("x", PAIR, kind=kind), array("da", ROW, "out", kind),
                   array("db", ROW, "out", kind)],
                  beside(SWIGLU_BACK), ["m"], [WHOLE_ROW, "n"])


# A number is kept where a hash of its place, which wraps at 32 bits, is large enough.
KEPT = """
import numpy as np
def reference(inputs, dims):
    with np.errstate(over="ignore"):
        h = np.arange(dims["n"], dtype=np.int32) * np.int32(1103515245) + np.int32({seed})
    h = h ^ (h >> 16)
    h = h ^ (h << 8)
    h = h ^ (h >> 4)
    kept = (h & 0x7FFFFFFF).astype(np.float32) / np.float32(2147483647) > np.float32({p})
    return {{"y": np.where(kept, inputs["x"] / (1 - {p}), 0)}}
"""


def dropout(p, training):
    made = recipe(CUTILE + "dropout.py", "_dropout_kernel", FLAT, [array("x", ["n"]), array("y", ["n"], "out")],
                  '{"y": x["x"]}', BLOCKS, [number(p, "f32"), number(-12345), KILO, number(training)])
    return made | ({"reference": KEPT.format(p=p, seed=-12345)} if training else {})


def seeded_dropout(p):
    """The last constant chooses the same hash instead of random numbers."""
    made = recipe(TRITON + "dropout.py", "_seeded_dropout", FLAT, [array("x", ["n"]), array("y", ["n"], "out")],
                  "", BLOCKS, ["n", number(p, "f32"), number(977), KILO, number(0)], language="triton")
    return made | {"reference": KEPT.format(p=p, seed=977)}


def add(file, kernel, kind, scalar, language="cutile"):
    """x + y * alpha, where y is an array or one number, and alpha is 0.5."""
    args = [array("x", ["n"], kind=kind)] + [array("y", ["n"], kind=kind)] * (not scalar)
    args += [array("c", ["n"], "out", kind)]
    expression = '{"c": x["x"] + 0.5 * ' + ("3}" if scalar else 'x["y"]}')
    constants = [number(3.0, "f32")] * scalar + [number(0.5, "f32"), KILO]
    return recipe(file, kernel, FLAT, args, expression, BLOCKS, constants, language=language)


def vector_add(file, language):
    return recipe(TO_TRITON + "01_vector_add/" + file, "vector_add_kernel", FLAT,
                  [array("a", ["n"]), array("b", ["n"]), array("c", ["n"], "out")], '{"c": x["a"] + x["b"]}',
                  BLOCKS, ["n", KILO], language=language)


def julia_adds(file):
    return [add(file, "add_kernel", "f32", False, "cutile_jl"), add(file, "add_kernel", "f16", False, "cutile_jl"),
            add(file, "add_scalar_kernel", "f32", True, "cutile_jl")]


KERNELS = [
    relu("f16"), relu("f32"),
    gelu(0), gelu(1),
    swiglu("f32"), swiglu("bf16"),
    swiglu_back("f32"), swiglu_back("f16"),
    silu_and_mul("f32"), silu_and_mul("f16"),
    silu_and_mul_back("f32"), silu_and_mul_back("bf16"),
    dropout(0.3, 0), dropout(0.3, 1), seeded_dropout(0.4),
    add(TO_JULIA + "01_add/cutile_python.py", "add_kernel", "f32", False),
    add(TO_JULIA + "01_add/cutile_python.py", "add_scalar_kernel", "f16", True),
    *julia_adds("julia/kernels/add.jl"), *julia_adds(TO_JULIA + "01_add/cutile_julia.jl"),
    vector_add("cutile_kernel.py", "cutile"), vector_add("triton_kernel.py", "triton"),
]
