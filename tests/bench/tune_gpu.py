#!/usr/bin/env python3
"""The pace of `tune` on a device, by the command line.

    tune_gpu.py WARPSMITH DEVICE SECONDS

One line for each kernel. To reach: where builds take the time, 80 % of what the cores could build;
where launches do, as much of the search spent measuring, and builds that go on meanwhile; where points exceed
a block, none that fails when it is tried. Exit status 1 when one is missed on a GPU.
"""

import os
import sys
import tempfile

from command import call

# Sums that are unrolled in both dimensions: seconds of compiling, microseconds of running.
LONG_BUILDS = """
__global__ void work(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], sums[@WIDTH@];
#pragma unroll
  for (int s = 0; s < @WIDTH@; ++s) sums[s] = v * s;
#pragma unroll
  for (int r = 0; r < @ROUNDS@; ++r) {
#pragma unroll
    for (int s = 0; s < @WIDTH@; ++s) sums[s] = sums[s] * v + sums[(s + r) % @WIDTH@];
  }
  float sum = 0;
#pragma unroll
  for (int s = 0; s < @WIDTH@; ++s) sum += sums[s];
  y[i] = sum == 0.123f ? 0 : 2 * v;  // The sums may overflow.
}
"""

# The opposite: a loop that the compiler leaves alone, some milliseconds long.
LONG_LAUNCHES = """
__global__ void work(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], sum = v;
#pragma unroll 1
  for (int r = 0; r < 20000 + @WIDTH@; ++r) sum = sum * 0.999f + v;
  y[i] = 0 * sum + 2 * v + 0 * @ROUNDS@;
}
"""

# Shared memory and registers grow with the parameters; most points of large blocks do not fit.
LARGE_BLOCKS = """
__global__ void work(const float* x, float* y, int n) {
  __shared__ float kept[@ROUNDS@ * 64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sums[@WIDTH@];
  for (int j = threadIdx.x; j < @ROUNDS@ * 64; j += blockDim.x) kept[j] = j;
  __syncthreads();
  float v = i < n ? x[i] : 0;
#pragma unroll
  for (int s = 0; s < @WIDTH@; ++s) sums[s] = v * kept[(s + threadIdx.x) % (@ROUNDS@ * 64)];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int s = 0; s < @WIDTH@; ++s) sum += sums[s] * kept[s] * kept[@WIDTH@ - s];
  if (i < n) y[i] = 0 * sum + 2 * v;
}
"""

KERNELS = {
    "long builds": (LONG_BUILDS, {"BLOCK": [64, 128, 256], "WIDTH": [48, 56, 64, 72, 80, 88],
                                  "ROUNDS": list(range(240, 304, 4))}),
    "long launches": (LONG_LAUNCHES, {"BLOCK": [64, 128, 256, 512], "WIDTH": list(range(1, 17)),
                                      "ROUNDS": list(range(1, 9))}),
    "large blocks": (LARGE_BLOCKS, {"BLOCK": [256, 512, 1024], "WIDTH": [16, 48, 64, 96, 128, 192],
                                    "ROUNDS": [16, 64, 160, 192, 224, 512]}),
}


def form(source, params):
    return {"name": "work", "language": "cuda", "source": source, "params": params,
            "defaults": {name: values[0] for name, values in params.items()},
            "launches": [{"entry": "work", "grid": ["cdiv(n, BLOCK)"], "block": ["BLOCK"],
                          "args": ["x", "y", "n"]}]}


PROBLEM = {
    "name": "twice", "op": "elementwise", "dims": {"n": [1 << 20]},
    "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in", "fill": "normal"},
             {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "twice",
                  "source": "__global__ void twice(const float* x, float* y, int n) {\n"
                            "  int i = blockIdx.x * 256 + threadIdx.x;\n"
                            "  if (i < n) y[i] = 2 * x[i];\n}\n",
                  "launches": [{"entry": "twice", "grid": ["cdiv(n, 256)"], "block": ["256"],
                                "args": ["x", "y", "n"]}]},
}


def main():
    warpsmith, device, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    missed = []
    with tempfile.TemporaryDirectory() as data:
        for name, (source, params) in KERNELS.items():
            kernel = call(warpsmith, data, "compile_kernel",
                          {"problem": PROBLEM, "kernel": form(source, params), "device": device})
            found = call(warpsmith, data, "tune",
                         {"kernel_id": kernel["kernel_id"], "device": device, "budget_s": seconds,
                          "strategy": "random", "detail": "full"})
            pace = found["pace"]
            limit = os.cpu_count() / pace["build_s"]
            built = pace["builds_per_s"] / limit
            measured = pace["measuring_s"] / pace["search_s"]
            unseen = sum(row["count"] for row in found["failures"])
            print(f"{name:14} {pace['builds']} builds in {pace['search_s']:.1f} s, each "
                  f"{pace['build_s']:.2f} s: {pace['builds_per_s']:.1f}/s, {100 * built:.0f} % of the "
                  f"cores; measuring {100 * measured:.0f} %, overlap {pace['overlap']}; pruned "
                  f"{found['pruned_by']}, failed {unseen} of {pace['trials']}; {found['ended_by']}")
            if name == "long builds" and built < 0.8:
                missed.append(f"{name}: builds")
            if name == "long launches" and (measured < 0.8 or (pace["overlap"] or 0) < 0.8):
                missed.append(f"{name}: overlap")
            if found["validation"]["verdict"] != "passed":
                missed.append(f"{name}: its results are {found['validation']['verdict']}")
            if unseen > 0.05 * (unseen + found["pruned_by"]["device"]):
                missed.append(f"{name}: resources")
    for what in missed:
        print(f"missed: {what}")
    return 1 if missed and not device.startswith("cpu") else 0


if __name__ == "__main__":
    sys.exit(main())
