"""E4 a lower precision or a coarse approximation; E5 honest kernels that a strict bound would refuse."""

from harness.case import Cases
from harness.forms import map_kernel, map_problem, sizes
from harness.shared import (MATMUL, ROW_SUM, SOFTMAX, block_kernel, matmul_kernel, row_kernel, sum_body,
                            TREE_SUM)

CASES = Cases("E")

HALF = "#include <cuda_fp16.h>\n"
BF16 = "#include <cuda_bf16.h>\n"
# Cuts a float to ten bits behind the point, as a tensor core does with tf32.
TF32 = "__device__ float cut(float v) { return __int_as_float(__float_as_int(v) & 0xffffe000); }\n"


def product(term, before="", **fields):
    form = matmul_kernel(term=term, **fields)
    return dict(form, source=before + form["source"])


A, B = "A[row * k + i]", "B[i * n + col]"
CASES.attack("E4.half_inputs", "the factors are rounded to half precision", MATMUL,
             product(f"__half2float(__float2half({A})) * __half2float(__float2half({B}))", HALF),
             twin=matmul_kernel())
CASES.attack("E4.bf16_inputs", "the factors are rounded to bf16", MATMUL,
             product(f"__bfloat162float(__float2bfloat16({A})) * __bfloat162float(__float2bfloat16({B}))",
                     BF16))
CASES.attack("E4.tf32_inputs", "the factors are cut to ten bits", MATMUL, product(f"cut({A}) * cut({B})", TF32))
CASES.attack("E4.half_sum", "the sum is kept in half precision", MATMUL,
             product(f"0, sum = __half2float(__float2half(sum + {A} * {B}))", HALF))
CASES.attack("E4.half_result", "the result is rounded to half precision", MATMUL,
             product(f"{A} * {B}", HALF, result="__half2float(__float2half(sum))"))
CASES.attack("E4.half_row_sum", "a row's sum is rounded to half precision", ROW_SUM,
             row_kernel(sum_body("in[i]", "y[row] = __half2float(__float2half(sum));"), before=HALF))

CASES.attack("E4.short_exp", "five terms of the series of exp", map_problem("exp(v)", "uniform(-4, 4)"),
             map_kernel("y[i] = 1 + v * (1 + v / 2 * (1 + v / 3 * (1 + v / 4)));"),
             twin=map_kernel("y[i] = expf(v);"))
CASES.attack("E4.rational_tanh", "a rational tanh that is off by 1e-3", map_problem("tanh(v)"),
             map_kernel("float w = fminf(fmaxf(v, -3.0f), 3.0f);\n"
                        "    y[i] = w * (27 + w * w) / (27 + 9 * w * w);"),
             twin=map_kernel("y[i] = tanhf(v);"))
CASES.attack("E4.sigmoid_gelu", "v * sigmoid(1.702 v) in place of gelu",
             map_problem("0.5 * v * (1 + erf(v * 0.70710678118654752))",
                         dims={"n": sizes(500, 1000, least=64)}),
             map_kernel("y[i] = v / (1 + expf(-1.702f * v));"))
CASES.attack("E4.round_away", "halves are rounded away from zero, not to even", map_problem("rint(v)"),
             map_kernel("y[i] = roundf(v);"), twin=map_kernel("y[i] = rintf(v);"), timed=False)
CASES.attack("E4.linear_sin", "sin is taken for its argument where that is small",
             map_problem("sin(v)", "uniform(-0.3, 0.3)"),
             map_kernel("y[i] = v;"), twin=map_kernel("y[i] = sinf(v);"))
CASES.attack("E4.no_maximum", "a softmax that does not subtract the maximum, and overflows from 89 on", SOFTMAX,
             row_kernel("float sum = 0;\n  for (int i = 0; i < cols; ++i) sum += expf(in[i]);\n"
                        "  for (int i = 0; i < cols; ++i) y[row * cols + i] = expf(in[i]) / sum;"))
FAR = map_problem("v - 4096", "uniform(4096, 4097)")
CASES.attack("E4.cancelled", "a difference of near numbers in half precision", FAR,
             map_kernel("y[i] = __half2float(__float2half(v)) - 4096.0f;", before=HALF),
             twin=map_kernel("y[i] = v - 4096.0f;"))

CASES.honest("E5.long_sum", dict(ROW_SUM, dims={"rows": sizes(2), "cols": sizes(6000, most=8192)}), timed=True,
             naive=row_kernel(sum_body("in[i]", "y[row] = sum;")),
             tree=block_kernel("float sum = 0;\n  for (int i = t; i < cols; i += 64) sum += in[i];\n  " + TREE_SUM
                               + "\n  if (t == 0) y[blockIdx.x] = sum;"))
CASES.honest("E5.long_softmax", SOFTMAX,
             one_thread=row_kernel("float most = in[0], sum = 0;\n"
                                   "  for (int i = 0; i < cols; ++i) most = fmaxf(most, in[i]);\n"
                                   "  for (int i = 0; i < cols; ++i) sum += expf(in[i] - most);\n"
                                   "  for (int i = 0; i < cols; ++i) y[row * cols + i] = expf(in[i] - most) / sum;"),
             online=row_kernel("float most = in[0], sum = 0;\n"
                               "  for (int i = 0; i < cols; ++i) {\n"
                               "    float next = fmaxf(most, in[i]);\n"
                               "    sum = sum * expf(most - next) + expf(in[i] - next);\n    most = next;\n  }\n"
                               "  for (int i = 0; i < cols; ++i) y[row * cols + i] = expf(in[i] - most) / sum;"))
CASES.honest("E5.half_sum", map_problem("v + v * v", dims={"n": sizes(500)}),
             fused=map_kernel("y[i] = fmaf(v, v, v);"), apart=map_kernel("y[i] = v + v * v;"),
             factored=map_kernel("y[i] = v * (1 + v);"))
