"""Gathers, scatters, sorting networks, integer types, segments and whole-grid barriers."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes

CASES = Cases("honest")
LINE = {"n": sizes(500, 1000)}
INDEXED = "const float* x, const int* at, float* y, int n"
PERMUTED = "x: f32[n]; at: i32[n] = permutation; y: f32[n] out"

CASES.honest("gather", problem(LINE, PERMUTED, each("y[i] = x[at[i]];", INDEXED, name="reference")),
             plain=kernel(each("y[i] = x[at[i]];", INDEXED)),
             read_only=kernel(each("y[i] = __ldg(x + __ldg(at + i));", INDEXED)))
CASES.honest("scatter", problem(LINE, PERMUTED, each("y[at[i]] = x[i];", INDEXED, name="reference")),
             plain=kernel(each("y[at[i]] = x[i];", INDEXED)))
TABLE = "const float* table, const int* at, float* y, int n, int d"
ROWS = each("y[i] = table[at[i / d] * d + i % d];", TABLE, count="n * d")
CASES.honest("embedding",
             problem({"n": sizes(60), "d": [8]},
                     "table: f32[50, d]; at: i32[n] = range(0, 50); y: f32[n, d] out",
                                  ROWS.replace(" k(", " reference("), "cdiv(n * d, 256)"),
             flat=kernel(ROWS, "cdiv(n * d, 256)"))
ADD_INTO = "__global__ void {}(const float* x, const int* at, float* y, int n) {{\n  int bin = threadIdx.x;\n  {} sum = 0;\n" \
           "  for (int i = 0; i < n; ++i)\n    if (at[i] == bin) sum += x[i];\n  y[bin] = sum;\n}}\n"
CASES.honest("index_add", problem(LINE, "x: f32[n] = uniform(0, 1); at: i32[n] = range(0, 32); y: f32[32] out",
                                  ADD_INTO.format("reference", "acc_t"), "1", "32"),
             own_bin=kernel(ADD_INTO.format("k", "float"), "1", "32"),
             atomics=kernel("__global__ void zero(float* y) { y[threadIdx.x] = 0; }\n"
                            + each("atomicAdd(&y[at[i]], x[i]);", INDEXED),
                            steps=[("zero", "1", "32"), ("k", "cdiv(n, 256)", "256")]))
SEGMENT = "__global__ void {}(const float* x, const int* start, float* y, int n, int s) {{\n" \
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= s) return;\n  {} sum = 0;\n" \
          "  for (int j = start[i]; j < start[i + 1]; ++j) sum += x[j];\n  y[i] = sum;\n}}\n"
CASES.honest("segment_sum",
             problem({"n": [600], "s": sizes(20)},
                     "x: f32[n]; start: i32[s + 1] = sorted_offsets; y: f32[s] out",
                                    SEGMENT.format("reference", "acc_t"), "cdiv(s, 32)", "32")
             | {"args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
                         {"name": "start", "type": "i32", "shape": ["s + 1"], "role": "in",
                          "fill": {"kind": "sorted_offsets", "low": 0, "high": 600}},
                         {"name": "y", "type": "f32", "shape": ["s"], "role": "out"}]},
             thread=kernel(SEGMENT.format("k", "float"), "cdiv(s, 32)", "32"))
COMPARE = "int half = i / 64 * 64, rank = 0;\n    for (int j = half; j < half + 64; ++j)\n" \
          "      rank += x[j] < x[i] || (x[j] == x[i] && j < i);\n    y[half + rank] = x[i];"
BITONIC = """__global__ void k(const float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads();
  for (int size = 2; size <= 64; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      int other = t ^ step;
      if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
        float keep = s[t];
        s[t] = s[other];
        s[other] = keep;
      }
      __syncthreads();
    }
  y[blockIdx.x * 64 + t] = s[t];
}
"""
ODD_EVEN = BITONIC[:BITONIC.index("  for (int size")] + """  for (int round = 0; round < 64; ++round) {
    int low = 2 * t + round % 2;
    if (low + 1 < 64 && s[low] > s[low + 1]) {
      float keep = s[low];
      s[low] = s[low + 1];
      s[low + 1] = keep;
    }
    __syncthreads();
  }
  y[blockIdx.x * 64 + t] = s[t];
}
"""
CASES.honest("sort_blocks",
             problem({"n": sizes(256, 640, multiple=64)}, "x: f32[n]; y: f32[n] out",
                     each(COMPARE, name="reference")),
             bitonic=kernel(BITONIC, "n // 64", "64"), odd_even=kernel(ODD_EVEN, "n // 64", "64"),
             ranks=kernel(each(COMPARE)))

INTEGERS = [
    ("threshold_u8", "u8", "unsigned char", "range(0, 256)", "x[i] > 127 ? 255 : 0"),
    ("invert_u8", "u8", "unsigned char", "range(0, 256)", "255 - x[i]"),
    ("square_i64", "i64", "long long", "range(-1000000, 1000000)", "x[i] * x[i] + 1"),
    ("absolute_i32", "i32", "int", "range(-1000, 1000)", "x[i] < 0 ? -x[i] : x[i]"),
    ("modulo_i32", "i32", "int", "range(0, 100000)", "x[i] % 37"),
    ("shift_i16", "i16", "short", "range(-1000, 1000)", "(short)(x[i] >> 2)"),
    ("hash_u32", "u32", "unsigned", "range(0, 1000000)", "(x[i] ^ (x[i] >> 15)) * 2654435761u"),
    ("popcount_u32", "u32", "unsigned", "range(0, 1000000)", "(unsigned)__popc(x[i])"),
    ("clamp_i8", "i8", "signed char", "range(-128, 128)", "x[i] < -100 ? -100 : x[i] > 100 ? 100 : x[i]"),
    ("sum_f64", "f64", "double", "normal", "x[i] * 1.5 + 2"),
]
for kind, word, type_name, fill, term in INTEGERS:
    parameters = f"const {type_name}* x, {type_name}* y, int n"
    CASES.honest(kind,
                 problem(LINE, f"x: {word}[n] = {fill}; y: {word}[n] out",
                         each(f"y[i] = {term};", parameters, name="reference")),
                 plain=kernel(each(f"y[i] = {term};", parameters)), stride=kernel(
                     f"__global__ void k({parameters}) {{\n"
                     f"  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)"
                     f" y[i] = {term};\n}}\n", "3", "64"))

LONG_SUM = "__global__ void {}(const int* x, long long* y, int n) {{\n  long long sum = 0;\n" \
           "  for (int i = {}; i < n; i += {}) sum += x[i];\n  {}\n}}\n"
CASES.honest("sum_i64", problem(LINE, "x: i32[n] = range(0, 1000000000); y: i64[1] out",
                                LONG_SUM.format("reference", "0", "1", "*y = sum;"), "1", "1"),
             thread=kernel(LONG_SUM.format("k", "0", "1", "*y = sum;"), "1", "1"),
             shuffle=kernel(LONG_SUM.format("k", "threadIdx.x", "32",
                                            "for (int step = 16; step > 0; step /= 2) sum += "
                                            "__shfl_xor_sync(0xffffffffu, sum, step);\n"
                                            "  if (threadIdx.x == 0) *y = sum;"), "1", "32"),
             atomics=kernel("__global__ void zero(unsigned long long* y) { *y = 0; }\n" + each(
                 "atomicAdd(y, (unsigned long long)x[i]);", "const int* x, unsigned long long* y, int n"),
                            steps=[("zero", "1", "1"), ("k", "cdiv(n, 256)", "256")]))
CASES.honest("count_votes",
             problem(LINE, "x: f32[n]; y: i32[1] out",
                     "__global__ void reference(const float* x, int* y, int n) {\n"
                                    "  int count = 0;\n  for (int i = 0; i < n; ++i) count += x[i] > 0.5f;\n"
                                    "  *y = count;\n}\n", "1", "1"),
             ballot=kernel("""__global__ void k(const float* x, int* y, int n) {
  int count = 0;
  for (int first = 0; first < n; first += 32) {
    int i = first + threadIdx.x;
    count += __popc(__ballot_sync(0xffffffffu, i < n && x[i] > 0.5f));
  }
  if (threadIdx.x == 0) *y = count;
}
""", "1", "32"), block=kernel("""__global__ void k(const float* x, int* y, int n) {
  int count = 0;
  for (int first = 0; first < n; first += 128) {
    int i = first + threadIdx.x;
    count += __syncthreads_count(i < n && x[i] > 0.5f);
  }
  if (threadIdx.x == 0) *y = count;
}
""", "1", "128"))

SEARCH = "const int* edges, const int* x, int* y, int n"
LOWER = "int at = 0;\n    for (int j = 0; j < 32; ++j) at += edges[j] < x[i];\n    y[i] = at;"
BISECT = "int low = 0, high = 32;\n    while (low < high) {\n      int middle = (low + high) / 2;\n" \
         "      if (edges[middle] < x[i]) low = middle + 1; else high = middle;\n    }\n    y[i] = low;"
CASES.honest("search_sorted",
             problem(LINE, "edges: i32[32] = sorted_offsets(-900, 900); x: i32[n] = range(-1000, 1000); y: i32[n] out",
                     each(LOWER, SEARCH, name="reference")),
             linear=kernel(each(LOWER, SEARCH)), bisection=kernel(each(BISECT, SEARCH)))

GRID_SYNC = """#include <cooperative_groups.h>
__global__ void k(const float* x, float* part, float* y, int n) {
  __shared__ float s[64];
  float sum = 0;
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) sum += x[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 64; ++i) sum += s[i];
    part[blockIdx.x] = sum;
  }
  cooperative_groups::this_grid().sync();
  float total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += part[b];
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) y[i] = x[i] / total;
}
"""
SHARE = "acc_t sum = 0;\n    for (int j = 0; j < n; ++j) sum += x[j];\n    y[i] = (float)(x[i] / sum);"
SHARES = problem(LINE, "x: f32[n] = uniform(1, 2); y: f32[n] out", each(SHARE, name="reference"))
SHARES["args"][0]["domain"] = [1, 2]
COOPERATIVE = kernel(GRID_SYNC, "4", "64", scratch=[{"name": "part", "type": "f32", "shape": ["4"]}])
COOPERATIVE["launches"][0]["cooperative"] = True
CASES.honest("share_of_total", SHARES, thread=kernel(each(SHARE.replace("acc_t", "float"))))
CASES.honest("share_by_grid_barrier", SHARES, needs="cuda", cooperative=COOPERATIVE)
# Lanes behind the end have left when the others exchange: a mask may name them, and nobody uses what they give.
CASES.honest("next_of_lane", problem(LINE, "x: f32[n]; y: f32[n] out",
                                     each("y[i] = i + 1 < n && i % 32 < 31 ? x[i + 1] : x[i];", name="reference")),
             shuffle=kernel(each("float v = x[i];\n    float w = __shfl_down_sync(0xffffffffu, v, 1);\n"
                                 "    y[i] = i + 1 < n && i % 32 < 31 ? w : v;",
                                 "const float* x, float* y, int n")))
