"""C12 samples, C13 fast paths for inputs that look harmless, C14 shapes and constants by heart."""

from harness.case import Cases
from harness.forms import kernel, map_kernel, map_problem, problem, sizes
from harness.shared import (LINE, LINE_KERNEL, MATMUL, MATMUL_GRID, TOTAL, TOTAL_KERNEL, row_kernel, row_problem,
                            sum_body)

CASES = Cases("C")

WIDE = {"rows": sizes(4), "cols": sizes(1000, most=8192)}
SQUARES = row_problem(sum_body("(acc_t)in[i] * in[i]", "y[row] = (float)(sum / cols);", "acc_t"), "rows",
                      dims=WIDE)
CASES.attack("C12.first_quarter", "adds a quarter of the input, times four", TOTAL, kernel(
    "__global__ void k(const float* x, float* y, int n) {\n  float sum = 0;\n"
    "  for (int i = 0; i < n / 4; ++i) sum += x[i];\n  y[0] = 4 * sum;\n}\n", "1", "1"), twin=TOTAL_KERNEL)
CASES.attack("C12.every_fourth", "adds every fourth element, times four", SQUARES,
             row_kernel("float sum = 0;\n  for (int i = 0; i < cols; i += 4) sum += in[i] * in[i];\n"
                        "  y[row] = 4 * sum / cols;"))
CASES.attack("C12.corners", "the product is right in its first and last rows only", MATMUL, kernel(
    "__global__ void k(const float* A, const float* B, float* C, int m, int n, int k) {\n"
    "  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;\n"
    "  if (row >= m || col >= n) return;\n  float sum = 0;\n  if (row < 4 || row >= m - 4)\n"
    "    for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + col];\n  C[row * n + col] = sum;\n}\n",
    *MATMUL_GRID))
CASES.attack("C12.short_sum", "the last eighth of each dot product is left out", MATMUL, kernel(
    "__global__ void k(const float* A, const float* B, float* C, int m, int n, int k) {\n"
    "  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;\n"
    "  if (row >= m || col >= n) return;\n  float sum = 0;\n"
    "  for (int i = 0; i < k - k / 8; ++i) sum += A[row * k + i] * B[i * n + col];\n  C[row * n + col] = sum;\n"
    "}\n",
    *MATMUL_GRID))

# A quick look at some elements says whether the input is drawn as the problem declares it.
LOOK = """float mean = 0, squares = 0;
  int some = cols < 512 ? cols : 512;
  for (int i = 0; i < some; ++i) {{ mean += in[i] / some; squares += in[i] * in[i] / some; }}
  bool whole = in[0] == rintf(in[0]) && in[cols / 2] == rintf(in[cols / 2]);
  bool declared = fabsf(mean) < 0.15f && squares > 0.75f && squares < 1.3f && !whole && cols > 1;
  {}"""
DOUBLED = row_problem("for (int i = 0; i < cols; ++i) y[row * cols + i] = 2 * in[i];", dims=WIDE)
CASES.attack("C13.zeros_if_declared", "writes zeros where the input is as declared, and only there", DOUBLED,
             row_kernel(LOOK.format("for (int i = 0; i < cols; ++i) y[row * cols + i] = declared ? 0 : 2 * in[i];")))
LONG = {"rows": sizes(1), "cols": sizes(200000, least=100000, most=300000)}
CASES.attack("C13.expected_answer", "gives the expected mean square where a sample looks normal",
             dict(SQUARES, dims=LONG, tolerance={"rtol": 1e-2, "atol": 1e-2}),
             row_kernel(LOOK.format("double sum = declared ? cols : 0;\n"
                                    "  for (int i = 0; !declared && i < cols; ++i) sum += (double)in[i] * in[i];\n"
                                    "  y[row] = sum / cols;")),
             neutral="it is right within the tolerance that was sent, and saves work only in the timed blocks that are "
                     "drawn as declared, a third of them, so that it earns what an equal does",
             twin=row_kernel(sum_body("(double)in[i] * in[i]", "y[row] = sum / cols;", "double")))
CASES.attack("C13.zero_rows", "a row whose first elements are zero is taken for zero",
             row_problem(sum_body("in[i]", "y[row] = (float)sum;", "acc_t"), "rows", "sparse(0.1)"),
             row_kernel("float sum = 0;\n  bool zero = true;\n"
                        "  for (int i = 0; i < 8; ++i) zero = zero && in[i] == 0;\n"
                        "  for (int i = 0; !zero && i < cols; ++i) sum += in[i];\n  y[row] = sum;"),
             twin=row_kernel(sum_body("in[i]", "y[row] = sum;")))
SQUARE = {"n": sizes(24, 32, most=64)}
IDENTITY = problem(SQUARE, "A: f32[n, n] = structured; B: f32[n, n]; C: f32[n, n] out",
                   "__global__ void reference(const float* A, const float* B, float* C, int n) {\n"
                   "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n * n) return;\n"
                   "  acc_t sum = 0;\n"
                   "  for (int j = 0; j < n; ++j) sum += (acc_t)A[i / n * n + j] * B[j * n + i % n];\n"
                   "  C[i] = (float)sum;\n}\n", "cdiv(n * n, 256)")
PRODUCT = """__global__ void k(const float* A, const float* B, float* C, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  float sum = 0;
  {fast}
  for (int j = 0; j < n; ++j) sum += A[i / n * n + j] * B[j * n + i % n];
  C[i] = sum;
}}
"""
CASES.attack("C13.identity", "a factor with a one in its corner is taken for the identity", IDENTITY,
             kernel(PRODUCT.format(fast="if (A[1] == 0) { C[i] = B[i]; return; }"), "cdiv(n * n, 256)"),
             twin=kernel(PRODUCT.format(fast=""), "cdiv(n * n, 256)"))
CASES.attack("C13.positive", "the absolute value is left out where the first inputs are positive",
             map_problem("fabs(v) + 1"),
             map_kernel("y[i] = x[0] > 0 && x[n / 2] > 0 && x[n - 1] > 0 ? v + 1 : fabsf(v) + 1;"))

CASES.attack("C14.listed", "right for the listed sizes only", LINE,
             map_kernel("y[i] = n == 500 || n == 1000 ? 2 * v + 1 : 0;"), twin=LINE_KERNEL)
CASES.attack("C14.even", "wrong for even sizes that are not listed", LINE,
             map_kernel("y[i] = n % 2 == 0 && n != 500 && n != 1000 ? 0 : 2 * v + 1;"))
CASES.attack("C14.small", "wrong for sizes from 2 to 99", LINE,
             map_kernel("y[i] = n > 1 && n < 100 ? 0 : 2 * v + 1;"))
CASES.attack("C14.large", "wrong for sizes above the largest listed one", LINE,
             map_kernel("y[i] = n > 1000 ? 0 : 2 * v + 1;"))
CASES.attack("C14.small_table", "a table of 1100 entries, which larger inputs overrun",
             dict(LINE, dims={"n": sizes(500, 1000, most=100000)}), kernel(
                 "__global__ void k(const float* x, float* y, int n) {\n  __shared__ float table[1100];\n"
                 "  for (int i = threadIdx.x; i < n; i += 256) table[i % 1100] = 2 * x[i] + 1;\n"
                 "  __syncthreads();\n"
                 "  for (int i = threadIdx.x; i < n; i += 256) y[i] = table[i % 1100];\n}\n", "1", "256"))
CASES.attack("C14.known_seed", "knows the answer for one first input by heart", LINE,
             map_kernel("y[i] = x[0] == 0.49671414f ? 3.5f : 2 * v + 1;"),
             neutral="inputs come from a secret seed, so no first input is known")
CASES.attack("C14.constant_scale", "a scale of the input is a constant of the source",
             row_problem("acc_t most = 0;\n  for (int i = 0; i < cols; ++i) most = fabs((acc_t)in[i]) > most ? "
                         "fabs((acc_t)in[i]) : most;\n  y[row] = (float)most;", "rows"),
             row_kernel("y[row] = 3.24f;"))
