#!/bin/bash
# For each module here: its problem, the kernel beside it, and whether the kernel is right where a device here can run it.
#   examples/pytorch/run.sh WARPSMITH [FOLDER FOR RESULTS]
set -u
warpsmith=$(realpath "$1") data=${2:-$(mktemp -d)} bad=0
mkdir -p "$data"
cd "$(dirname "$0")" || exit 1

call() { # TOOL ARGUMENTS EXPRESSION: prints the expression of the answer
  "$warpsmith" call "$1" "$2" --data "$data" --log-level error |
    python3 -c "import json, sys; answer = json.load(sys.stdin); print($3)"
}

for folder in */; do
  name=${folder%/}
  if ! problem=$("$warpsmith" import pytorch "$name/$name.py" 2> "$data/errors"); then
    if grep -q "no Python interpreter here imports torch" "$data/errors"; then
      echo "left out: kernels for PyTorch modules (no PyTorch)"
      exit 0
    elif grep -q "has no attribute 'scaled_dot_product_attention'" "$data/errors"; then
      echo "left out: $name (PyTorch 2.0 and later have scaled_dot_product_attention)"
      continue
    fi
    bad=1
    echo "$name: FAILED: $(cat "$data/errors")"
    continue
  fi
  kernel=$(call compile_kernel "{\"problem\": $problem, \"kernel\": $(cat "$name/kernel.json")}" 'answer.get("kernel_id", answer)')
  verdict=$(call validate "{\"kernel_id\": \"$kernel\", \"level\": \"quick\", \"wait_ms\": 600000}" 'answer["verdict"]')
  [ "$verdict" = unsupported ] && verdict="compiled; it runs on a GPU of the H100's kind only"
  echo "$name: $kernel $verdict"
  [[ "$verdict" = passed || "$verdict" = compiled* ]] || bad=1
done
exit $bad
