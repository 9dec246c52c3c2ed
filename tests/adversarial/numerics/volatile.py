"""E9: `volatile` in the place of a barrier, a fence or an atomic, and waits that end too early."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes
from harness.shared import TOTAL, TOTAL_SOURCE

CASES = Cases("E")
INTEGER_TOTAL = problem({"n": sizes(1000, 3000)}, "x: i32[n] = range(0, 1000); y: i32[1] out",
                        "__global__ void reference(const int* x, int* y, int n) {\n  int sum = 0;\n"
                        "  for (int i = 0; i < n; ++i) sum += x[i];\n  y[0] = sum;\n}\n", "1", "1")
PREFIX = problem({"n": sizes(512, 1000, most=2000)}, "x: i32[n] = range(0, 100); y: i32[n] out",
                 "__global__ void reference(const int* x, int* y, int n) {\n  int sum = 0;\n"
                 "  for (int i = 0; i < n; ++i) { sum += x[i]; y[i] = sum; }\n}\n", "1", "1")
TREE = """__global__ void k(const int* x, int* y, int n) {
  __shared__ volatile int part[256];
  int t = threadIdx.x, sum = 0;
  for (int i = t; i < n; i += 256) sum += x[i];
  part[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] = part[t] + part[t + half];
    EACH
  }
  __syncthreads();
  if (t == 0) y[0] = part[0];
}
"""
CASES.attack("E9.volatile_tree", "a tree over eight warps in volatile words, without barriers", INTEGER_TOTAL,
             kernel(TREE.replace("EACH", ""), "1", "256"), timed=False,
             twin=kernel(TREE.replace("EACH", "__syncthreads();"), "1", "256"))
CASES.attack("E9.volatile_tree_syncwarp", "the same with a barrier of each warp", INTEGER_TOTAL,
             kernel(TREE.replace("EACH", "__syncwarp();"), "1", "256"), timed=False)

CHAIN = """__global__ void start(int* flag) { flag[threadIdx.x] = 0; }
__global__ void k(const int* x, int* y, int* sums, int* flag, int n) {
  int i = blockIdx.x * 32 + threadIdx.x, v = i < n ? x[i] : 0, before = 0;
  for (int s = 1; s < 32; s *= 2) {
    int other = __shfl_up_sync(~0u, v, s);
    if (threadIdx.x >= s) v += other;
  }
  if (threadIdx.x == 31) {
    if (blockIdx.x > 0) {
      while (((volatile int*)flag)[blockIdx.x - 1] == 0) { }
      __threadfence();
      before = ((volatile int*)sums)[blockIdx.x - 1];
    }
    PUBLISH
  }
  before = __shfl_sync(~0u, before, 31);
  if (i < n) y[i] = before + v;
}
"""
STORE, RAISE = "((volatile int*)sums)[blockIdx.x] = before + v;", "((volatile int*)flag)[blockIdx.x] = 1;"


def chain(*steps):
    return kernel(CHAIN.replace("PUBLISH", "\n    ".join(steps)),
                  steps=[("start", "1", "64"), ("k", "cdiv(n, 32)", "32")],
                  scratch=[{"name": name, "type": "i32", "shape": ["64"]} for name in ("sums", "flag")])


CASES.attack("E9.flag_first", "raises its flag before it stores the sum", PREFIX, chain(RAISE, "__threadfence();", STORE),
             twin=chain(STORE, "__threadfence();", RAISE), timed=False)
CASES.attack("E9.flag_without_fence", "stores the sum and raises the flag without a fence", PREFIX, chain(STORE, RAISE),
             timed=False)

LOCK = """__global__ void start(int* lock, int* y) { *lock = 0; *y = 0; }
__global__ void k(const int* x, int* lock, int* y, int n) {
  __shared__ int s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int j = 0; j < 64; ++j) sum += s[j];
    while (atomicCAS(lock, 0, 1) != 0) { }
    __threadfence();
    int old = *(volatile int*)y;
    MIDDLE
    *(volatile int*)y = old + sum;
    __threadfence();
    atomicExch(lock, 0);
  }
}
"""


def locked(middle):
    return kernel(LOCK.replace("MIDDLE", middle), steps=[("start", "1", "1"), ("k", "cdiv(n, 64)", "64")],
                  scratch=[{"name": "lock", "type": "i32", "shape": ["1"]}])


CASES.attack("E9.lock_early", "gives its lock back between reading and writing", INTEGER_TOTAL,
             locked("__threadfence();\n    atomicExch(lock, 0);"), twin=locked(""), timed=False)

LAST = TOTAL_SOURCE.replace("const float* x, float* y, int n) {", "const float* x, float* y, float* total, int* done, int n) {\n"
                            "  __shared__ int last;").replace("i += 256", "i += 256 * gridDim.x").replace(
    "int i = t;", "int i = blockIdx.x * 256 + t;")
LAST = LAST[:LAST.rindex("  if (t == 0)")] + """  if (t == 0) {
    atomicAdd(total, part[0]);
    FENCE
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) y[0] = *total;
}
__global__ void start(float* total, int* done) { *total = 0; *done = 0; }
"""


def last_block(fence):
    return kernel(LAST.replace("FENCE", fence), steps=[("start", "1", "1"), ("k", "4", "256")],
                  scratch=[{"name": "total", "type": "f32", "shape": ["1"]}, {"name": "done", "type": "i32", "shape": ["1"]}])


CASES.attack("E9.last_block_without_fence", "the last block reads a total of atomics plainly, without a fence", TOTAL,
             last_block(""), twin=last_block("__threadfence();"), timed=False)

REVERSE = problem({"n": sizes(256, 640, multiple=64)}, "x: i32[n] = range(0, 100); y: i32[n] out",
                  each("y[i] = x[i / 64 * 64 + 63 - i % 64];", "const int* x, int* y, int n", name="reference"))
WAIT = """__global__ void k(const int* x, int* y, int n) {
  __shared__ volatile int s[64];
  __shared__ volatile int flag[2];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (t < 2) flag[t] = 0;
  __syncthreads();
  s[t] = x[i];
  __threadfence_block();
  __syncwarp();
  if (t % 32 == 0) flag[t / 32] = 1;
  WAIT
  __threadfence_block();
  y[i] = s[63 - t];
}
"""


def waiting(wait):
    return kernel(WAIT.replace("WAIT", wait), "n // 64", "64")


CASES.attack("E9.bounded_wait", "looks at a flag a hundred times at most", REVERSE,
             waiting("for (int tries = 0; tries < 100 && flag[1 - t / 32] == 0; ++tries) { }"),
             twin=waiting("while (flag[1 - t / 32] == 0) { }"), timed=False)
CASES.attack("E9.sleep", "sleeps in the place of a wait", REVERSE, waiting("__nanosleep(1000);"), timed=False)
