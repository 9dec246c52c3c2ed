#!/usr/bin/env bash
# What it costs to keep a kernel's addresses in its memory: the processor time of the example kernels,
# compiled by two builds of the plug-in, in turn on one thread.
#
#   tests/bench/confined.sh <build folder> <build folder to compare with> [launches]
#
# Builds ws_confined_bench in the first folder.
set -euo pipefail

build=$1
compared=$2
launches=${3:-60}
cmake --build "$build" --target ws_confined_bench > /dev/null
exec "$build/bin/ws_confined_bench" "$build" "$compared" "$launches"
