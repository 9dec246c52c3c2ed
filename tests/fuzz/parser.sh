#!/usr/bin/env bash
# Fuzzes CuIR with libFuzzer, AddressSanitizer and UBSan, from the programs of the corpora and the
# examples.
#
#   tests/fuzz/parser.sh [SECONDS] [parser|executor]   default: 600 seconds of the parser
#
# Builds in build-fuzz/, the IR alone. A finding is left there and ends the run with status 1; it
# becomes a case of tests/ir/regression_test.cpp.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-600}
target=${2:-parser}
build=$PWD/build-fuzz
flags=(-std=c++20 -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
  -Wno-deprecated-declarations -I. -DWS_SOURCE_DIR="\"$PWD\"")

if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  clang++-19 -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null 2> /dev/null; then
  echo "fuzzing needs clang 19 and its runtimes: apt-get install clang-19 libclang-rt-19-dev" >&2
  exit 1
fi

mkdir -p "$build/found"
sources=()
for file in runtime/ir/*/*.cpp runtime/base/*.cpp runtime/kernel/dtype.cpp tests/ir/corpus.cpp \
  tests/ir/program_bench.cpp tests/fuzz/arguments.cpp "tests/fuzz/${target}_fuzz.cpp"; do
  [[ $file == *_test.cpp ]] || sources+=("$file")
done
compiler=(clang++-19)
! command -v ccache > /dev/null || compiler=(ccache clang++-19)
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I '{}' bash -c \
  'object=$1/$(tr / _ <<< "$2").o; shift 2; "$@" -o "$object"' _ "$build" '{}' \
  "${compiler[@]}" "${flags[@]}" -c '{}'
objects=()
for file in "${sources[@]}"; do
  objects+=("$build/$(tr / _ <<< "$file").o")
done
clang++-19 -fsanitize=fuzzer,address,undefined "${objects[@]}" -lcrypto -lfmt -lspdlog -lpthread \
  -o "$build/$target"

grep -oE '"[a-z_]+(\.[a-z_]+)?"' runtime/ir/syntax/ops.def | sort -u > "$build/words"
exec "$build/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=8192 \
  -dict="$build/words" -artifact_prefix="$build/" -print_final_stats=1 "$build/found" tests/ir/bases examples/cuir
