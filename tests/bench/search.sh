#!/usr/bin/env bash
# The figures of search over a made-up archive, measured on this machine.
#
#   tests/bench/search.sh [KERNELS] [PERCENT JUDGED] [BUILD FOLDER]
#   (defaults: 10000, 100, build-test of ./test.sh)
#
# Builds ws_search_bench there and prints a table. The archive lies in the folder for temporary files
# ($TMPDIR) and is gone afterwards; 1,000,000 kernels need 4 GB there and some minutes. A figure that
# is missed is printed as missed, as it depends on the machine.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
kernels=${1:-10000}
judged=${2:-100}
build=${3:-$root/build-test}
cmake --build "$build" --target ws_search_bench > /dev/null
exec "$build/bin/ws_search_bench" "$kernels" "$judged"
