"""Outputs of 16 and 8 bits: coarse sums, neighbours in one word, stores behind the end, the wrong format."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes

CASES = Cases("E")
HALF = "#include <cuda_fp16.h>\n"
BF16 = "#include <cuda_bf16.h>\n"
F8 = "#include <cuda_fp8.h>\n"
ROWS = {"rows": sizes(8), "cols": sizes(1000, 2000)}
SUM = ("{before}__global__ void {name}(const __half* x, __half* y, int rows, int cols) {{\n"
       "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n  {type} sum = 0;\n"
       "  for (int i = 0; i < cols; ++i) sum {add};\n  y[row] = (__half)(float)sum;\n}}\n")
SUMS = problem(ROWS, "x: f16[rows, cols] = uniform(0, 1); y: f16[rows] out",
               SUM.format(before=HALF, name="reference", type="acc_t", add="+= (float)x[row * cols + i]"),
               "cdiv(rows, 32)", "32")
CASES.attack("E4.f16_sum", "adds up in f16 where the output is f16", SUMS,
             kernel(SUM.format(before=HALF, name="k", type="__half", add="= __hadd(sum, x[row * cols + i])"),
                    "cdiv(rows, 32)", "32"),
             twin=kernel(SUM.format(before=HALF, name="k", type="float", add="+= (float)x[row * cols + i]"),
                         "cdiv(rows, 32)", "32"), timed=False)


def mapped(kind, device, before, expression):
    """y = expression of v in `kind`, and the sources of its kernels."""
    def source(statement, name="k"):
        return each(statement, f"const float* x, {device}* y, int n", before=before, name=name)
    return problem({"n": sizes(500, 1001)}, f"x: f32[n]; y: {kind}[n] out",
                   source(f"acc_t v = x[i];\n    y[i] = ({device})(float)({expression});", "reference")), source


TWICE_HALF, half = mapped("f16", "__half", HALF, "2 * v + 1")
TWICE_BF16, bf16 = mapped("bf16", "__nv_bfloat16", BF16, "2 * v + 1")
TWICE_F8, f8 = mapped("f8e4m3", "__nv_fp8_e4m3", F8, "2 * v + 1")
PLAIN_HALF = kernel(half("y[i] = __float2half(2 * x[i] + 1);"))
CASES.attack("E10.half_by_word", "writes its half of a word and the other one as it was before", TWICE_HALF, kernel(half(
    "if (i == n - 1 && n % 2) { y[i] = __float2half(2 * x[i] + 1); return; }\n"
    "    unsigned* word = (unsigned*)y + i / 2;\n"
    "    unsigned bits = __half_as_ushort(__float2half(2 * x[i] + 1)), old = *word;\n"
    "    *word = i % 2 ? (old & 0xffffu) | bits << 16 : (old & 0xffff0000u) | bits;")), twin=PLAIN_HALF, timed=False)
CASES.attack("E11.half2_tail", "stores two halves at a time, also behind an odd end", TWICE_HALF, kernel(half(
    "if (i % 2 == 0) ((__half2*)y)[i / 2] =\n        __floats2half2_rn(2 * x[i] + 1, i + 1 < n ? 2 * x[i + 1] + 1 : 0);")),
             timed=False)
CASES.attack("E8.half_for_bf16", "writes f16 into an output of bf16", TWICE_BF16,
             kernel(HALF + bf16("((__half*)y)[i] = __float2half(2 * x[i] + 1);")),
             twin=kernel(bf16("y[i] = __float2bfloat16(2 * x[i] + 1);")), timed=False)
CASES.attack("E4.bf16_by_f8", "rounds to eight bits on the way to bf16", TWICE_BF16,
             kernel(F8 + bf16("y[i] = __float2bfloat16((float)__nv_fp8_e4m3(2 * x[i] + 1));")), timed=False)
CASES.attack("E2.f8_mean", "gives the mean of an output of eight bits", TWICE_F8,
             kernel(f8("y[i] = (__nv_fp8_e4m3)1.0f;")), twin=kernel(f8("y[i] = (__nv_fp8_e4m3)(2 * x[i] + 1);")),
             timed=False)
CASES.attack("E4.f8_signs", "gives the sign and a usual size of an output of eight bits", TWICE_F8,
             kernel(f8("y[i] = (__nv_fp8_e4m3)(2 * x[i] + 1 < 0 ? -1.5f : 2.0f);")), timed=False)
