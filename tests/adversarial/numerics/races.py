"""E10: results that depend on the order of threads, of blocks or on luck."""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, problem, sizes
from harness.shared import (BLOCK_REVERSE, LINE, ROW_SUM, SOFTMAX, SOFTMAX_BODY, TOTAL, TOTAL_KERNEL,
                            TOTAL_SOURCE,
                            block_kernel)

CASES = Cases("E")

REVERSE = """__global__ void k(const float* x, float* y, int n) {{
  __shared__ float tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  tile[{to}] = x[i];
  {barrier}
  y[i] = tile[{source}];
}}
"""


def reverse(barrier, to="threadIdx.x", source="63 - threadIdx.x"):
    return kernel(REVERSE.format(barrier=barrier, to=to, source=source), "n // 64", "64")


SHIFT = problem({"n": sizes(256, 640, multiple=64)}, "x: f32[n]; y: f32[n] out",
                each("y[i] = i % 64 ? x[i - 1] : x[i];", name="reference"))
CASES.attack("E10.no_barrier", "a tile is read in reverse before all have written it", BLOCK_REVERSE,
             reverse(""),
             twin=reverse("__syncthreads();"))
CASES.attack("E10.lower_neighbour", "each thread reads what the thread below wrote, without a barrier", SHIFT,
             reverse("", source="threadIdx.x ? threadIdx.x - 1 : 0"),
             twin=reverse("__syncthreads();", source="threadIdx.x ? threadIdx.x - 1 : 0"))
CASES.attack("E10.upper_neighbour", "the tile is written reversed, so the threads above come first", SHIFT,
             reverse("", to="63 - threadIdx.x", source="threadIdx.x ? 64 - threadIdx.x : 63"))
CASES.attack("E10.tree", "the tree of a sum has no barrier between its levels", TOTAL,
             kernel(TOTAL_SOURCE.replace("    __syncthreads();\n  }", "  }"), "1", "256"), twin=TOTAL_KERNEL)
CASES.attack("E10.last_level", "the last level of a tree is read by the thread that comes first", ROW_SUM,
             block_kernel("float sum = 0;\n  for (int i = t; i < cols; i += 64) sum += in[i];\n  part[t] = sum;\n"
                          "  __syncthreads();\n  if (t == 1) { sum = 0;\n"
                          "    for (int i = 0; i < 64; ++i) sum += part[i];\n    part[0] = sum; }\n"
                          "  if (t == 63) y[blockIdx.x] = part[0];"))
CASES.attack("E10.reused_tile", "a softmax whose parts are overwritten while others read them", SOFTMAX,
             block_kernel(SOFTMAX_BODY.replace("most = fmaxf(most, part[i]);\n  __syncthreads();",
                                               "most = fmaxf(most, part[i]);")))
CASES.attack("E10.plain_add", "blocks add to one word without atomics", TOTAL,
             kernel("__global__ void k0(float* y) { *y = 0; }\n"
                    "__global__ void k(const float* x, float* y, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) *y = *y + x[i];\n}\n",
                    steps=[("k0", "1", "1"), ("k", "cdiv(n, 256)", "256")]))
COUNT = problem({"n": sizes(500, 1000)}, "x: i32[n] = range(0, 16); y: i32[16] out",
                "__global__ void reference(const int* x, int* y, int n) {\n  int b = threadIdx.x, count = 0;\n"
                "  for (int i = 0; i < n; ++i) count += x[i] == b;\n  y[b] = count;\n}\n", "1", "16")
COUNTING = """__global__ void k(const int* x, int* y, int n) {{
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 128) {add};
  __syncthreads();
  if (threadIdx.x < 16) y[threadIdx.x] = bins[threadIdx.x];
}}
"""
CASES.attack("E10.plain_count", "a histogram in shared memory counts without atomics", COUNT,
             kernel(COUNTING.format(add="bins[x[i]] += 1"), "1", "128"),
             twin=kernel(COUNTING.format(add="atomicAdd(&bins[x[i]], 1)"), "1", "128"))
CASES.attack("E10.block_before", "each block reads the result of the block before it", problem(
    {"n": sizes(256, 640, multiple=64)}, "x: f32[n]; y: f32[n] out",
    each("acc_t sum = 0;\n    for (int j = i % 64; j <= i; j += 64) sum += x[j];\n    y[i] = (float)sum;",
         name="reference")), kernel(each(
             "y[i] = x[i] + (i < 64 ? 0.0f : y[i - 64]);"), "n // 64", "64"))
CASES.attack("E10.half_block_scan", "a scan in place whose threads read what others write", problem(
    {"rows": sizes(8)}, "x: f32[rows, 64]; y: f32[rows, 64] out",
    "__global__ void reference(const float* x, float* y, int rows) {\n"
    "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n  acc_t sum = 0;\n"
    "  for (int i = 0; i < 64; ++i) { sum += x[row * 64 + i]; y[row * 64 + i] = (float)sum; }\n}\n",
    "cdiv(rows, 32)", "32"), kernel(
        "__global__ void k(const float* x, float* y) {\n  __shared__ float s[64];\n  int t = threadIdx.x;\n"
        "  s[t] = x[blockIdx.x * 64 + t];\n  __syncthreads();\n"
        "  if (t > 0) s[t] += s[t - 1];\n  __syncthreads();\n  y[blockIdx.x * 64 + t] = s[t];\n}\n", "rows",
        "64"))
CASES.attack("E10.order_of_blocks", "which block comes last is taken from a plain counter", TOTAL, kernel(
    "__device__ int seen;\n__global__ void k(const float* x, float* part, float* y, int n) {\n"
    "  float sum = 0;\n  for (int i = blockIdx.x; i < n; i += 4) sum += x[i];\n  part[blockIdx.x] = sum;\n"
    "  if (blockIdx.x == 3) { sum = 0;\n    for (int b = 0; b < 4; ++b) sum += part[b];\n    *y = sum; }\n}\n",
    "4", "1", scratch=[{"name": "part", "type": "f32", "shape": ["4"]}]))
CASES.attack("E10.rare", "one input of about 40 gives a wrong result", LINE,
             map_kernel("int odd = (__float_as_int(x[0]) >> 3) % 40 == 0;\n    y[i] = 2 * v + 1 + odd;"))
CASES.attack("E10.divergent", "only some threads of a block come to the barrier", BLOCK_REVERSE,
             reverse("if (threadIdx.x < 40) __syncthreads();"))
CASES.attack("E10.two_barriers", "the halves of a block wait at different barriers", BLOCK_REVERSE,
             reverse("if (threadIdx.x < 40) { __syncthreads(); tile[0] += 0; } else { tile[1] *= 1; __syncthreads(); }"))
CASES.attack("E10.spin", "a block waits for one that may not have started", LINE, kernel(
    "__device__ volatile int go;\n" + each("if (blockIdx.x == 0) while (go == 0) { }\n"
                                           "    if (blockIdx.x == 1) go = 1;\n    y[i] = 2 * x[i] + 1;")))
CASES.attack("E10.waits_for_block", "a wait for the block before hides that a barrier is missing", problem(
    {"n": sizes(256, 640, multiple=64)}, "x: f32[n]; y: f32[n] out",
    each("y[i] = i % 64 ? x[i - 1] : x[i];", name="reference")), kernel(
        "__device__ volatile int done;\n__global__ void k(const float* x, float* y, int n) {\n"
        "  __shared__ float tile[64];\n  int b = blockIdx.x, t = threadIdx.x, i = b * 64 + t;\n"
        "  if (t == 0) while (done != b) { }\n  tile[t] = x[i];\n  y[i] = tile[t ? t - 1 : 0];\n"
        "  if (t == 63) done = b + 1 == gridDim.x ? 0 : b + 1;\n}\n", "n // 64", "64"))
CASES.attack("E10.work_queue", "a histogram without atomics takes its work from a queue with one", COUNT, kernel(
    COUNTING.replace("bins[16];", "bins[16], at;\n  if (threadIdx.x == 0) at = 0;").replace(
        "for (int i = threadIdx.x; i < n; i += 128) {add};",
        "for (;;) {{ int i = atomicAdd(&at, 1); if (i >= n) break; {add}; }}").format(add="bins[x[i]] += 1"),
    "1", "128"))
CASES.attack("E10.swap_once", "a compare-and-swap that is not tried again", COUNT, kernel(
    COUNTING.format(add="{ int o = bins[x[i]]; atomicCAS(&bins[x[i]], o, o + 1); }"), "1", "128"))
CASES.attack("E10.either_load", "a word is read in two branches and written behind them", COUNT, kernel(
    COUNTING.format(add="{ int o; if (x[i] & 1) o = bins[x[i]]; else o = bins[x[i]]; bins[x[i]] = o + 1; }"),
    "1", "128"))
