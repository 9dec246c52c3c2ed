#!/usr/bin/env bash
# The same session by curl, in both protocol eras, against a server of its own.
#
#   examples/curl.sh [path of warpsmith]     (default: build/bin/warpsmith)
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
warpsmith=${1:-$root/build/bin/warpsmith}
vadd=$root/examples/kernels/vadd
data=$(mktemp -d)

"$warpsmith" serve --http 127.0.0.1:0 --data "$data" 2> "$data/log" &
server=$!
trap 'kill $server; wait $server 2> /dev/null || true; rm -rf "$data"' EXIT
until url=$(grep -o 'http://[^ ]*' "$data/log"); do
  kill -0 $server || { cat "$data/log"; exit 1; }
  sleep 0.05
done

# modern METHOD NAME PARAMS: protocol 2026-07-28. Each request stands alone; headers repeat what a
# proxy may route by. NAME is the tool of a tools/call, else empty.
modern() {
  local meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
  curl -sS "$url" \
    -H 'Content-Type: application/json' \
    -H 'MCP-Protocol-Version: 2026-07-28' \
    -H "Mcp-Method: $1" ${2:+-H "Mcp-Name: $2"} \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":{${3:+$3,}$meta}}"
  echo
}

# legacy METHOD PARAMS: protocol 2025-11-25 and before; no session is needed.
legacy() {
  curl -sS "$url" \
    -H 'Content-Type: application/json' \
    -H 'MCP-Protocol-Version: 2025-11-25' \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":{$2}}"
  echo
}

# call TOOL ARGUMENTS ERA: one tools/call.
call() {
  local params="\"name\":\"$1\",\"arguments\":$2"
  if [ "$3" = modern ]; then
    modern tools/call "$1" "$params"
  else
    legacy tools/call "$params"
  fi
}

# main_job ERA: compile, validate and benchmark.
main_job() {
  local compiled kernel
  compiled=$(call compile_kernel "{\"problem\":$(cat "$vadd/problem.json"),\"kernel\":$(cat "$vadd/naive.json")}" "$1")
  echo "$compiled"
  kernel=$(grep -o 'krn_[a-z0-9_]*' <<< "$compiled" | head -n 1)
  call validate "{\"kernel_id\":\"$kernel\",\"level\":\"quick\"}" "$1"
  call benchmark "{\"kernel_id\":\"$kernel\",\"baseline\":\"reference\"}" "$1"
}

echo "== 2026-07-28 =="
modern server/discover '' ''
modern tools/list '' ''
main_job modern

echo "== 2025-11-25 =="
legacy initialize '"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}'
legacy tools/list ''
main_job legacy
