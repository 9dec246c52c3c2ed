#!/usr/bin/env bash
# What it costs to keep kernels in their memory and workers still between launches: the median times
# of the example kernels in two builds, in turn on the same machine.
#
#   tests/bench/isolation.sh <build folder> <build folder to compare with> [rounds]
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 "$root/tests/bench/isolation.py" "$@"
