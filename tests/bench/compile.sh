#!/usr/bin/env bash
# How long kernels compile on the CPU engine, each by itself, in a worker that is warm.
#
#   tests/bench/compile.sh <build folder> [compiles] [kernel]
#
# Builds ws_compile_bench and warpsmith in the folder.
set -euo pipefail

build=$1
cmake --build "$build" --target ws_compile_bench warpsmith > /dev/null
exec "$build/bin/ws_compile_bench" "$build" "${2:-20}" ${3:+"$3"}
