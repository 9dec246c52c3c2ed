#!/usr/bin/env python3
"""What a client sees of the tools on a GPU: every example, bad kernels, repeatability, times.

    gpu_tools.py EXECUTABLE [--bad N] [--repeats N]

Prints one line per figure. Exit status 1 when an example gets a wrong verdict, a bad kernel none, or
the server dies. Standard library only; with CuPy and Triton the 4096 product is timed by
triton.testing.do_bench too.
"""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

from base import CRASH, PROBLEM, ROOT, Server, changed, matmul

DEVICE = "cuda:0"
WILD = "__global__ void bad(float* y) { y[(size_t)1 << 40] = 1.0f; }\n"
# A loop on a local variable, as on the CPU engine, is taken out by the compiler.
HANG = "__global__ void bad(float* y) { while (*(volatile float*)y != 12345.0f) { } *y = 1.0f; }\n"
MISALIGNED = "__global__ void bad(float* y) { *(volatile double*)((char*)y + 4) = 1.0; }\n"
BAD = [CRASH, WILD, HANG, MISALIGNED]
GOOD = "__global__ void bad(float* y) { *y = 1.0f; }\n"

# One warp makes a 16x16 tile with tensor cores, straight from global memory.
WMMA = """#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void mm(const half* A, const half* B, half* C, int m, int n, int k) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int row = warp / (n / 16) * 16, col = warp % (n / 16) * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::load_matrix_sync(a, A + (size_t)row * k + i, k);
    wmma::load_matrix_sync(b, B + (size_t)i * n + col, n);
    wmma::mma_sync(acc, a, b, acc);
  }
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> out;
  for (int i = 0; i < acc.num_elements; ++i) out.x[i] = __float2half(acc.x[i]);
  wmma::store_matrix_sync(C + (size_t)row * n + col, out, n, wmma::mem_row_major);
}
"""
TENSOR_CORES = "include/crt/mma.h"
REFERENCE = """#include <cuda_fp16.h>
__global__ void reference(const half* A, const half* B, half* C, int m, int n, int k) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || col >= n) return;
  float acc = 0;
  for (int i = 0; i < k; ++i)
    acc += __half2float(A[(size_t)row * k + i]) * __half2float(B[(size_t)i * n + col]);
  C[(size_t)row * n + col] = __float2half(acc);
}
"""
HALF_PROBLEM = {
    "name": "matmul_f16",
    "op": "matmul",
    "dims": {"m": [4096], "n": [4096], "k": [4096]},
    "args": [
        {"name": "A", "type": "f16", "shape": ["m", "k"], "role": "in", "fill": "normal"},
        {"name": "B", "type": "f16", "shape": ["k", "n"], "role": "in", "fill": "normal"},
        {"name": "C", "type": "f16", "shape": ["m", "n"], "role": "out"},
    ],
    "flops": "2*m*n*k",
    "bytes": "2*(m*k + k*n + m*n)",
    "reference": {
        "kind": "kernel",
        "language": "cuda",
        "entry": "reference",
        "source": REFERENCE,
        "launches": [{"entry": "reference", "grid": ["cdiv(n, 32)", "cdiv(m, 8)"],
                      "block": ["32", "8"], "args": ["A", "B", "C", "m", "n", "k"]}],
    },
}
HALF_KERNEL = {
    "name": "wmma",
    "language": "cuda",
    "source": WMMA,
    "launches": [{"entry": "mm", "grid": ["m * n // 256 // 4"], "block": ["128"],
                  "args": ["A", "B", "C", "m", "n", "k"]}],
}

failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print(f"  WRONG: {text}")


def said(answer):
    return f"{answer.get('verdict')}: {answer.get('message') or answer.get('summary')}"


def compile_kernel(server, problem, kernel):
    answer, _ = server.call("compile_kernel", problem=problem, kernel=kernel, device=DEVICE)
    return answer


def examples(server):
    for folder in sorted((ROOT / "examples" / "kernels").iterdir()):
        problem = json.loads((folder / "problem.json").read_text())
        for path in sorted(folder.glob("*.json")):
            if path.name == "problem.json":
                continue
            kernel = json.loads(path.read_text())
            compiled = compile_kernel(server, problem, kernel)
            name = f"{folder.name}/{path.stem}"
            if compiled["verdict"] != "compiled":
                print(f"  {name:28} {said(compiled)[:150]}")
                check(path.stem == "broken_compile", f"{name} does not compile")
                continue
            answer, ms = server.call("validate", kernel_id=compiled["kernel_id"], level="standard",
                                     device=DEVICE, wait_ms=300000)
            print(f"  {name:28} {ms / 1e3:6.2f} s  {said(answer)[:150]}")
            wrong = path.stem.startswith("broken")
            check((answer["verdict"] == "passed") != wrong, f"{name} is {answer['verdict']}")


def bad_kernels(server, count):
    verdicts = {}
    start = time.perf_counter()
    for number in range(count):
        kernel = changed({"name": "bad", "language": "cuda", "source": BAD[number % len(BAD)],
                          "launches": [{"entry": "bad", "grid": ["1"], "block": ["1"],
                                        "args": ["y"]}]}, number)
        compiled = compile_kernel(server, PROBLEM, kernel)
        answer, _ = server.call("validate", kernel_id=compiled["kernel_id"], device=DEVICE,
                                wait_ms=300000)
        verdicts[answer["verdict"]] = verdicts.get(answer["verdict"], 0) + 1
        check(answer["verdict"] not in ("passed", None), f"bad kernel {number} is {said(answer)}")
        if number < len(BAD):
            print(f"  {said(answer)[:200]}")
    print(f"  {count} bad kernels in {time.perf_counter() - start:.1f} s: {verdicts}")
    good = {"name": "good", "language": "cuda", "source": GOOD,
            "launches": [{"entry": "bad", "grid": ["1"], "block": ["1"], "args": ["y"]}]}
    compiled = compile_kernel(server, PROBLEM, good)
    answer, _ = server.call("validate", kernel_id=compiled["kernel_id"], device=DEVICE)
    print(f"  the next honest kernel: {said(answer)[:100]}")
    check(answer["verdict"] == "passed", "the honest kernel after the bad ones")


def speeds(server, repeats):
    problem = matmul("problem")
    ids = {}
    for name in ("naive", "tiled16", "tiled32x8", "thread_tile"):
        ids[name] = compile_kernel(server, problem, matmul(name))["kernel_id"]
    for name in ("tiled16", "tiled32x8", "thread_tile"):
        answer, ms = server.call("benchmark", kernel_id=ids[name], baseline=ids["naive"],
                                 device=DEVICE, wait_ms=300000)
        rows = answer.get("workloads", [])
        print(f"  {name} against naive: {answer['verdict']} {answer.get('ratio')} "
              f"{answer.get('ratio_ci')} in {ms / 1e3:.1f} s, noise floor "
              f"{answer.get('noise_floor')}, {json.dumps(answer.get('clocks'))}")
        for row in rows:
            print(f"    {row['workload']}: {row['median_us']} us, {row['baseline_median_us']} us, "
                  f"{row['samples']} blocks, {row['tflops']} Tflop/s, "
                  f"{row['roofline_percent']} % of {row.get('roofline_bound')}")
        check(answer["verdict"] != "suspect", said(answer))
    verdicts = {}
    medians = []
    for _ in range(repeats):
        answer, _ = server.call("benchmark", kernel_id=ids["naive"], baseline=ids["naive"],
                                device=DEVICE, fresh=True, time_budget_ms=1000, wait_ms=300000)
        verdicts[answer["verdict"]] = verdicts.get(answer["verdict"], 0) + 1
        medians.append(answer["workloads"][-1]["median_us"])
    spread = (max(medians) - min(medians)) / statistics.median(medians)
    print(f"  {repeats} times naive against itself: {verdicts}, medians spread by {spread:.2%}")
    check(verdicts.get("faster", 0) == 0, "a kernel is faster than itself")


def do_bench_us():
    """The 4096 product's kernel on normal inputs, cold, as do_bench times it."""
    import cupy
    import torch
    import triton.testing

    # CuPy's own headers may lack the folder crt.
    roots = [cupy.cuda.get_cuda_path(), "/usr/local/cuda"]
    include = next((root for root in roots if root and pathlib.Path(root, TENSOR_CORES).exists()),
                   None)
    if include is None:
        raise ImportError(f"no {TENSOR_CORES} in {roots}")
    kernel = cupy.RawModule(code=WMMA, options=("-std=c++17", f"-I{include}/include"),
                            name_expressions=("mm",)).get_function("mm")
    size = 4096
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)
    stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
    arguments = (a.data_ptr(), b.data_ptr(), c.data_ptr(), *(3 * (cupy.int32(size),)))

    def launch():
        with stream:
            kernel((size * size // 256 // 4,), (128,), arguments)

    return 1000 * triton.testing.do_bench(launch, return_mode="median")


def against_do_bench(ours):
    try:
        theirs = do_bench_us()
    except ImportError as error:
        print(f"  no comparison with do_bench: {error}")
        return
    ratio = ours / theirs
    print(f"  4096 f16: ours {ours:.1f} us, do_bench {theirs:.1f} us, {ratio:.4f}")
    check(abs(ratio - 1) < 0.01, "the median is more than 1 % from do_bench's")


def large(server):
    compiled, _ = server.call("compile_kernel", problem=HALF_PROBLEM, kernel=HALF_KERNEL,
                              device=DEVICE)
    for round_name in ("cold", "warm"):
        start = time.perf_counter()
        validated, _ = server.call("validate", kernel_id=compiled["kernel_id"], device=DEVICE,
                                   fresh=True, wait_ms=300000)
        middle = time.perf_counter()
        timed, _ = server.call("benchmark", kernel_id=compiled["kernel_id"], baseline="none",
                               device=DEVICE, fresh=True, wait_ms=300000)
        end = time.perf_counter()
        row = (timed.get("workloads") or [{}])[0]
        print(f"  4096 f16, {round_name}: validate {middle - start:.2f} s ({said(validated)[:80]}), "
              f"benchmark {end - middle:.2f} s ({row.get('median_us')} us, {row.get('tflops')} "
              f"Tflop/s, {row.get('roofline_percent')} % of {row.get('roofline_bound')}, "
              f"{row.get('samples')} blocks)")
        check(validated["verdict"] == "passed", "the 4096 f16 product")
    against_do_bench(row["median_us"])


def compiles(server):
    problem, kernel = matmul("problem"), matmul("thread_tile")
    fresh = [server.call("compile_kernel", problem=problem, kernel=changed(kernel, n),
                         device=DEVICE)[1] for n in range(9)]
    again = [server.call("compile_kernel", problem=problem, kernel=changed(kernel, 0),
                         device=DEVICE)[1] for _ in range(200)]
    print(f"  compile_kernel: {statistics.median(fresh):.1f} ms new, "
          f"{statistics.median(again):.2f} ms again (p50)")
    full, _ = server.call("compile_kernel", problem=problem, kernel=kernel, device=DEVICE,
                          detail="full")
    print(f"  instructions from {full['instructions_from']}: {json.dumps(full['instructions'])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable")
    parser.add_argument("--bad", type=int, default=52)
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(str(pathlib.Path(options.executable).resolve()), folder)
        answer, ms = server.call("list_devices")
        print(f"list_devices, first: {ms:.0f} ms: {answer['summary']}")
        print(json.dumps(answer["devices"][0]))
        if answer["default_device"] != DEVICE:
            sys.exit(f"{DEVICE} cannot be used")
        for title, part in (("examples", lambda: examples(server)),
                            ("compiles", lambda: compiles(server)),
                            ("bad kernels", lambda: bad_kernels(server, options.bad)),
                            ("speeds", lambda: speeds(server, options.repeats)),
                            ("a large product", lambda: large(server))):
            print(title, flush=True)
            part()
            sys.stdout.flush()
        server.close()
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
