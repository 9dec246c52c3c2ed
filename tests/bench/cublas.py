#!/usr/bin/env python3
"""What cuBLAS takes, through PyTorch: the median of cold launches.

    cublas.py f16|f32

f16: A B^T with f32 sums. f32: A B without TF32.
"""

import sys

import torch
from triton.testing import do_bench

SIZES = {"f16": [2048, 4096, 8192], "f32": [2048, 4096]}


def main():
    kind = sys.argv[1]
    dtype = torch.float16 if kind == "f16" else torch.float32
    torch.backends.cuda.matmul.allow_tf32 = False
    for size in SIZES[kind]:
        a, b = (torch.randn(size, size, device="cuda", dtype=dtype) for _ in range(2))
        c = torch.empty_like(a)
        right = b.T if kind == "f16" else b
        ms = do_bench(lambda: torch.mm(a, right, out=c), return_mode="median")
        print(f"cuBLAS {kind} {size}: {ms * 1000:.1f} us, {2 * size**3 / ms / 1e9:.1f} TFLOP/s", flush=True)


if __name__ == "__main__":
    main()
