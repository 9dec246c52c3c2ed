#!/bin/bash
# Exports examples and compiles what comes out: with nvcc where it is found, and the part in C++ of
# each extension where PyTorch's headers are installed. Nothing is run, as there need be no GPU.
#   tests/handover/check.sh WARPSMITH
set -u
cd "$(dirname "$0")/../.." || exit 1
warpsmith=$1 work=$(mktemp -d) bad=0
trap 'rm -rf "$work"' EXIT
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null)
[ -n "$nvcc" ] || echo "left out: exported kernels by nvcc (there is none)"
headers=/usr/include/torch/csrc/api/include
pybind=/usr/include/pybind11/pybind11.h
python_headers=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
cuda=/usr/local/cuda/include
binding=yes
for needed in "$headers/torch/all.h" "$pybind" "$python_headers/Python.h" "$cuda/cuda_runtime.h"; do
  if [ ! -e "$needed" ]; then
    echo "left out: exported extensions against PyTorch's headers (no $needed)"
    binding=
    break
  fi
done
# A PyTorch without CUDA does not say how its CUDA part was configured.
mkdir -p "$work/stub/c10/cuda/impl"
: > "$work/stub/c10/cuda/impl/cuda_cmake_macros.h"

fail() {
  bad=1
  echo "FAILED: $1"
  cat "$work/log"
}

export_kernel() { # PROBLEM KERNEL FORM FOLDER
  local id
  id=$("$warpsmith" call compile_kernel \
    "{\"problem\": $(cat "$1"), \"kernel\": $(cat "$2"), \"device\": \"cpu:0\"}" \
    --data "$work/data" --log-level error | python3 -c 'import json, sys; print(json.load(sys.stdin)["kernel_id"])') || return 1
  "$warpsmith" export "$id" --as "$3" -o "$4" --allow-unverified --data "$work/data" > "$work/log" 2>&1
}

check_program() { # FOLDER: what its README says, but without linking
  local command
  command=$(grep '^nvcc ' "$1/README.md" | sed "s#^nvcc#$nvcc#; s# -o check##; s#-arch=native#-arch=sm_80#")
  (cd "$1" && eval "$command -c" > "$work/log" 2>&1) || fail "$1 by nvcc"
}

check_extension() { # FOLDER
  python3 -m py_compile "$1"/*.py > "$work/log" 2>&1 || fail "$1: Python"
  [ -z "$binding" ] && return
  g++ -std=c++17 -fsyntax-only -I"$work/stub" -I"$headers" -I"$python_headers" -I"$cuda" -I"$1" \
    -DTORCH_EXTENSION_NAME=kernel "$1/binding.cpp" > "$work/log" 2>&1 || fail "$1/binding.cpp"
}

for kernel in vadd/naive gemm-f16/tma spmv/warp_per_row reduction/two_launches compaction/atomic_per_warp \
  attention-f16/ping_pong; do
  problem=examples/kernels/${kernel%/*}/problem.json
  name=$work/${kernel/\//_}
  export_kernel "$problem" "examples/kernels/$kernel.json" cuda "$name-cuda" || fail "export of $kernel"
  [ -n "$nvcc" ] && check_program "$name-cuda"
done
# A reference that is a kernel, an argument that is changed, and a size that is part of the code.
for kernel in reduction/two_launches compaction/atomic_per_warp attention-f16/ping_pong; do
  name=$work/${kernel/\//_}-pytorch
  export_kernel "examples/kernels/${kernel%/*}/problem.json" "examples/kernels/$kernel.json" pytorch "$name" ||
    fail "export of $kernel"
  check_extension "$name"
done
[ $bad = 0 ] && echo "all exported kernels compile"
exit $bad
