#!/usr/bin/env python3
"""Compares the medians that the GPU tests printed with triton.testing.do_bench, same kernel.

    gpu.py LOG    LOG: the output of ws_tests -ts=gpu.*

Exit status 1 when a cold median is more than 1 % away, 0 too where Triton or CuPy is missing.
"""

import re
import sys

# The kernel of gpu_test.cpp, and its launch.
SOURCE = r"""
extern "C" __global__ void add_all(int* v, int n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) { v[i] += 1; }
}
"""
GRID, BLOCK = 2112, 256
LINE = re.compile(r"(\d+) ints, hot 0: median ([\d.]+) us")


def do_bench_us(count):
    import cupy
    import torch
    import triton.testing

    kernel = cupy.RawKernel(SOURCE, "add_all", options=("-std=c++17",))
    values = torch.zeros(count, dtype=torch.int32, device="cuda")
    stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)

    def launch():
        with stream:
            kernel((GRID,), (BLOCK,), (values.data_ptr(), cupy.int32(count)))

    return 1000 * triton.testing.do_bench(launch, return_mode="median")


def main():
    with open(sys.argv[1], encoding="utf-8") as log:
        ours = LINE.findall(log.read())
    if not ours:
        print("no timings in the log: the GPU tests were left out")
        return 0
    status = 0
    for count, median in ours:
        try:
            theirs = do_bench_us(int(count))
        except ImportError as error:
            print(f"no comparison: {error}")
            return status
        ratio = float(median) / theirs
        print(f"{count} ints: ours {float(median):.2f} us, do_bench {theirs:.2f} us, {ratio:.4f}")
        # Both have the events' own cost in them, which a short kernel shows.
        status |= theirs > 50 and abs(ratio - 1) > 0.01
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
