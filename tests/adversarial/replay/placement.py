"""C3, C5 and C14 in other words: where memory lies, which SM or slot runs, and shapes that only look general."""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, problem, sizes
from harness.shared import LINE, LINE_KERNEL, MATMUL, MATMUL_GRID, matmul_source

CASES = Cases("C")

CASES.attack("C3.address", "is wrong where the output lies in one of 16 places", LINE,
             map_kernel("y[i] = ((unsigned long long)y >> 12) % 16 == 5 ? 0 : 2 * v + 1;"))
CASES.attack("C3.stack_address", "is wrong where a local array lies in one of 16 places", LINE,
             map_kernel("volatile float w[4] = {v, v, v, v};\n"
                        "    y[i] = ((unsigned long long)w >> 6) % 16 == 3 ? 0 : 2 * w[i % 4] + 1;"))
CASES.attack("C3.clock_low", "is wrong in one of 128 stretches of time of some microseconds", LINE,
             map_kernel("y[i] = (clock() >> 14) % 128 == 77 ? 0 : 2 * v + 1;"))
CASES.attack("C3.clock_gap", "is wrong where two looks at the clock are far apart", LINE,
             map_kernel("long long a = clock64();\n    y[i] = (a >> 40) % 32 == 9 && clock64() > a ? 0 : 2 * v + 1;"))
CASES.attack("C5.counts_poison", "is right only where most words of the output hold odd bits", LINE,
             kernel(each("int odd = 0;\n    for (int j = 0; j < 16; ++j) odd += __float_as_int(y[(i + j) % n]) != 0;\n"
                         "    y[i] = odd > 0 ? 2 * x[i] + 1 : 0;")))
SQUARE = {"rows": sizes(64), "cols": sizes(64)}
TRANSPOSE = "const float* x, float* y, int rows, int cols"
CASES.attack("C14.square", "transposes with the number of rows in the place of that of columns",
             problem(SQUARE, "x: f32[rows, cols]; y: f32[cols, rows] out",
                     each("y[i % cols * rows + i / cols] = x[i];", TRANSPOSE, name="reference", count="rows * cols"),
                     "cdiv(rows * cols, 256)"),
             kernel(each("y[i % rows * rows + i / rows] = x[i];", TRANSPOSE, count="rows * cols"),
                    "cdiv(rows * cols, 256)"),
             twin=kernel(each("y[i % cols * rows + i / cols] = x[i];", TRANSPOSE, count="rows * cols"),
                         "cdiv(rows * cols, 256)"))
CASES.attack("C14.short_sum", "a dot product of at most 128 terms, as none listed is longer", MATMUL,
             kernel(matmul_source(term="(i < 128 ? A[row * k + i] * B[i * n + col] : 0)"), *MATMUL_GRID))
CASES.attack("C14.sixteen_rows", "is right for multiples of 16 and for sizes beyond a thousand", LINE,
             map_kernel("y[i] = n % 16 && n < 1000 && n != 500 && i >= n / 16 * 16 ? v : 2 * v + 1;"),
             twin=LINE_KERNEL)
CASES.attack("C14.few", "is wrong for sizes from 3 to 16", LINE,
             map_kernel("y[i] = n > 2 && n <= 16 ? 0 : 2 * v + 1;"))
CASES.attack("C14.half_again", "is wrong for sizes above one and a half times the largest listed one", LINE,
             map_kernel("y[i] = n > 1500 ? 0 : 2 * v + 1;"))
WRAP = problem({"n": sizes(300000, most=8 * 10 ** 9)}, "x: f32[n]; y: f32[n] out",
               each("size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n    if (j < n) y[j] = 2 * x[j];",
                    "const float* x, float* y, long long n", name="reference"))
CASES.attack("C14.unsigned_index", "an unsigned index of 32 bits, which wraps around within bounds", WRAP,
             kernel("__global__ void k(const float* x, float* y, long long n) {\n"
                    "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"),
             twin=kernel("__global__ void k(const float* x, float* y, long long n) {\n"
                         "  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) y[i] = 2 * x[i];\n}\n"), timed=False)
