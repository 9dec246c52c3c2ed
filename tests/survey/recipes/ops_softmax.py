"""Softmax of NVIDIA/TileGym: src/tilegym/ops, julia and examples of its skills."""

from recipe_forms import array, number

CUTILE = "src/tilegym/ops/cutile/softmax.py"
TO_TRITON = "skills/tilegym-converting-cutile-to-triton/examples/02_softmax/"
TO_JULIA = "skills/tilegym-converting-cutile-to-julia/examples/03_softmax/"

ROWS = {"m": {"values": [7], "min": 1, "max": 11}, "n": {"values": [300], "min": 1, "max": 600}}
# Kernels that load without padding need rows of whole tiles.
CHUNKS = {"m": {"values": [7], "min": 1, "max": 11},
          "n": {"values": [512], "min": 128, "max": 640, "multiple_of": 128}}
WHOLE_ROW = number("pow2ceil(n)")
PIECE = number(128)
# Fewer blocks than rows, of which each takes several then.
FEW = ["min(m, 3)"]

SOFTMAX = """
import numpy as np
def reference(inputs, dims):
    x = inputs["x"].astype(np.float64)
    e = np.exp(x - x.max(axis={axis}, keepdims=True))
    return {{"y": e / e.sum(axis={axis}, keepdims=True)}}
"""


def softmax(file, kernel, kind, grid, constants, dims=ROWS, output_first=True, language="cutile"):
    names = ["y", "x"] if output_first else ["x", "y"]
    # Julia's rows lie along the last dimension of the memory.
    shape = ["n", "m"] if language == "cutile_jl" else ["m", "n"]
    roles = {"y": "out", "x": "in"}
    return {"file": file, "kernel": kernel, "dims": dims, "language": language,
            "args": [array(name, shape, roles[name], kind) for name in names],
            "reference": SOFTMAX.format(axis=shape.index("n")), "launches": [{"grid": grid, "args": names + constants}]}


def julia(file):
    return [softmax(file, "softmax_kernel_tma", "f32", FEW, [WHOLE_ROW], language="cutile_jl"),
            softmax(file, "softmax_kernel_tma", "f16", ["m"], [WHOLE_ROW], language="cutile_jl"),
            softmax(file, "softmax_kernel_online", "f32", ["m"], [PIECE], language="cutile_jl"),
            softmax(file, "softmax_kernel_chunked", "f32", ["m"], ["n", PIECE], language="cutile_jl")]


KERNELS = [
    softmax(CUTILE, "_softmax_kernel", "f32", FEW, ["m", WHOLE_ROW, "n"]),
    softmax(CUTILE, "_softmax_kernel", "f16", ["m"], ["m", WHOLE_ROW, "n"]),
    softmax(CUTILE, "_softmax_kernel_multi_wave_full_row_reg_cached_ldg", "f32", ["m"], ["n", WHOLE_ROW]),
    softmax(CUTILE, "_softmax_kernel_multi_wave_full_row_reg_cached_ldg", "bf16", ["m"], ["n", WHOLE_ROW]),
    softmax(CUTILE, "_softmax_kernel_tma", "f32", FEW, ["m", "n", WHOLE_ROW]),
    softmax(CUTILE, "_softmax_kernel_tma", "f16", FEW, ["m", "n", WHOLE_ROW]),
    softmax(CUTILE, "_softmax_kernel_chunked", "f32", FEW, ["m", "n", PIECE]),
    softmax(CUTILE, "_softmax_kernel_chunked", "bf16", FEW, ["m", "n", PIECE]),
    softmax(TO_JULIA + "cutile_python.py", "softmax_kernel_tma", "f32", FEW, ["m", "n", WHOLE_ROW]),
    softmax(TO_JULIA + "cutile_python.py", "online_softmax_kernel_tma", "f32", ["m"],
            ["n", PIECE, number("cdiv(n, 128)")], CHUNKS),
    softmax(TO_JULIA + "cutile_python.py", "softmax_kernel_chunked", "f32", FEW, ["m", "n", PIECE]),
    *julia(TO_JULIA + "cutile_julia.jl"), *julia("julia/kernels/softmax.jl"),
    softmax(TO_TRITON + "cutile_kernel.py", "softmax_kernel", "f32", FEW, ["m", WHOLE_ROW, "n"]),
    softmax(TO_TRITON + "triton_kernel.py", "softmax_kernel", "f32", ["m"], ["n", "n", "n", WHOLE_ROW],
            output_first=False, language="triton"),
    softmax(TO_TRITON + "triton_kernel.py", "softmax_kernel_multiblock", "f32", ["m"], ["n", "n", "n", PIECE],
            output_first=False, language="triton"),
]
