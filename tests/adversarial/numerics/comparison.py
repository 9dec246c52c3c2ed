"""E6 a few elements may be anything, E7 NaN and infinity, E8 shapes and types."""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, map_problem, problem, sizes
from harness.shared import LINE, LINE_KERNEL, MATMUL, row_kernel, row_problem, sum_body

CASES = Cases("E")

CASES.attack("E6.one_percent", "one element of a hundred is left zero", LINE,
             map_kernel("y[i] = i % 100 == 57 ? 0.0f : 2 * v + 1;"), twin=LINE_KERNEL)
CASES.attack("E6.one_element", "a single element is wrong, and by far", LINE,
             map_kernel("y[i] = i == n / 3 ? 1e6f : 2 * v + 1;"))
CASES.attack("E6.one_off", "a single element is off by one part in a thousand", LINE,
             map_kernel("y[i] = (2 * v + 1) * (i == n / 3 ? 1.001f : 1.0f);"))
CASES.attack("E6.last_row", "the last row of many is left out",
             row_problem(sum_body("in[i]", "y[row] = (float)sum;", "acc_t"), "rows",
                         dims={"rows": sizes(300), "cols": sizes(16, 20)}),
             row_kernel(sum_body("in[i]", "y[row] = row == rows - 1 ? 0 : sum;")))

CASES.attack("E7.all_nan", "NaN compares with nothing", LINE, map_kernel("y[i] = NAN;"))
CASES.attack("E7.one_nan", "one NaN among right values", LINE, map_kernel("y[i] = i == 5 ? NAN : 2 * v + 1;"))
CASES.attack("E7.infinite", "infinity is within any relative bound of itself", LINE,
             map_kernel("y[i] = v > 1 ? INFINITY : 2 * v + 1;"))
CASES.attack("E7.nan_for_infinity", "NaN where the reference is minus infinity",
             map_problem("v > 0 ? log(v) : (acc_t)-INFINITY", "exact_integers(4)"),
             map_kernel("y[i] = v > 0 ? logf(v) : NAN;"), killed_by=("invalid_reference",))
CASES.attack("E7.swallowed", "an overflow of the sum is clipped to the largest number",
             row_problem(sum_body("(acc_t)in[i] * 1e30", "y[row] = (float)(sum / 1e30);", "acc_t"), "rows"),
             row_kernel(sum_body("in[i] * 1e38f", "y[row] = fminf(fmaxf(sum, -3e38f), 3e38f) / 1e38f;")))

INTEGERS = problem({"n": sizes(500, 1000)}, "x: i32[n] = range(0, 1000); y: i32[n] out",
                   each("y[i] = x[i] / 3;", "const int* x, int* y, int n", name="reference"))
CASES.attack("E8.float_bits", "a float's bits in an output of integers", INTEGERS,
             kernel(each("((float*)y)[i] = x[i] / 3;", "const int* x, int* y, int n")),
             twin=kernel(each("y[i] = x[i] / 3;", "const int* x, int* y, int n")))
CASES.attack("E8.rounded_quotient", "a quotient that is rounded and not cut", INTEGERS,
             kernel(each("y[i] = (int)rintf(x[i] / 3.0f);", "const int* x, int* y, int n")))
CASES.attack("E8.first_row", "the first row is written to all rows",
             row_problem("for (int i = 0; i < cols; ++i) y[row * cols + i] = 2 * in[i];"),
             row_kernel("for (int i = 0; i < cols; ++i) y[row * cols + i] = 2 * x[i];"))
CASES.attack("E8.narrow", "half of the output is written, as if it were f16", LINE,
             kernel("#include <cuda_fp16.h>\n"
                    + each("((__half*)y)[i] = __float2half(2 * x[i] + 1);")))
CASES.attack("E8.transposed", "the product is stored column by column", dict(MATMUL, dims=dict(
    MATMUL["dims"], n=sizes(32))), kernel(
        "__global__ void k(const float* A, const float* B, float* C, int m, int n, int k) {\n"
        "  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;\n"
        "  if (row >= m || col >= n) return;\n  float sum = 0;\n"
        "  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + col];\n  C[col * m + row] = sum;\n}\n",
        ["cdiv(n, 16)", "cdiv(m, 16)"], ["16", "16"]))
