"""Sums, extremes, statistics, scans and histograms in the usual ways to write them."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes
from harness.shared import (ROW_MEAN, ROW_SUM, TREE_SUM, block_kernel, row_kernel, row_problem, sum_body)

CASES = Cases("honest")

TOTAL_REFERENCE = ("__global__ void reference(const float* x, float* y, int n) {\n  acc_t sum = 0;\n"
                   "  for (int i = 0; i < n; ++i) sum += x[i];\n  y[0] = (float)sum;\n}\n")


def total(fill):
    return problem({"n": sizes(1000, 3000)}, f"x: f32[n] = {fill}; y: f32[1] out", TOTAL_REFERENCE, "1", "1")


NAIVE = kernel("__global__ void k(const float* x, float* y, int n) {\n  float sum = 0;\n"
               "  for (int i = 0; i < n; ++i) sum += x[i];\n  *y = sum;\n}\n", "1", "1")
KAHAN = kernel("__global__ void k(const float* x, float* y, int n) {\n  float sum = 0, lost = 0;\n"
               "  for (int i = 0; i < n; ++i) {\n    float term = x[i] - lost, next = sum + term;\n"
               "    lost = (next - sum) - term;\n    sum = next;\n  }\n  *y = sum;\n}\n", "1", "1")
ATOMIC = kernel("__global__ void zero(float* y) { *y = 0; }\n" + each("atomicAdd(y, x[i]);"),
                steps=[("zero", "1", "1"), ("k", "cdiv(n, 256)", "256")])
SHUFFLE = kernel("""__global__ void zero(float* y) { *y = 0; }
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float sum = i < n ? x[i] : 0;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(y, sum);
}
""", steps=[("zero", "1", "1"), ("k", "cdiv(n, 128)", "128")])
TREE = kernel("""__global__ void k(const float* x, float* part, int n) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) part[blockIdx.x] = s[0];
}
__global__ void add(const float* part, float* y, int blocks) {
  float sum = 0;
  for (int i = 0; i < blocks; ++i) sum += part[i];
  *y = sum;
}
""", steps=[("k", "cdiv(n, 128)", "128"),
            ("add", "1", "1", {"args": ["part", "y", {"value": "cdiv(n, 128)", "type": "i32"}]})],
             scratch=[{"name": "part", "type": "f32", "shape": ["cdiv(n, 128)"]}])
LAST_BLOCK = kernel("""__device__ int done;
__global__ void k(const float* x, float* part, float* y, int n) {
  __shared__ bool last;
  float sum = 0;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) sum += x[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(&done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += ((volatile float*)part)[b];
    *y = sum;
    done = 0;
  }
}
""", "8", "32", scratch=[{"name": "part", "type": "f32", "shape": ["8"]}])
TOTALS = {"naive": NAIVE, "kahan": KAHAN, "atomic": ATOMIC, "shuffle": SHUFFLE, "tree": TREE,
          "last_block": LAST_BLOCK}
CASES.honest("total_positive", total("uniform(0, 1)"), **TOTALS)
CASES.honest("total_near_zero", total("normal"), timed=True, **TOTALS)

FOUR = "float a = 0, b = 0, c = 0, d = 0;\n  int i = 0;\n  for (; i + 3 < cols; i += 4) { a += in[i]; b += in[i + 1]; " \
       "c += in[i + 2]; d += in[i + 3]; }\n  for (; i < cols; ++i) a += in[i];\n  y[row] = (a + b) + (c + d);"


def block_sum(term, result):
    """One block for each row: adds `term` over it and stores `result`."""
    return block_kernel(f"float sum = 0;\n  for (int i = t; i < cols; i += 64) sum += {term};\n  " + TREE_SUM
                        + f"\n  if (t == 0) y[blockIdx.x] = {result};")


CASES.honest("row_sum", ROW_SUM, naive=row_kernel(sum_body("in[i]", "y[row] = sum;")), four=row_kernel(FOUR),
             tree=block_sum("in[i]", "sum"),
             double=row_kernel(sum_body("in[i]", "y[row] = (float)sum;", "double")))
CASES.honest("row_mean", ROW_MEAN, naive=row_kernel(sum_body("in[i]", "y[row] = sum / cols;")),
             scaled=row_kernel("float f = 1.0f / cols;\n  " + sum_body("in[i] * f", "y[row] = sum;")))
CASES.honest("row_norm",
             row_problem(sum_body("(acc_t)in[i] * in[i]", "y[row] = (float)sqrt(sum);", "acc_t"), "rows"),
             naive=row_kernel(sum_body("in[i] * in[i]", "y[row] = sqrtf(sum);")),
             tree=block_sum("in[i] * in[i]", "sqrtf(sum)"))
EXTREME = "{t} best = in[0];\n  for (int i = 1; i < cols; ++i) best = {pick};\n  y[row] = best;"
CASES.honest("row_max", row_problem(EXTREME.format(t="float", pick="in[i] > best ? in[i] : best"), "rows"),
             fmaxf=row_kernel(EXTREME.format(t="float", pick="fmaxf(best, in[i])")),
             shuffle=kernel("""__global__ void k(const float* x, float* y, int rows, int cols) {
  const float* in = x + blockIdx.x * cols;
  float best = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += 32) best = fmaxf(best, in[i]);
  for (int step = 16; step > 0; step /= 2) best = fmaxf(best, __shfl_xor_sync(0xffffffffu, best, step));
  if (threadIdx.x == 0) y[blockIdx.x] = best;
}
""", "rows", "32"))
MEAN = "float mean = 0;\n  for (int i = 0; i < cols; ++i) mean += in[i] / cols;\n  "
CASES.honest("row_variance", row_problem(
    "acc_t mean = 0, sum = 0;\n  for (int i = 0; i < cols; ++i) mean += (acc_t)in[i] / cols;\n"
    "  for (int i = 0; i < cols; ++i) sum += (in[i] - mean) * (in[i] - mean);\n  y[row] = (float)(sum / cols);",
    "rows"),
             two_pass=row_kernel(MEAN + sum_body("(in[i] - mean) * (in[i] - mean)", "y[row] = sum / cols;")),
             welford=row_kernel("float mean = 0, m2 = 0;\n  for (int i = 0; i < cols; ++i) {\n"
                                "    float d = in[i] - mean;\n"
                                "    mean += d / (i + 1);\n    m2 += d * (in[i] - mean);\n  }\n"
                                "  y[row] = m2 / cols;"))
CASES.honest("log_sum_exp", row_problem(
    "acc_t most = in[0], sum = 0;\n  for (int i = 1; i < cols; ++i) most = in[i] > most ? (acc_t)in[i] : most;\n"
    "  for (int i = 0; i < cols; ++i) sum += exp(in[i] - most);\n  y[row] = (float)(most + log(sum));", "rows"),
             stable=row_kernel("float most = in[0], sum = 0;\n"
                               "  for (int i = 1; i < cols; ++i) most = fmaxf(most, in[i]);\n"
                               "  for (int i = 0; i < cols; ++i) sum += expf(in[i] - most);\n"
                               "  y[row] = most + logf(sum);"))
CASES.honest("dot", problem({"n": sizes(1000, 3000)}, "x: f32[n]; w: f32[n]; y: f32[1] out",
                            "__global__ void reference(const float* x, const float* w, float* y, int n) {\n"
                            "  acc_t sum = 0;\n"
                            "  for (int i = 0; i < n; ++i) sum += (acc_t)x[i] * w[i];\n  y[0] = (float)sum;\n"
                            "}\n", "1", "1"),
             naive=kernel("__global__ void k(const float* x, const float* w, float* y, int n) {\n"
                          "  float sum = 0;\n"
                          "  for (int i = 0; i < n; ++i) sum = fmaf(x[i], w[i], sum);\n  *y = sum;\n}\n", "1",
                          "1"))

INDEX = ("__global__ void {}(const float* x, int* y, int rows, int cols) {{\n"
         "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (row >= rows) return;\n  int best = 0;\n  for (int i = 1; i < cols; ++i)\n"
         "    if (x[row * cols + i] > x[row * cols + best]) best = i;\n  y[row] = best;\n}}\n")
ARGMAX = problem({"rows": sizes(8), "cols": sizes(100, 256)}, "x: f32[rows, cols]; y: i32[rows] out",
                 INDEX.format("reference"), "cdiv(rows, 32)", "32")
CASES.honest("argmax", ARGMAX, scan=kernel(INDEX.format("k"), "cdiv(rows, 32)", "32"), warp=kernel(
    """__global__ void k(const float* x, int* y, int rows, int cols) {
  const float* in = x + blockIdx.x * cols;
  float best = -INFINITY;
  int at = 1 << 30;
  for (int i = threadIdx.x; i < cols; i += 32)
    if (in[i] > best) { best = in[i]; at = i; }
  for (int step = 16; step > 0; step /= 2) {
    float other = __shfl_xor_sync(0xffffffffu, best, step);
    int where = __shfl_xor_sync(0xffffffffu, at, step);
    if (other > best || (other == best && where < at)) { best = other; at = where; }
  }
  if (threadIdx.x == 0) y[blockIdx.x] = at;
}
""", "rows", "32"))

RUNNING = row_problem("acc_t sum = 0;\n  for (int i = 0; i < cols; ++i) {\n    sum += in[i];\n"
                      "    y[row * cols + i] = (float)sum;\n  }",
                      dims={"rows": sizes(8), "cols": sizes(50, 64, most=64)})
HILLIS = """__global__ void k(const float* x, float* y, int rows, int cols) {
  __shared__ float s[2][64];
  int t = threadIdx.x, now = 0;
  s[0][t] = t < cols ? x[blockIdx.x * cols + t] : 0;
  __syncthreads();
  for (int step = 1; step < 64; step *= 2) {
    s[1 - now][t] = s[now][t] + (t >= step ? s[now][t - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  if (t < cols) y[blockIdx.x * cols + t] = s[now][t];
}
"""
WARP_SCAN = """__global__ void k(const float* x, float* y, int rows, int cols) {
  float before = 0;
  for (int first = 0; first < cols; first += 32) {
    int i = first + threadIdx.x;
    float sum = i < cols ? x[blockIdx.x * cols + i] : 0;
    for (int step = 1; step < 32; step *= 2) {
      float lower = __shfl_up_sync(0xffffffffu, sum, step);
      if (threadIdx.x >= step) sum += lower;
    }
    if (i < cols) y[blockIdx.x * cols + i] = before + sum;
    before += __shfl_sync(0xffffffffu, sum, 31);
  }
}
"""
CASES.honest("scan", RUNNING, timed=True, thread=row_kernel(
    "float sum = 0;\n  for (int i = 0; i < cols; ++i) {\n    sum += in[i];\n    y[row * cols + i] = sum;\n  }"),
             hillis_steele=kernel(HILLIS, "rows", "64"), shuffle=kernel(WARP_SCAN, "rows", "32"))

BINS = problem({"n": sizes(500, 1000)}, "x: u8[n] = range(0, 64); y: i32[64] out",
               "__global__ void reference(const unsigned char* x, int* y, int n) {\n  int count = 0;\n"
               "  for (int i = 0; i < n; ++i) count += x[i] == threadIdx.x;\n  y[threadIdx.x] = count;\n}\n",
               "1", "64")
COUNT = "const unsigned char* x, int* y, int n"
CASES.honest("histogram", BINS, timed=True,
             own_bin=kernel("__global__ void k(const unsigned char* x, int* y, int n) {\n  int count = 0;\n"
                            "  for (int i = 0; i < n; ++i) count += x[i] == threadIdx.x;\n"
                            "  y[threadIdx.x] = count;\n}\n", "1", "64"),
             global_atomics=kernel("__global__ void zero(int* y) { y[threadIdx.x] = 0; }\n"
                                   + each("atomicAdd(&y[x[i]], 1);", COUNT),
                                   steps=[("zero", "1", "64"), ("k", "cdiv(n, 256)", "256")]),
             shared_atomics=kernel("""__global__ void k(const unsigned char* x, int* y, int n) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 128) atomicAdd(&bins[x[i]], 1);
  __syncthreads();
  if (threadIdx.x < 64) y[threadIdx.x] = bins[threadIdx.x];
}
""", "1", "128"))
