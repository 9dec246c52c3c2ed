#!/usr/bin/env bash
# The figures of shaders on a Vulkan device, over stdio: compiles, validations, and shaders that crash
# or hang; on a GPU that runs CUDA, too, the examples and what share of CUDA's speed shaders reach.
#
#   tests/bench/vulkan.sh [build folder] [device]     (default: build vulkan:0)
#
# Exit status 1: the server did not survive the bad shaders, or judged them wrongly; a figure that is
# missed is printed as missed, as it depends on the machine.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 "$root/tests/bench/vulkan.py" "$@"
