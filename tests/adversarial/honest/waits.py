"""Honest kernels whose threads meet without barriers: warps that help each other, and the lanes that are there."""

from harness.case import Cases
from harness.forms import each, kernel, problem, sizes
from harness.shared import LINE

CASES = Cases("honest")

POSITIVE = problem({"n": sizes(500, 1000)}, "x: f32[n]; y: i32[1] out",
                   "__global__ void reference(const float* x, int* y, int n) {\n  int count = 0;\n"
                   "  for (int i = 0; i < n; ++i) count += x[i] > 0;\n  *y = count;\n}\n", "1", "1")
AGGREGATED = """__device__ void add_one(int* counter) {
  unsigned active = __activemask();
  int leader = __ffs(active) - 1, lane = threadIdx.x & 31;
  if (lane == leader) atomicAdd(counter, __popc(active));
}
__global__ void zero(int* y) { *y = 0; }
__global__ void k(const float* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) add_one(y);
}
"""
RANKED = AGGREGATED.replace("if (lane == leader) atomicAdd(counter, __popc(active));", """int first = 0;
  if (lane == leader) first = atomicAdd(counter, __popc(active));
  first = __shfl_sync(active, first, leader);""")
STEPS = [("zero", "1", "1"), ("k", "cdiv(n, 256)", "256")]
CASES.honest("count_positive", POSITIVE, lanes_that_are_there=kernel(AGGREGATED, steps=STEPS),
             ranked=kernel(RANKED, steps=STEPS))

CASES.honest("line", LINE, warp_waits_for_warp=kernel("""__global__ void k(const float* x, float* y, int n) {
  __shared__ volatile int flag;
  __shared__ volatile float box[32];
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 32 + lane;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t >= 32) {
    while (flag == 0) { }
    __threadfence_block();
    if (i < n) y[i] = box[lane];
  } else {
    if (i < n) box[lane] = 2 * x[i] + 1;
    __threadfence_block();
    __syncwarp();
    if (lane == 0) flag = 1;
  }
}
""", "cdiv(n, 32)", "64"))

CASES.honest("fold", problem({"n": sizes(500, 1000)}, "x: f32[n]; y: f32[n] out",
                             each("y[i] = x[i] + x[n - 1 - i];", name="reference")),
             plain=kernel(each("y[i] = x[i] + x[n - 1 - i];")))
