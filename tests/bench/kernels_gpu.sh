#!/usr/bin/env bash
# Validates and times the example kernels that need a GPU's own instructions (gemm-f16, attention-f16).
#
#   tests/bench/kernels_gpu.sh [FOLDER] [DEVICE]   FOLDER: of warpsmith; default build-test/bin
#                                                  DEVICE: default cuda:0
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=${1:-build-test/bin}
device=${2:-cuda:0}
command -v nvidia-smi > /dev/null && nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
exec python3 tests/bench/kernels_gpu.py "$bin/warpsmith" "$device"
