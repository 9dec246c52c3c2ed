"""Numbers of eight bits in NVIDIA/TileGym: src/tilegym/suites/flashinfer and src/tilegym/suites/unsloth."""

from recipe_forms import array, number, real, wanted

FLASHINFER = "src/tilegym/suites/flashinfer/cutile/"
UNSLOTH = "src/tilegym/suites/unsloth/cutile/fp8.py"

# Each group of numbers is divided by its own scale, so that the largest becomes 224, which the kernels are told.
# (Outputs above half of the largest number of their type are not judged.) The scales of a row lie side by side, or
# those of a group of columns.
GROUPS = """
import numpy as np
def reference(inputs, dims):
    x = inputs["x"].astype(np.float64).reshape(-1, dims["group"])
    scale = np.maximum(np.abs(x).max(axis=1, keepdims=True), 1e-10) / 224
    if {powers}:
        scale = 2.0 ** np.ceil(np.log2(np.maximum(scale, 1e-10)))
    s = scale.reshape(dims["m"], -1)
    return {{"q": np.clip(x / scale, -224, 224).ravel(), "s": {scales}}}
"""
# The host code takes groups whose size is any divisor of a row's. The kernels look at the next power of two.
GROUPED = {"m": wanted(5, 1, 8), "c": wanted(3, 1, 5), "group": [32, 64]}
LENGTH = "m * c * group"


def groups(kernel, scales, powers, middle):
    args = [array("x", [LENGTH], kind="bf16"), array("q", [LENGTH], "out", "f8e4m3"), array("s", ["m * c"], "out")]
    limits = [real(1e-10), real(-224), real(224)]
    lengths = [number(LENGTH), number(LENGTH), number("m * c")]
    flag = [] if powers is None else [number(int(powers))]
    return {"file": FLASHINFER + "per_token_group_quant_8bit.py", "kernel": kernel, "dims": GROUPED, "args": args,
            "reference": GROUPS.format(powers=bool(powers), scales=scales),
            "launches": [{"grid": ["m * c"], "args": ["x", "q", "s", *middle, *limits, *flag, "group", *lengths]}]}


# Blocks of 64 numbers, and a scale of one where all numbers of a block are zero. The largest number becomes 448, which
# this kernel cannot be told otherwise; therefore its results have 16 bits here.
ACTIVATIONS = """
import numpy as np
def reference(inputs, dims):
    x = inputs["x"].astype(np.float64).reshape(-1, 64)
    top = np.abs(x).max(axis=1)
    scale = np.where(top == 0, 1, top / 448)
    return {"q": np.clip(x / scale[:, None], -448, 448).ravel(), "s": scale}
"""
BLOCK = 32
SCALES = {"kind": "uniform", "low": 0.5, "high": 2}
WEIGHTS = f"""
import numpy as np
def reference(inputs, dims):
    scale = np.repeat(np.repeat(inputs["s"], {BLOCK}, axis=0), {BLOCK}, axis=1)[:dims["m"], :dims["n"]]
    return {{"y": inputs["q"].astype(np.float64) * scale}}
"""
# One scale for so many numbers of a row of a, and one for a square of b.
PRODUCT = f"""
import numpy as np
def reference(inputs, dims):
    a = inputs["a"].astype(np.float64) * np.repeat(inputs["a_scale"], {BLOCK}, axis=1)[:, :dims["k"]]
    scale = np.repeat(np.repeat(inputs["b_scale"], {BLOCK}, axis=0), {BLOCK}, axis=1)
    return {{"c": a @ (inputs["b"].astype(np.float64) * scale[:dims["n"], :dims["k"]]).T}}
"""
SIZES = {"m": wanted(40, 1, 70), "n": wanted(72, 1, 100), "k": wanted(80, 1, 120)}
# The kernel that loads whole tiles says nothing of what lies beyond the last number of a sum.
WHOLE_SUMS = SIZES | {"k": wanted(96, 32, 128, multiple_of=BLOCK)}


def product(kernel, dims, kind, code, *last):
    args = [array("a", ["m", "k"], kind="f8e4m3"), array("b", ["n", "k"], kind="f8e4m3"),
            array("c", ["m", "n"], "out", kind), array("a_scale", ["m", f"cdiv(k, {BLOCK})"], fill=SCALES),
            array("b_scale", [f"cdiv(n, {BLOCK})", f"cdiv(k, {BLOCK})"], fill=SCALES)]
    return {"file": UNSLOTH, "kernel": kernel, "dims": dims, "args": args, "reference": PRODUCT,
            "launches": [{"grid": [f"cdiv(m, 16) * cdiv(n, {BLOCK})"], "args": [
                *(each["name"] for each in args), "m", "n", "k", number(BLOCK), number(BLOCK), number(16),
                number(BLOCK), number(BLOCK), number(2), number(code), *last]}]}


# Queries of h heads and keys of one head have a part that is turned, in pairs of neighbours, and a part that is not.
ROPE = """
import numpy as np

def turned(x, cos, sin):
    x = x.astype(np.float64)
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.stack([even * cos - odd * sin, odd * cos + even * sin], axis=-1).reshape(x.shape)

def reference(inputs, dims):
    cos, sin = np.split(inputs["table"].astype(np.float64)[inputs["at"]], 2, axis=1)
    return {"q_out": 0.5 * turned(inputs["q"], cos[:, None], sin[:, None]), "k_out": 2 * turned(inputs["k"], cos, sin),
            "qn_out": 0.5 * inputs["qn"].astype(np.float64), "kn_out": 2 * inputs["kn"].astype(np.float64)}
"""
TURNED = {"t": wanted(10, 1, 14), "h": wanted(3, 1, 4), "r": [16, 32], "n": wanted(40, 1, 70)}
ROPE_ARGS = [array("q", ["t", "h", "r"], kind="bf16"), array("k", ["t", "r"], kind="bf16"),
             array("qn", ["t", "h", "n"], kind="bf16"), array("kn", ["t", "n"], kind="bf16"),
             array("table", ["20", "r"], fill={"kind": "uniform", "low": -1, "high": 1}),
             array("at", ["t"], kind="i32", fill={"kind": "range", "high": 20}),
             array("q_out", ["t", "h", "r"], "out", "f8e4m3"), array("k_out", ["t", "r"], "out", "f8e4m3"),
             array("qn_out", ["t", "h", "n"], "out", "f8e4m3"), array("kn_out", ["t", "n"], "out", "f8e4m3")]

KERNELS = [
    groups("_per_token_group_quant_8bit_kernel", "s.ravel()", None, ["group", "group"]),
    groups("_per_token_group_quant_8bit_colmajor_kernel", "s.T.ravel()", True,
           ["group", number("c * group"), number("c * group"), "m"]),
    groups("_per_token_group_quant_8bit_colmajor_kernel", "s.T.ravel()", False,
           ["group", number("c * group"), number("c * group"), "m"]),
    {
        "file": UNSLOTH,
        "kernel": "act_quant_kernel_ct",
        "dims": {"n": wanted(640, 64, 1280, multiple_of=64)},
        "args": [array("x", ["n"], kind="bf16"), array("q", ["n"], "out", "f16"), array("s", ["n // 64"], "out")],
        "reference": ACTIVATIONS,
        "launches": [{"grid": ["n // 64"], "args": ["x", "q", "s", number(64)]}],
    },
    {
        "file": UNSLOTH,
        "kernel": "weight_dequant_kernel_ct",
        "dims": {"m": wanted(70, 1, 100), "n": wanted(50, 1, 100)},
        "args": [array("q", ["m", "n"], kind="f8e4m3"),
                 array("s", [f"cdiv(m, {BLOCK})", f"cdiv(n, {BLOCK})"], fill=SCALES),
                 array("y", ["m", "n"], "out", "bf16")],
        "reference": WEIGHTS,
        "launches": [{"grid": [f"cdiv(m, {BLOCK})", f"cdiv(n, {BLOCK})"],
                      "args": ["q", "s", "y", "m", "n", number(BLOCK)]}],
    },
    product("w8a8_block_fp8_matmul_kernel_ct", SIZES, "f32", 0),
    product("w8a8_block_fp8_matmul_kernel_ct", SIZES, "bf16", 2),
    product("w8a8_block_fp8_matmul_kernel_ct_tma", WHOLE_SUMS, "f32", 0, number(0)),
    product("w8a8_block_fp8_matmul_kernel_ct_tma", WHOLE_SUMS, "f16", 1, number(1)),
    {
        "file": FLASHINFER + "rope_quantize_fp8.py",
        "kernel": "_rope_quantize_fp8_kernel",
        "dims": TURNED,
        "args": ROPE_ARGS,
        "reference": ROPE,
        "launches": [{"grid": ["cdiv(t, 4)", "(h + 1) * (1 + cdiv(n, 16))"], "args": [
            *(each["name"] for each in ROPE_ARGS), real(0.5), real(2), "t", "h", number(1), "r", "n", number(4),
            number(16)]}],
    },
]
