#!/usr/bin/env bash
# How the broker of jobs for nodes does on this machine: PostgreSQL with its writes on the disk, two
# servers and four nodes whose work is simulated, and all of them killed at random. Left out, with
# one line, where PostgreSQL is not installed.
#
#   tests/bench/scale.sh [FOLDER] [--jobs 100000] [--kills 200] [--only queue|death|spread|kills]
#
# FOLDER: of ws_scale_bench and warpsmith; default build-test/bin
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 tests/bench/scale.py "$@"
