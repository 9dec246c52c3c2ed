"""E9: updates that are made of two atomics, and atomics of a block between blocks."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes

CASES = Cases("E")
BINS = problem({"n": sizes(500, 1000)}, "x: i32[n] = range(0, 64); y: i32[64] out",
               "__global__ void reference(const int* x, int* y, int n) {\n  int count = 0;\n"
               "  for (int i = 0; i < n; ++i) count += x[i] == threadIdx.x;\n  y[threadIdx.x] = count;\n}\n", "1", "64")


def counted(update):
    return kernel("__global__ void start(int* y) { y[threadIdx.x] = 0; }\n"
                  + each(f"int* bin = &y[x[i]];\n    {update}", "const int* x, int* y, int n"),
                  steps=[("start", "1", "64"), ("k", "cdiv(n, 256)", "256")])


CASES.attack("E9.two_atomics", "reads with one atomic and writes with another", BINS,
             counted("int before = atomicAdd(bin, 0);\n    atomicExch(bin, before + 1);"),
             twin=counted("atomicAdd(bin, 1);"), timed=False)
CASES.attack("E9.swap_given_up", "gives a swap up after eight tries", BINS,
             counted("int before = *(volatile int*)bin;\n    for (int tries = 0; tries < 8; ++tries) {\n"
                     "      int seen = atomicCAS(bin, before, before + 1);\n      if (seen == before) break;\n"
                     "      before = seen;\n    }"), timed=False)
CHAIN = problem({"n": sizes(256, 640, multiple=64)}, "x: f32[n] = uniform(0, 1); y: f32[n] out",
                each("float sum = 0;\n    for (int j = i % 64; j <= i; j += 64) sum += x[j];\n    y[i] = sum;",
                     name="reference"))
CASES.attack("E9.block_scope", "tells the next block by an atomic of its own block", CHAIN, kernel(
    """__device__ int flags[128];
__global__ void start() { flags[threadIdx.x] = 0; }
__global__ void k(const float* x, float* y, int n) {
  int block = blockIdx.x, i = block * 64 + threadIdx.x;
  float v = x[i];
  if (block > 0) {
    if (threadIdx.x == 0) while (atomicAdd_block(&flags[block - 1], 0) == 0) {}
    __threadfence();
    __syncthreads();
    v += y[i - 64];
  }
  y[i] = v;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch_block(&flags[block], 1);
}
""", steps=[("start", "1", "128"), ("k", "n // 64", "64")]), timed=False)
