#!/usr/bin/env bash
# The figures of tuning by replay of recorded search spaces.
#
#   tests/bench/tune_replay.sh DIR [REPEATS] [BUILD FOLDER]    (defaults: 40, build-test of ./test.sh)
#
# DIR holds cache files of Kernel Tuner (*.json), such as those of
# https://github.com/AutoTuningAssociation/benchmark_hub, unpacked. Prints for each the median seconds
# (and the 90th percentile) until a point within 5 % of the best was timed in full: Kernel Tuner's
# genetic algorithm, greedy local search and random search, one compile and one measurement after the
# other, reimplemented with its default settings; and our portfolio with 1, 2 and 16 compilers.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=${1:-}
repeats=${2:-40}
build=${3:-$root/build-test}
if [ -z "$dir" ] || ! compgen -G "$dir/*.json" > /dev/null; then
  echo "left out: no recorded spaces (*.json) in \"$dir\""
  exit 0
fi
cmake --build "$build" --target ws_tune_bench > /dev/null
exec "$build/bin/ws_tune_bench" "$dir" "$repeats"
