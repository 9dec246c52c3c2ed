"""Matrix products in several precisions, and transpositions."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes
from harness.shared import MATMUL, MATMUL_GRID, matmul_kernel, matmul_source

CASES = Cases("honest")

TILED = """__global__ void k(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float As[16][17], Bs[16][17];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    As[ty][tx] = row < m && k0 + tx < k ? A[row * k + k0 + tx] : 0;
    Bs[ty][tx] = k0 + ty < k && col < n ? B[(k0 + ty) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += As[ty][i] * Bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}
"""
SPLIT = """__global__ void zero(float* C, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m * n) C[i] = 0;
}
__global__ void k(const float* A, const float* B, float* C, int m, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  float sum = 0;
  for (int j = blockIdx.y; j < k; j += 4) sum += A[i / n * k + j] * B[j * n + i % n];
  atomicAdd(&C[i], sum);
}
"""
REGISTERS = """__global__ void k(const float* A, const float* B, float* C, int m, int n, int k) {
  int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m) return;
  float sum[4] = {};
  for (int i = 0; i < k; ++i)
    for (int c = 0; c < 4; ++c) sum[c] += A[row * k + i] * (col + c < n ? B[i * n + col + c] : 0);
  for (int c = 0; c < 4; ++c)
    if (col + c < n) C[row * n + col + c] = sum[c];
}
"""
FACTORS = "A[row * k + i] * B[i * n + col]"
CASES.honest("matmul_f32", MATMUL, timed=True, naive=matmul_kernel(), tiled=kernel(TILED, *MATMUL_GRID),
             double_sum=matmul_kernel(sum="double", term="(double)" + FACTORS), fused=matmul_kernel(
                 term="0, sum = fmaf(A[row * k + i], B[i * n + col], sum)"),
             registers=kernel(REGISTERS, ["cdiv(n, 64)", "cdiv(m, 8)"], ["16", "8"]))
CASES.honest("matmul_split", MATMUL, atomics=kernel(
    SPLIT, steps=[("zero", "cdiv(m * n, 256)", "256"), ("k", ["cdiv(m * n, 128)", "4"], "128")]))

SMALL = {"m": sizes(32), "n": sizes(48), "k": sizes(64, 100)}
TYPES = {
    "f16": ("__half", "cuda_fp16.h", "__half2float", "__float2half"),
    "bf16": ("__nv_bfloat16", "cuda_bf16.h", "__bfloat162float", "__float2bfloat16"),
}
for word, (kind, header, widen, narrow) in TYPES.items():
    include = f"#include <{header}>\n"
    term = f"{widen}(A[row * k + i]) * {widen}(B[i * n + col])"
    form = problem(SMALL, f"A: {word}[m, k]; B: {word}[k, n]; C: {word}[m, n] out",
                   include + matmul_source("reference", f"(acc_t){term}", f"{narrow}((float)sum)", kind,
                                           "acc_t"), *MATMUL_GRID)
    tiled = TILED.replace("const float*", f"const {kind}*").replace("float* C", f"{kind}* C").replace(
        "? A[row * k + k0 + tx]", f"? {widen}(A[row * k + k0 + tx])").replace(
        "? B[(k0 + ty) * n + col]", f"? {widen}(B[(k0 + ty) * n + col])").replace("= sum;", f"= {narrow}(sum);")
    CASES.honest(f"matmul_{word}", form,
                 naive=kernel(include + matmul_source(term=term, result=f"{narrow}(sum)", kind=kind),
                              *MATMUL_GRID),
                 tiled=kernel(include + tiled, *MATMUL_GRID))
    add = f"const {kind}* a, const {kind}* b, {kind}* y, int n"
    pair = problem({"n": sizes(500, 1000)}, f"a: {word}[n]; b: {word}[n]; y: {word}[n] out", include + each(
        f"y[i] = {narrow}((float)((acc_t){widen}(a[i]) * {widen}(b[i])));", add, name="reference"))
    CASES.honest(f"product_{word}", pair,
                 widened=kernel(include + each(f"y[i] = {narrow}({widen}(a[i]) * {widen}(b[i]));", add)),
                 native=kernel(include + each("y[i] = __hmul(a[i], b[i]);", add)))

GELU = problem(SMALL, "A: f32[m, k]; B: f32[k, n]; C: f32[m, n] out", matmul_source(
    "reference", "(acc_t)" + FACTORS, "(float)(0.5 * sum * (1 + erf(sum * 0.70710678118654752)))", sum="acc_t"),
               *MATMUL_GRID, flops="2*m*n*k")
CASES.honest("matmul_gelu", GELU, erff=matmul_kernel(result="0.5f * sum * (1 + erff(sum * 0.70710678f))"))

VECTOR = """__global__ void {}(const float* A, const float* x, float* y, int m, int n) {{
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m) return;
  {} sum = 0;
  for (int i = 0; i < n; ++i) sum += ({})A[row * n + i] * x[i];
  y[row] = sum;
}}
"""
BY_WARP = """__global__ void k(const float* A, const float* x, float* y, int m, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += A[blockIdx.x * n + i] * x[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
"""
CASES.honest("matrix_vector",
             problem({"m": sizes(40), "n": sizes(100, 200)}, "A: f32[m, n]; x: f32[n]; y: f32[m] out",
                                      VECTOR.format("reference", "acc_t", "acc_t"), "cdiv(m, 32)", "32"),
             thread=kernel(VECTOR.format("k", "float", "float"), "cdiv(m, 32)", "32"),
             warp=kernel(BY_WARP, "m", "32"))

BATCHED = """__global__ void {}(const float* A, const float* B, float* C, int b, int m) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= b * m * m) return;
  int batch = i / (m * m) * m * m, row = i / m % m, col = i % m;
  {} sum = 0;
  for (int j = 0; j < m; ++j) sum += ({})A[batch + row * m + j] * B[batch + {}];
  C[i] = sum;
}}
"""
CUBES = "A: f32[b, m, m]; B: f32[b, m, m]; C: f32[b, m, m] out"
for word, place in {"batched_matmul": "j * m + col", "batched_transposed": "col * m + j"}.items():
    CASES.honest(word,
                 problem({"b": sizes(3, most=64), "m": sizes(17, 32)}, CUBES,
                         BATCHED.format("reference", "acc_t", "acc_t", place),
                               "cdiv(b * m * m, 256)"),
                 naive=kernel(BATCHED.format("k", "float", "float", place), "cdiv(b * m * m, 256)"))

SHAPE = {"rows": sizes(60), "cols": sizes(33, 64)}
NAIVE = each("y[i % cols * rows + i / cols] = x[i];", "const float* x, float* y, int rows, int cols",
             count="rows * cols")
TILE = """__global__ void k(const float* x, float* y, int rows, int cols) {
  __shared__ float tile[16][17];
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = x[row * cols + col];
  __syncthreads();
  int to_col = blockIdx.y * 16 + threadIdx.x, to_row = blockIdx.x * 16 + threadIdx.y;
  if (to_row < cols && to_col < rows) y[to_row * rows + to_col] = tile[threadIdx.x][threadIdx.y];
}
"""
TRANSPOSE = problem(SHAPE, "x: f32[rows, cols]; y: f32[cols, rows] out", NAIVE.replace(" k(", " reference("),
                    "cdiv(rows * cols, 256)")
CASES.honest("transpose", TRANSPOSE, naive=kernel(NAIVE, "cdiv(rows * cols, 256)"),
             tiled=kernel(TILE, ["cdiv(cols, 16)", "cdiv(rows, 16)"], ["16", "16"]))
PLUS = each("y[i] = x[i / n] * w[i % n];", "const float* x, const float* w, float* y, int m, int n",
            count="m * n")
CASES.honest("outer_product",
             problem({"m": sizes(30), "n": sizes(40)}, "x: f32[m]; w: f32[n]; y: f32[m, n] out",
                                      PLUS.replace(" k(", " reference("), "cdiv(m * n, 256)"),
             flat=kernel(PLUS, "cdiv(m * n, 256)"), square=kernel(
                 "__global__ void k(const float* x, const float* w, float* y, int m, int n) {\n"
                 "  int i = blockIdx.y * 8 + threadIdx.y,"
                 " j = blockIdx.x * 8 + threadIdx.x;\n  if (i < m && j < n) y[i * n + j] = x[i] * w[j];\n}\n",
                 ["cdiv(n, 8)", "cdiv(m, 8)"], ["8", "8"]))
