"""Honest kernels that count with atomics: last blocks, loops that compare and swap, blocks that meet."""

from harness.case import Cases
from harness.forms import kernel, problem, sizes
from harness.shared import TOTAL

CASES = Cases("honest")


def last_block(tick, after=""):
    """A sum whose last block adds up the parts of all, as in the samples of CUDA."""
    return kernel(f"""__device__ float part[8];
__device__ unsigned done;
__global__ void start() {{ done = 0; }}
__global__ void k(const float* x, float* y, int n) {{
  __shared__ float s[128];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) sum += x[i];
  s[t] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {{
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }}
  if (t == 0) {{
    part[blockIdx.x] = s[0];
    __threadfence();
    if ({tick} == gridDim.x - 1) {{
      __threadfence();
      float all = 0;
      for (int block = 0; block < gridDim.x; ++block) all += part[block];
      y[0] = all;
      {after}
    }}
  }}
}}
""", steps=[("start", "1", "1"), ("k", "8", "128")])


CASES.honest("total_of_blocks", TOTAL, inc=last_block("atomicInc(&done, gridDim.x - 1)"),
             add=last_block("atomicAdd(&done, 1u)"),
             reset=last_block("atomicInc(&done, gridDim.x)", "done = 0;"))

SUM_OF_DOUBLES = problem({"n": sizes(500, 1000)}, "x: f64[n] = uniform(0, 1); y: f64[1] out",
                         "__global__ void reference(const double* x, double* y, int n) {\n  double sum = 0;\n"
                         "  for (int i = 0; i < n; ++i) sum += x[i];\n  y[0] = sum;\n}\n", "1", "1")
CASES.honest("total_f64", SUM_OF_DOUBLES, guide_loop=kernel("""__global__ void start(double* y) { *y = 0; }
__global__ void k(const double* x, double* y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  unsigned long long* sum = (unsigned long long*)y;
  unsigned long long old = *sum, seen;
  do {
    seen = old;
    old = atomicCAS(sum, seen, __double_as_longlong(x[i] + __longlong_as_double(seen)));
  } while (seen != old);
}
""", steps=[("start", "1", "1"), ("k", "cdiv(n, 128)", "128")]))

BINS = problem({"n": sizes(500, 1000)}, "x: i32[n] = range(0, 8); y: f32[8] out",
               "__global__ void reference(const int* x, float* y, int n) {\n  int count = 0;\n"
               "  for (int i = 0; i < n; ++i) count += x[i] == threadIdx.x;\n  y[threadIdx.x] = count;\n}\n", "1", "8")
CASES.honest("count_of_blocks", BINS, grid_barrier=kernel("""__device__ unsigned counts[8], arrived;
__global__ void start() { arrived = 0; counts[threadIdx.x] = 0; }
__global__ void k(const int* x, float* y, int n) {
  int first = blockIdx.x * 128 + threadIdx.x;
  for (int i = first; i < n; i += gridDim.x * 128) atomicAdd(&counts[x[i]], 1u);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&arrived, 1u);
    while (atomicAdd(&arrived, 0u) < gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  if (first < 8) y[first] = *(volatile unsigned*)&counts[first];
}
""", steps=[("start", "1", "8"), ("k", "4", "128")]))
