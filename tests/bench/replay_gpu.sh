#!/usr/bin/env bash
# Replays a workflow on a GPU, with what cuBLAS takes for the same products before and after it. Left
# out, with one line, where there is no GPU or no PyTorch.
#
#   tests/bench/replay_gpu.sh WORKFLOW [FOLDER] [OPTION...]   WORKFLOW: matmul-f16 or matmul-f32
#                                                             FOLDER: of warpsmith; default
#                                                             build-test/bin
#                                                             OPTION: of `warpsmith replay`
set -euo pipefail
cd "$(dirname "$0")/../.."
workflow=${1:?give a workflow: matmul-f16 or matmul-f32}
bin=${2:-build-test/bin}
cublas=(python3 tests/bench/cublas.py "${workflow#matmul-}")
if ! command -v nvidia-smi > /dev/null || ! python3 -c 'import torch, triton' 2> /dev/null; then
  echo "left out: replays beside cuBLAS (no GPU, or no PyTorch)"
  exit 0
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
"${cublas[@]}"
start=$SECONDS
"$bin/warpsmith" replay "examples/workflows/$workflow" --device cuda:0 "${@:3}"
echo "replayed in $((SECONDS - start)) s"
"${cublas[@]}"
