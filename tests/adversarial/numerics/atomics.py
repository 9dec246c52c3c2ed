"""E9: updates that are made of two atomics, and atomics of a block between blocks."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes
from harness.shared import TOTAL

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
CASES.attack("E9.atomic_and_store", "reads with an atomic and writes plainly through a volatile pointer", BINS,
             counted("int before = atomicOr(bin, 0);\n    *(volatile int*)bin = before + 1;"), timed=False)
CASES.attack("E9.put_back", "takes a count out of its word and gives up where another one has it", BINS,
             counted("int before = atomicExch(bin, -1);\n    if (before >= 0) atomicExch(bin, before + 1);"),
             twin=counted("int before = 0, seen;\n    while ((seen = atomicCAS(bin, before, before + 1)) != before) "
                          "before = seen;"), timed=False)
CASES.attack("E9.own_array", "counts without an atomic in a kernel with an array of its own", BINS,
             counted("volatile int ones[4] = {1, 1, 1, 1};\n    *bin += ones[i % 4];"), timed=False)
BOUND = problem({"n": sizes(500, 1000)}, "x: i32[n] = range(0, 64); y: i32[64] out",
                "__global__ void reference(const int* x, int* y, int n) {\n  int count = 0;\n"
                "  for (int i = 0; i < n; ++i) count += x[i] == threadIdx.x;\n"
                "  y[threadIdx.x] = count < 4 ? count : 4;\n}\n", "1", "64")
CASES.attack("E9.bounded", "asks by one atomic whether there is room and counts by another", BOUND,
             counted("if (atomicAdd(bin, 0) < 4) atomicAdd(bin, 1);"),
             twin=counted("int before = 0;\n    while (before < 4) {\n      int seen = atomicCAS(bin, before, before + 1);\n"
                          "      if (seen == before) break;\n      before = seen;\n    }"), timed=False)
BLOCKS = problem({"n": sizes(500, 1000)}, "x: i32[n] = range(0, 64); y: i32[1] out",
                 "__global__ void reference(const int* x, int* y, int n) {\n  int sum = 0;\n"
                 "  for (int i = 0; i < n; ++i) sum += x[i];\n  y[0] = sum;\n}\n", "1", "1")


def summed(update):
    return kernel("""__global__ void start(int* y) { y[0] = 0; }
__global__ void k(const int* x, int* y, int n) {
  __shared__ int sum;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (i < n) atomicAdd(&sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    %s
  }
}
""" % update, steps=[("start", "1", "1"), ("k", "cdiv(n, 128)", "128")])


CASES.attack("E9.blocks_by_two", "the first thread of each block adds its sum by two atomics", BLOCKS,
             summed("int before = atomicAdd(y, 0);\n    atomicExch(y, before + sum);"),
             twin=summed("atomicAdd(y, sum);"), timed=False)
CHAIN = problem({"n": sizes(256, 640, multiple=64)}, "x: f32[n] = uniform(0, 1); y: f32[n] out",
                each("float sum = 0;\n    for (int j = i % 64; j <= i; j += 64) sum += x[j];\n    y[i] = sum;",
                     name="reference"))
CHAINED = """__device__ int flags[128];
__global__ void start() { flags[threadIdx.x] = 0; }
__global__ void k(const float* x, float* y, int n) {
  int block = blockIdx.x, i = block * 64 + threadIdx.x;
  float v = x[i];
  if (block > 0) {
    if (threadIdx.x == 0) while (atomicAdd@SCOPE@(&flags[block - 1], 0) == 0) {}
    __threadfence();
    __syncthreads();
    v += y[i - 64];
  }
  y[i] = v;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch@SCOPE@(&flags[block], 1);
}
"""


def chained(scope):
    return kernel(CHAINED.replace("@SCOPE@", scope), steps=[("start", "1", "128"), ("k", "n // 64", "64")])


CASES.attack("E9.block_scope", "tells the next block by an atomic of its own block", CHAIN, chained("_block"),
             twin=chained(""), timed=False)
LAST = """#include <cuda/atomic>
__device__ int done;
__global__ void start() { done = 0; }
__global__ void k(const float* x, float* y, float* part, int n) {
  __shared__ float sum;
  __shared__ int last;
  int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (i < n) atomicAdd(&sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;
    @FENCE@;
    last = @TICKET@ == gridDim.x - 1;
    if (last) {
      __threadfence();
      float all = 0;
      for (int block = 0; block < gridDim.x; ++block) all += part[block];
      y[0] = all;
    }
  }
}
"""


def last_block(fence="__threadfence()", ticket="atomicAdd(&done, 1)"):
    return kernel(LAST.replace("@FENCE@", fence).replace("@TICKET@", ticket),
                  steps=[("start", "1", "1"), ("k", "cdiv(n, 256)", "256")],
                  scratch=[{"name": "part", "type": "f32", "shape": ["cdiv(n, 256)"]}])


OBJECT = "cuda::atomic_ref<int, cuda::thread_scope_{}>(done).fetch_add(1)"
PTX = 'asm volatile("fence.acq_rel.{};" ::: "memory")'
CASES.attack("E9.block_fence", "its last block adds up what others tell behind a fence for their own block", TOTAL,
             last_block("__threadfence_block()"), twin=last_block(), timed=False)
CASES.attack("E9.block_object", "its last block is told by an atomic object of each block", TOTAL,
             last_block("(void)0", OBJECT.format("block")),
             twin=last_block("(void)0", OBJECT.format("device")), timed=False)
CASES.attack("E9.block_ptx", "its last block adds up what others tell behind a fence of PTX for their own block", TOTAL,
             last_block(PTX.format("cta")), twin=last_block(PTX.format("gpu")), timed=False)
CASES.attack("E9.block_counts", "counts for all blocks by atomics of each block", BINS,
             counted("atomicAdd_block(bin, 1);"), timed=False)
