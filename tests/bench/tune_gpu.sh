#!/usr/bin/env bash
# How fast `tune` goes through a space on a device: on a kernel whose builds take long, on one whose
# launches do, and on one of which many points exceed what the device has for a block. Three tunings of
# SECONDS each.
#
#   tests/bench/tune_gpu.sh [FOLDER] [DEVICE] [SECONDS]   FOLDER: of warpsmith; default build-test/bin
#                                                         DEVICE: default cuda:0; SECONDS: 60
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 tests/bench/tune_gpu.py "${1:-build-test/bin}/warpsmith" "${2:-cuda:0}" "${3:-60}"
