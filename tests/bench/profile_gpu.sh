#!/usr/bin/env bash
# Profiles every planted case (tests/planted) on a device, and says whether the planted cause comes
# first, how long it took, and what the GPU's own counters say, or why there are none. About two
# minutes on an H100.
#
#   tests/bench/profile_gpu.sh [FOLDER] [DEVICE]   FOLDER: of warpsmith; default build-test/bin
#                                                  DEVICE: default cuda:0; cpu:0 works anywhere
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=${1:-build-test/bin}
device=${2:-cuda:0}
command -v nvidia-smi > /dev/null && nvidia-smi --query-gpu=name,driver_version,mig.mode.current --format=csv
exec python3 tests/bench/profile_gpu.py "$bin/warpsmith" "$device"
