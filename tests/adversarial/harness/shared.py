"""Problems that several families use, with honest kernels of them."""

from harness.forms import each, kernel, map_kernel, map_problem, problem, sizes

ROWS = {"rows": sizes(8), "cols": sizes(100, 256)}


def row_source(body, name="k", before=""):
    """One thread for each row: `in` is its input, `y` the whole output."""
    return (f"{before}__global__ void {name}(const float* x, float* y, int rows, int cols) {{\n"
            "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (row >= rows) return;\n"
            "  const float* in = x + row * cols;\n"
            f"  {body}\n}}\n")


def row_problem(body, out="rows, cols", fill="normal", dims=None, **fields):
    return problem(dims or ROWS, f"x: f32[rows, cols] = {fill}; y: f32[{out}] out",
                   row_source(body, "reference"), "cdiv(rows, 32)", "32", **fields)


def row_kernel(body, before="", **fields):
    return kernel(row_source(body, before=before), "cdiv(rows, 32)", "32", **fields)


def block_source(body, threads=64, name="k"):
    """One block for each row: `in` and `out` are its row, `t` the thread."""
    return (f"__global__ void {name}(const float* x, float* y, int rows, int cols) {{\n"
            f"  __shared__ float part[{threads}];\n"
            "  const float* in = x + blockIdx.x * cols;\n"
            "  float* out = y + blockIdx.x * cols;\n"
            f"  int t = threadIdx.x;\n  {body}\n}}\n")


def block_kernel(body, threads=64, **fields):
    return kernel(block_source(body, threads), "rows", str(threads), **fields)


TREE_SUM = """part[t] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  sum = part[0];
  __syncthreads();"""

SUM_LOOP = "{type} sum = 0;\n  for (int i = 0; i < cols; ++i) sum += {term};\n  {store}"


def sum_body(term, store, kind="float"):
    """A loop over a row that adds `term`, then stores."""
    return SUM_LOOP.format(type=kind, term=term, store=store)


# y = 2x + 1
LINE = map_problem("2 * v + 1")
LINE_KERNEL = map_kernel("y[i] = 2 * v + 1;")

ROW_SUM = row_problem(sum_body("in[i]", "y[row] = (float)sum;", "acc_t"), "rows")
ROW_SUM_KERNEL = row_kernel(sum_body("in[i]", "y[row] = sum;"))

ROW_MEAN = row_problem(sum_body("in[i]", "y[row] = (float)(sum / cols);", "acc_t"), "rows")
ROW_MEAN_KERNEL = row_kernel(sum_body("in[i]", "y[row] = sum / cols;"))

SOFTMAX = row_problem("""acc_t most = in[0], sum = 0;
  for (int i = 1; i < cols; ++i) most = in[i] > most ? (acc_t)in[i] : most;
  for (int i = 0; i < cols; ++i) sum += exp((acc_t)in[i] - most);
  for (int i = 0; i < cols; ++i) y[row * cols + i] = (float)(exp((acc_t)in[i] - most) / sum);""")
SOFTMAX_BODY = """float most = in[t < cols ? t : 0], sum = 0;
  for (int i = t; i < cols; i += 64) most = fmaxf(most, in[i]);
  part[t] = most;
  __syncthreads();
  for (int i = 0; i < 64; ++i) most = fmaxf(most, part[i]);
  __syncthreads();
  for (int i = t; i < cols; i += 64) sum += expf(in[i] - most);
  """ + TREE_SUM + """
  for (int i = t; i < cols; i += 64) out[i] = expf(in[i] - most) / sum;"""
SOFTMAX_KERNEL = block_kernel(SOFTMAX_BODY)

# Positive numbers: a sum near zero would have no scale.
TOTAL = problem({"n": sizes(1000, 3000)}, "x: f32[n] = uniform(0, 1); y: f32[1] out",
                "__global__ void reference(const float* x, float* y, int n) {\n  acc_t sum = 0;\n"
                "  for (int i = 0; i < n; ++i) sum += x[i];\n  y[0] = (float)sum;\n}\n", "1", "1")
TOTAL_SOURCE = """__global__ void k(const float* x, float* y, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = t; i < n; i += 256) sum += x[i];
  part[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) y[0] = part[0];
}
"""
TOTAL_KERNEL = kernel(TOTAL_SOURCE, "1", "256")

MATMUL_SOURCE = """__global__ void {name}(const {type}* A, const {type}* B, {type}* C, int m, int n, int k) {{
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  {sum} sum = 0;
  for (int i = 0; i < k; ++i) sum += {term};
  C[row * n + col] = {result};
}}
"""
MATMUL_GRID = (["cdiv(n, 16)", "cdiv(m, 16)"], ["16", "16"])


def matmul_source(name="k", term="A[row * k + i] * B[i * n + col]", result="sum", kind="float", sum="float"):
    return MATMUL_SOURCE.format(name=name, term=term, result=result, type=kind, sum=sum)


MATMUL = problem({"m": sizes(32), "n": sizes(48), "k": sizes(64, 100)},
                 "A: f32[m, k]; B: f32[k, n]; C: f32[m, n] out",
                 matmul_source("reference", "(acc_t)A[row * k + i] * B[i * n + col]", "(float)sum",
                               sum="acc_t"),
                 *MATMUL_GRID, flops="2*m*n*k")


def matmul_kernel(**fields):
    return kernel(matmul_source(**fields), *MATMUL_GRID)


# y = the elements of each row in reverse
REVERSE_SOURCE = """for (int i = t; i < cols; i += 64) out[i] = in[cols - 1 - i];"""
BLOCK_REVERSE = problem({"n": sizes(256, 640, multiple=64)}, "x: f32[n]; y: f32[n] out",
                        each("y[i] = x[i / 64 * 64 + 63 - i % 64];", name="reference"))
