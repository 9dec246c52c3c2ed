#!/usr/bin/env bash
# The GPU's tests and figures, on a machine with an NVIDIA GPU and a CUDA toolkit. With Triton and
# CuPy the same kernel is timed by triton.testing.do_bench too.
#
#   tests/bench/gpu.sh [FOLDER] [TRIALS]   FOLDER: of ws_tests and warpsmith; default build-test/bin
#                                          TRIALS: of each kind of benchmark; default 100
set -uo pipefail
cd "$(dirname "$0")/../.."
bin=${1:-build-test/bin}
trials=${2:-100}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,memory.total --format=csv
status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$bin/ws_tests" --no-intro=true --no-colors=true -s=false "-ts=gpu.*,contract.*" | tee "$log" || status=1
python3 tests/bench/gpu.py "$log" || status=1
python3 tests/bench/nvrtc.py "$bin/warpsmith" || status=1
python3 tests/bench/gpu_speed.py "$bin/warpsmith" --trials "$trials" || status=1
exit "$status"
