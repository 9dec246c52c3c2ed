#!/usr/bin/env bash
# The figures that CuIR has to reach, measured on this machine.
#
#   tests/bench/cuir.sh [build folder] [--json]     (default: build-test, of ./test.sh)
#
# Builds ws_cuir_bench there and prints a table, or one JSON object. Exit status 1: a bug of the
# corpus was not found, or a correct program was not silent; a time that is missed is printed as
# missed, as it depends on the machine.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 "$root/tests/bench/cuir.py" "$@"
