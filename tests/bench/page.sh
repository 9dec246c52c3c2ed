#!/usr/bin/env bash
# The figures of the page: its first view, its size, what 200 open pages cost, and a large lineage.
#
#   tests/bench/page.sh [BUILD FOLDER] [--kernels 10000,1000000] [--rounds N] [--seconds S]
#
# Archives of so many made-up kernels are filled in $TMPDIR, where 1,000,000 need 9 GB and some
# minutes; one that is there already in a folder given by --archives is used. The browser is that of
# the tests of the page: BUILD/page/node_modules, and Debian's chromium. Needs wrk. Prints a line for
# each figure with its goal, and MISSED where it is missed.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 "$root/tests/bench/page.py" "$@"
