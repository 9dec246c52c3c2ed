#!/usr/bin/env bash
# PyTorch modules as baselines, and the examples of examples/pytorch, on an NVIDIA GPU.
#
#   tests/bench/pytorch.sh [FOLDER] [OPTION]...   FOLDER: of warpsmith; default build-test/bin
#                                                 OPTIONs: those of pytorch.py
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=build-test/bin
if [ -d "${1:-}" ]; then
  bin=$1
  shift
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
exec "${WARPSMITH_PYTHON:-python3}" tests/bench/pytorch.py "$bin/warpsmith" "$@"
