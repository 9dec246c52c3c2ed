#!/usr/bin/env python3
"""What a cache miss costs beside bare NVRTC on the same source, both in turns. Needs no GPU.

    nvrtc.py EXECUTABLE [--rounds N] [--library PATH]

Bare NVRTC is a loop in this process: create, add the name, compile, take code, PTX, log and name.
Ours is compile_kernel from its client's side, and the part of it that the compiler's worker reports.
Exit status 1 when a miss costs more than 1.05 times bare NVRTC. Standard library only.
"""

import argparse
import ctypes
import pathlib
import statistics
import sys
import tempfile
import time

from base import PROBLEM, Server, changed

ARCH = "sm_90a"
MOST = 1.05
FOLDERS = ("/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib",
           "/usr/lib/x86_64-linux-gnu")

VADD = "__global__ void k(float* y) { y[threadIdx.x] += 1.0f; }\n"
HALF = """#include <cuda_fp16.h>
#include <mma.h>
__global__ void k(float* y) {
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> a;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::row_major> b;
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;
  nvcuda::wmma::fill_fragment(a, __float2half(1.0f));
  nvcuda::wmma::fill_fragment(b, __float2half(2.0f));
  nvcuda::wmma::fill_fragment(c, 0.0f);
  nvcuda::wmma::mma_sync(c, a, b, c);
  nvcuda::wmma::store_matrix_sync(y, c, 16, nvcuda::wmma::mem_row_major);
}
"""
UNROLLED = """__global__ void k(float* y) {
  __shared__ float a[16][129], b[16][129];
  float sum[8][8] = {};
  for (int t = 0; t < 64; ++t) {
    for (int i = threadIdx.x; i < 2048; i += 256) {
      a[i / 128][i % 128] = y[i + t * 2048];
      b[i / 128][i % 128] = y[i + t * 4096];
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 16; ++k)
      #pragma unroll
      for (int r = 0; r < 8; ++r)
        #pragma unroll
        for (int c = 0; c < 8; ++c)
          sum[r][c] += a[k][threadIdx.x / 16 * 8 + r] * b[k][threadIdx.x % 16 * 8 + c];
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c) y[(threadIdx.x * 8 + r) * 8 + c] = sum[r][c];
}
"""
GROUPS = """#include <cooperative_groups.h>
__global__ void k(float* y) {
  cooperative_groups::this_thread_block().sync();
  y[threadIdx.x] += 1.0f;
}
"""
SOURCES = {"vadd": VADD, "wmma, cuda_fp16.h": HALF, "unrolled product": UNROLLED,
           "cooperative_groups.h": GROUPS}


def find_library():
    for folder in FOLDERS:
        for name in ("libnvrtc.so.13", "libnvrtc.so.12"):
            path = pathlib.Path(folder) / name
            if path.exists():
                return str(path.resolve())
    sys.exit("libnvrtc is not here; name it with --library")


class Nvrtc:
    """The library's calls, as a program would make them that uses nothing else."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        include = pathlib.Path(path).parent.parent / "include"
        if not include.exists():
            include = pathlib.Path(path).parents[3] / "include"
        self.options = [f"--gpu-architecture={ARCH}", "--generate-line-info",
                        "--ptxas-options=-v", "--no-cache", "--std=c++17", f"-I{include}", f"-I{include}/cccl"]

    def fetch(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, text)
        return text.raw

    def compile(self, source):
        """Milliseconds."""
        start = time.perf_counter()
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None,
                                        None)
        self.library.nvrtcAddNameExpression(program, b"k")
        options = (ctypes.c_char_p * len(self.options))(*[o.encode() for o in self.options])
        status = self.library.nvrtcCompileProgram(program, len(self.options), options)
        log = self.fetch(program, "ProgramLog")
        if status != 0:
            sys.exit(f"bare NVRTC: {log.decode()}")
        self.fetch(program, "CUBIN")
        self.fetch(program, "PTX")
        lowered = ctypes.c_char_p()
        self.library.nvrtcGetLoweredName(program, b"k", ctypes.byref(lowered))
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return (time.perf_counter() - start) * 1e3


def measure(server, nvrtc, source, rounds):
    """Bare, ours in the worker, ours to the client: milliseconds of each round."""
    kernel = {"name": "k", "language": "cuda", "source": source,
              "launches": [{"entry": "k", "grid": ["1"], "block": ["256"], "args": ["y"]}]}
    rows = []
    for number in range(rounds + 2):
        fresh = changed(kernel, f"{time.time_ns()} {number}")
        bare = nvrtc.compile(fresh["source"])
        answer, client = server.call("compile_kernel", problem=PROBLEM, kernel=fresh, arch=ARCH)
        if answer["verdict"] != "compiled" or answer["cache"] != "miss":
            sys.exit(f"compile_kernel: {answer['summary']}")
        rows.append((bare, answer["compile_ms"], client))
    return rows[2:]  # The first ones load what all later ones find.


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--library", default="")
    options = parser.parse_args()
    nvrtc = Nvrtc(options.library or find_library())
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        server = Server(str(pathlib.Path(options.executable).resolve()), folder)
        for name, source in SOURCES.items():
            rows = measure(server, nvrtc, source, options.rounds)
            bare, worker, client = (statistics.median(column) for column in zip(*rows))
            best = [min(column) for column in zip(*rows)]
            worst = max(worst, worker / bare)
            print(f"{name:20} bare {bare:7.1f} ms, worker {worker:7.1f} ms ({worker / bare:.3f}), "
                  f"client {client:7.1f} ms ({client / bare:.3f}); best {best[0]:.1f}, "
                  f"{best[1]:.1f}, {best[2]:.1f}")
        server.close()
    print(f"a miss costs at most {worst:.3f} times bare NVRTC; to reach: {MOST}")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
