#!/usr/bin/env bash
# How fast the server answers, beside a server made with the TypeScript SDK of MCP that gives the same
# answers. Both are measured in turns on this machine.
#
#   tests/bench/mcp.sh [build folder] [--peer DIR] [--rounds N] [--seconds S] [--json]
#
# DIR has node_modules with the peer's packages and its own Node; without it they are installed into
# BUILD/bench-peer by npm. Needs wrk (apt-get install wrk). Prints a table, or one JSON object.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
exec python3 "$root/tests/bench/mcp.py" "$@"
