#!/usr/bin/env bash
# The speed of kernels on the CPU engine, as a share of plain loops that compute the same: processor
# time on one thread, by turns in one process.
#
#   tests/bench/cpu_engine.sh <build folder> [launches in each of five rounds] [kernel]
#
# Builds ws_cpu_engine_bench in the folder.
set -euo pipefail

build=$1
cmake --build "$build" --target ws_cpu_engine_bench > /dev/null
exec "$build/bin/ws_cpu_engine_bench" "$build" "${2:-5}" ${3:+"$3"}
