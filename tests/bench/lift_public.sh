#!/usr/bin/env bash
# How much of kernels that nobody here wrote can be lifted to CuIR, and what is in the way.
#
#   tests/bench/lift_public.sh DIR [build folder]     (default: build-test, of ./test.sh)
#
# DIR holds copies of the repositories siboehm/SGEMM_CUDA, pranjalssh/fast.cu, DefTruth/CUDA-Learn-Notes (LeetCUDA),
# Bruce-Lee-LY/cuda_hgemm, nicolaswilde/cuda-tensorcore-hgemm and gau-nernst/learn-cuda by their names on GitHub; what is
# not there is left out. Nothing of it is kept. Every program that was lifted wholly is run, and its outputs are compared
# with the kernel's on the CPU engine; of the kernels for Hopper, which that engine does not run, the orders of copies,
# products and barriers are verified. Every program with holes has to pass the checker. Exit status 1: a lifted program
# computes something else, or one does not check.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
  echo "left out: no folder with public kernels (tests/bench/lift_public.sh DIR)"
  exit 0
fi
exec python3 "$root/tests/bench/lift_public.py" "$@"
