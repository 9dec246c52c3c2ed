#!/usr/bin/env bash
# How much faster 200 validations are on two GPUs that are alike than on one of them. Left out, with
# one line, where there are not two.
#
#   tests/bench/spread.sh [FOLDER] [--fake]   FOLDER: of warpsmith; default build-test/bin
#                                             --fake: two GPUs of the tests' fake driver instead
set -euo pipefail
cd "$(dirname "$0")/../.."
# Two are compared with one: others stay out of it.
export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0,1}
exec python3 tests/bench/spread.py "$@"
