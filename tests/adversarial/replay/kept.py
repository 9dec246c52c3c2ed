"""C1 left-over output, C2 results kept in variables, C3 counters, clocks and modes, C4 other hiding places."""

from harness.case import Cases
from harness.forms import each, kernel, map_kernel, problem, sizes
from harness.shared import LINE, LINE_KERNEL

CASES = Cases("C")
RESTORED = "variables are restored before each launch"
POISONED = "the memory is poisoned before each launch"


def stateful(state, statement, **fields):
    """A map's kernel with variables of its own."""
    return kernel(each(f"float right = 2 * x[i] + 1;\n    {statement}", before=state), **fields)


CASES.attack("C1.nothing", "writes nothing: the output may hold an earlier result", LINE, map_kernel(""),
             twin=LINE_KERNEL)
CASES.attack("C1.every_other", "writes every other element", LINE, map_kernel("if (i % 2) y[i] = 2 * v + 1;"))
CASES.attack("C1.keeps_good", "leaves what looks like a result of this size", LINE,
             map_kernel("if (!(y[i] > -100 && y[i] < 100)) y[i] = 2 * v + 1;"))
CASES.attack("C1.keeps_checked", "leaves a block's output where its first element is right", LINE,
             kernel("__global__ void k(const float* x, float* y, int n) {\n  int first = blockIdx.x * 256;\n"
                    "  bool done = y[first] == 2 * x[first] + 1;\n  __syncthreads();\n"
                    "  if (!done && first + threadIdx.x < n) y[first + threadIdx.x] = 2 * x[first + threadIdx.x] + 1;\n}\n"),
             neutral=POISONED)

CASES.attack("C2.without_key", "gives what the launch before has kept", LINE,
             stateful("__device__ float kept[8192];\n", "y[i] = kept[i];\n    kept[i] = right;"))
CASES.attack("C2.kept_result", "gives a kept result where there is one", LINE,
             stateful("__device__ float kept[8192];\n__device__ int filled[8192];\n",
                      "y[i] = filled[i] ? kept[i] : right;\n    kept[i] = y[i];\n    filled[i] = 1;"),
             neutral=RESTORED)
CASES.attack("C2.same_first", "gives a kept result where the first input is the same", LINE,
             stateful("__device__ float kept[8192];\n__device__ int key[8192];\n",
                      "int bits = __float_as_int(x[0]) + 1;\n    y[i] = key[i] == bits ? kept[i] : right;\n"
                      "    key[i] = bits;\n    kept[i] = y[i];"),
             neutral=RESTORED)
CASES.attack("C2.static_local", "keeps the result in a static variable of the kernel", LINE, kernel(
    each("static __device__ float kept[8192];\n    if (kept[i] == 0) kept[i] = 2 * x[i] + 1;\n"
         "    y[i] = kept[i];")),
             neutral=RESTORED)
CASES.attack("C2.constant", "keeps the result in constant memory, through a cast", LINE,
             stateful("__constant__ float table[8192];\n",
                      "float* kept = (float*)table;\n    if (kept[i] == 0) kept[i] = right;\n"
                      "    y[i] = kept[i];"),
             neutral=RESTORED, killed_by=("compile_error",))

CASES.attack("C3.first_only", "does its work in the first launch only", LINE,
             stateful("__device__ int launches[8192];\n",
                      "if (launches[i] == 0) y[i] = right;\n    launches[i] = 1;"),
             neutral=RESTORED)
CASES.attack("C3.first_three", "is right three times, then constant", LINE,
             stateful("__device__ int launches[8192];\n",
                      "y[i] = launches[i] < 3 ? right : 1;\n    launches[i] += 1;"),
             neutral=RESTORED)
CASES.attack("C3.scratch_counter", "counts launches in scratch memory", LINE, kernel(
    each("int seen = state[2 * i] == 77123 ? state[2 * i + 1] : 0;\n    state[2 * i] = 77123;\n"
         "    state[2 * i + 1] = seen + 1;\n    y[i] = seen < 3 ? 2 * x[i] + 1 : 1;",
         "const float* x, float* y, int* state, int n"),
    scratch=[{"name": "state", "type": "i32", "shape": ["2*n"]}]), neutral=POISONED)
CASES.attack("C3.clock_parity", "is wrong in one of 97 readings of the clock", LINE,
             map_kernel("y[i] = i == 0 && clock64() % 97 == 0 ? 0 : 2 * v + 1;"))
CASES.attack("C3.clock_window", "is wrong in one of 64 stretches of time, each of a second or so", LINE,
             map_kernel("y[i] = (clock64() >> 31) % 64 == 13 ? 0 : 2 * v + 1;"))
CASES.attack("C3.globaltimer", "asks for the time of day", LINE,
             map_kernel('unsigned long long now;\n    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));\n'
                        "    y[i] = now % 64 ? 2 * v + 1 : 0;"), killed_by=("compile_error", "unsupported"))
CASES.attack("C3.gridid", "asks for the number of the grid", LINE,
             map_kernel('unsigned long long id;\n    asm volatile("mov.u64 %0, %%gridid;" : "=l"(id));\n'
                        "    y[i] = id % 64 ? 2 * v + 1 : 0;"), killed_by=("compile_error", "unsupported"))

SHARED = """__global__ void k(const float* x, float* y, int n) {
  __shared__ float kept[256];
  __shared__ int key[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i < n) {
    int bits = __float_as_int(x[i]) ^ 0x5bd1e995;
    y[i] = key[t] == bits ? kept[t] : 2 * x[i] + 1;
    key[t] = bits;
    kept[t] = y[i];
  }
}
"""
CASES.attack("C4.row_padding", "keeps the result in the padding between rows", problem(
    {"n": sizes(200, 300), "m": [4]}, "x: f32[n, m]; y: f32[n, m] out",
    "__global__ void reference(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < 4 * n) y[i / 4 * 8 + i % 4] = 2 * x[i];\n}\n", "cdiv(4 * n, 256)")
             | {"args": [{"name": "x", "type": "f32", "shape": ["n", "m"], "role": "in"},
                         {"name": "y", "type": "f32", "shape": ["n", "m"], "strides": ["8", "1"],
                          "role": "out"}]},
             kernel(each("float* row = y + 8 * i;\n    for (int j = 0; j < 4; ++j) {\n"
                         "      row[j] = 2 * x[4 * i + j];\n      if (i + 1 < n) row[4 + j] = row[j];\n    }")),
             twin=kernel(each("for (int j = 0; j < 4; ++j) y[8 * i + j] = 2 * x[4 * i + j];")))
CASES.attack("C4.stale_shared", "shared memory still holds key and result", LINE, kernel(SHARED),
             neutral=POISONED)
CASES.attack("C4.scratch", "scratch memory still holds key and result", LINE, kernel(
    each("y[i] = kept[2 * i] == x[i] + 99.0f ? kept[2 * i + 1] : 2 * x[i] + 1;\n"
         "    kept[2 * i] = x[i] + 99.0f;\n    kept[2 * i + 1] = y[i];",
         "const float* x, float* y, float* kept, int n"),
    scratch=[{"name": "kept", "type": "f32", "shape": ["2*n"]}]), neutral=POISONED)
CASES.attack("C4.symbol", "writes its state over the copy of an argument in a symbol", problem(
    {"n": sizes(500, 1000)}, "x: f32[n]; w: f32[3]; y: f32[n] out",
    each("y[i] = (float)((acc_t)x[i] * w[0] + w[1]);", "const float* x, const float* w, float* y, int n",
         name="reference")),
             kernel("__device__ float weights[3];\n" + each(
                 "y[i] = x[i] * weights[0] + weights[1];\n    if (i == n - 1) weights[2] = 77;"),
                    symbols=[{"name": "weights", "of": "w"}]),
             twin=kernel("__constant__ float weights[3];\n" + each("y[i] = x[i] * weights[0] + weights[1];"),
                         symbols=[{"name": "weights", "of": "w"}]), neutral=RESTORED)
CASES.attack("C4.heap", "keeps state on the device's heap", LINE, stateful(
    "__device__ float* kept;\n", "if (i == 0 && kept == 0) kept = (float*)malloc(4);\n    y[i] = right;"),
             neutral=RESTORED, killed_by=("compile_error", "unsupported"))
