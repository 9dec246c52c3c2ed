#!/usr/bin/env bash
# The figures that this version has to reach, measured on this machine over stdio.
#
#   tests/bench/base.sh [build folder] [--json]     (default: build)
#
# Prints a table, or one JSON object. Exit status 1: the server did not survive the bad kernels;
# a figure that is missed is printed as missed, as it depends on the machine.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 "$root/tests/bench/base.py" "$@"
