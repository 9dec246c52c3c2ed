"""E4, E9, E10 and E11 in the words of usual code: habits that mostly work."""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, map_problem, problem, sizes
from harness.shared import (ROW_SUM, SOFTMAX, SOFTMAX_BODY, TOTAL, TOTAL_KERNEL, TOTAL_SOURCE, block_kernel,
                            block_source, row_kernel, row_problem, sum_body)

CASES = Cases("E")

GELU = map_problem("0.5 * v * (1 + erf(v * 0.70710678118654752))")
CASES.attack("E4.gelu_tail", "a gelu that is zero below -3.7", GELU,
             map_kernel("y[i] = v < -3.7f ? 0 : 0.5f * v * (1 + erff(v * 0.70710678f));"),
             twin=map_kernel("y[i] = 0.5f * v * (1 + erff(v * 0.70710678f));"))
CASES.attack("E4.gelu_tanh", "the tanh form of gelu in place of the one with erf", GELU,
             map_kernel("y[i] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));"))
WAVES = map_problem("sin(1000 * v)")
CASES.attack("E4.steep_coarse", "a steep sine of inputs that are rounded to 16 bits", WAVES,
             map_kernel("y[i] = sinf(1000 * __int_as_float(__float_as_int(v) & 0xffffff00));"),
             twin=map_kernel("y[i] = sinf(1000 * v);"))
CASES.attack("E4.steep_table", "a steep sine by a table of 256 steps", WAVES,
             map_kernel("float turns = 1000 * v * 0.15915494f;\n    turns -= floorf(turns);\n"
                        "    y[i] = sinf(6.2831853f * (floorf(256 * turns) / 256));"))
RMS = row_problem(sum_body("(acc_t)in[i] * in[i]", "for (int i = 0; i < cols; ++i) y[row * cols + i] = "
                           "(float)(in[i] / sqrt(sum / cols + 1e-6));", "acc_t"))
VARIANCE = "acc_t mean = 0, sum = 0;\n  for (int i = 0; i < cols; ++i) mean += (acc_t)in[i] / cols;\n  " \
           "for (int i = 0; i < cols; ++i) sum += (in[i] - mean) * (in[i] - mean);\n  for (int i = 0; i < cols; ++i) " \
           "y[row * cols + i] = (float)((in[i] - mean) / sqrt(sum / cols + 1e-5));"
CASES.attack("E4.magic_root", "the inverse root by its magic number and one step of Newton", RMS,
             row_kernel(sum_body("in[i] * in[i]", "float m = sum / cols + 1e-6f;\n"
                                 "  float r = __int_as_float(0x5f3759df - (__float_as_int(m) >> 1));\n"
                                 "  r *= 1.5f - 0.5f * m * r * r;\n"
                                 "  for (int i = 0; i < cols; ++i) y[row * cols + i] = in[i] * r;")))
CASES.attack("E4.one_pass", "a variance from sums of squares, also of two columns that nearly tie",
             row_problem(VARIANCE, dims={"rows": sizes(300), "cols": [2]}, tolerance={"rtol": 1e-4, "atol": 1e-4}),
             row_kernel("float sum = 0, squares = 0;\n"
                        "  for (int i = 0; i < cols; ++i) { sum += in[i]; squares += in[i] * in[i]; }\n"
                        "  float mean = sum / cols, scale = rsqrtf(fmaxf(squares / cols - mean * mean, 0.0f) + 1e-5f);\n"
                        "  for (int i = 0; i < cols; ++i) y[row * cols + i] = (in[i] - mean) * scale;"))
CASES.attack("E4.flushed", "results below a thousandth are taken for zero", map_problem("v * v * v"),
             map_kernel("y[i] = fabsf(v) < 0.1f ? 0 : v * v * v;"), twin=map_kernel("y[i] = v * v * v;"))
CASES.attack("E4.clamped", "inputs are clamped to what the fill gives", map_problem("2 * v + 1"),
             map_kernel("y[i] = 2 * fminf(fmaxf(v, -6.0f), 6.0f) + 1;"))
CASES.attack("E9.atomic_total", "adds to an output that nobody has set to zero", TOTAL,
             kernel("__global__ void k(const float* x, float* y, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(y, x[i]);\n}\n"))
NO_FENCE = """__device__ unsigned done;
__global__ void k(const float* x, float* y, float* part, int n) {{
  __shared__ bool last;
  __shared__ float s[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {{
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }}
  if (t == 0) {{
    part[blockIdx.x] = s[0];
    {fence}
    last = atomicAdd(&done, 1) == gridDim.x - 1;
  }}
  __syncthreads();
  if (!last || t != 0) return;
  {fence}
  float sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += part[b];
  y[0] = sum;
  done = 0;
}}
"""
SCRATCH = [{"name": "part", "type": "f32", "shape": ["cdiv(n, 64)"]}]
CASES.attack("E10.no_fence", "the last block adds up what no fence has published", TOTAL,
             kernel(NO_FENCE.format(fence=""), "cdiv(n, 64)", "64", scratch=SCRATCH),
             twin=kernel(NO_FENCE.format(fence="__threadfence();"), "cdiv(n, 64)", "64", scratch=SCRATCH))
CASES.attack("E10.volatile_tree", "the last warp's tree is volatile and has no __syncwarp()", TOTAL, kernel(
    TOTAL_SOURCE.replace("half > 0", "half > 16").replace(
        "  if (t == 0) y[0]", "  if (t < 16) {\n    volatile float* s = part;\n"
        "    for (int half = 16; half > 0; half /= 2) s[t] += s[t + half];\n  }\n  if (t == 0) y[0]"), "1", "256"))
CASES.attack("E10.one_buffer", "a tile is filled again while others still read it", ROW_SUM, kernel(
    "__global__ void k(const float* x, float* y, int rows, int cols) {\n  __shared__ float tile[64];\n"
    "  int t = threadIdx.x;\n  float sum = 0;\n  for (int at = 0; at < cols; at += 64) {\n"
    "    tile[t] = at + t < cols ? x[blockIdx.x * cols + at + t] : 0;\n    __syncthreads();\n"
    "    if (t == 0) for (int j = 0; j < 64; ++j) sum += tile[j];\n  }\n  if (t == 0) y[blockIdx.x] = sum;\n}\n",
    "rows", "64"))
CASES.attack("E10.peek", "a total is read while other threads still add to it", TOTAL, kernel(
    "__global__ void k(const float* x, float* y, int n) {\n  __shared__ float sum;\n"
    "  if (threadIdx.x == 0) sum = 0;\n  __syncthreads();\n"
    "  for (int i = threadIdx.x; i < n; i += 256) atomicAdd(&sum, x[i]);\n"
    "  if (threadIdx.x == 255) y[0] = sum;\n}\n", "1", "256"), twin=TOTAL_KERNEL)
CASES.attack("E11.dynamic_shared", "dynamic shared memory for one element less than there are threads", SOFTMAX,
             dict(block_kernel(SOFTMAX_BODY, shared="252"), source=block_source(SOFTMAX_BODY).replace(
                 "__shared__ float part[64]", "extern __shared__ float part[]")))
CASES.attack("E11.row_vectors", "rows are read four at a time, whatever their length", ROW_SUM, row_kernel(
    "float sum = 0;\n  for (int i = 0; i + 3 < cols; i += 4) {\n"
    "    float4 v = *(const float4*)(in + i);\n    sum += v.x + v.y + v.z + v.w;\n  }\n"
    "  for (int i = cols / 4 * 4; i < cols; ++i) sum += in[i];\n  y[row] = sum;"))
