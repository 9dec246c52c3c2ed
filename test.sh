#!/usr/bin/env bash
# Builds and runs every test. The last line is `N passed, N failed`; the exit status is 1 when
# anything failed or nothing ran.
#
#   ./test.sh                    all tests, in build-test/
#   ./test.sh --lint [FILE...]   format, includes, names, comments, and clang-tidy on FILEs; else on
#                                the .cpp files that differ from where this branch left main, or
#                                from HEAD~1
#   ./test.sh --sanitize         the C++ tests with ASan and UBSan, in build-asan/
#   ./test.sh --fuzz [SECONDS]   hostile bytes for what reads them, 60 s for each target
#   ./test.sh --soak             an hour of mixed load on a server
set -uo pipefail
cd "$(dirname "$0")"
. cmake/packages.sh

# Another clone of the same text finds the same objects.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

passed=0
failed=0
readonly tidy_seconds=480

count() {
  passed=$((passed + $1))
  failed=$((failed + $2))
}

# check NAME COMMAND...: one test; its output is shown when it fails.
check() {
  local name=$1 output start=$SECONDS
  shift
  if output=$("$@" 2>&1); then
    printf '  ok      %-34s %3d s\n' "$name" $((SECONDS - start))
    count 1 0
  else
    printf '  FAILED  %s\n%s\n' "$name" "$output"
    count 0 1
  fi
}

finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit
}

configure() {
  quietly "the build cannot be configured" cmake --preset "$1"
}

# build PRESET: ends the run when something does not compile: old binaries prove nothing.
build() {
  configure "$1"
  if ! cmake --build --preset "$1" --parallel "$(nproc)"; then
    echo "  FAILED  build"
    count 0 1
    finish
  fi
}

# run_suite BINARY SUITE: counts doctest's own numbers; a crash before its summary is one failure.
run_suite() {
  local output status=0 start=$SECONDS good bad
  output=$("$1" --no-colors=true --no-intro=true "-ts=$2" 2>&1) || status=$?
  good=$(sed -nE 's/^\[doctest\] test cases:.*[| ]([0-9]+) passed.*/\1/p' <<< "$output")
  bad=$(sed -nE 's/^\[doctest\] test cases:.*[| ]([0-9]+) failed.*/\1/p' <<< "$output")
  if [ -z "$good" ] || { [ "$status" -ne 0 ] && [ "$bad" = 0 ]; }; then
    good=0
    bad=1
  fi
  if [ "$bad" -eq 0 ]; then
    printf '  ok      %-34s %3d s  %3d cases\n' "$2" $((SECONDS - start)) "$good"
    sed -n 's/.*\(left out[:,].*\)/          \1/p' <<< "$output" | sort -u
  else
    printf '%s\n  FAILED  %s: %d cases (exit status %d)\n' "$output" "$2" "$bad" "$status"
  fi
  count "$good" "$bad"
}

# no_case_outside BINARY: fails when a case is in no suite: run_suite would never run it.
no_case_outside() {
  local outside
  outside=$("$1" --no-colors=true -ltc '-tse=?*')
  case $outside in
    *"current filters: 0") ;;
    *)
      echo "these are in no TEST_SUITE: $outside"
      return 1
      ;;
  esac
}

run_suites() {
  local suite
  for suite in $("$1" --no-colors=true -lts | grep -vE '^(\[doctest\]|=)'); do
    run_suite "$1" "$suite"
  done
  check "every case is in a suite" no_case_outside "$1"
}

# The examples end with 0 on any verdict: what they are to show must be in what they print.
stdio_example() {
  local output
  output=$(python3 examples/stdio.py "$1") || { echo "$output"; return 1; }
  grep -E '^validate +passed' <<< "$output" || { echo "$output"; return 1; }
}

curl_example() {
  local output
  output=$(examples/curl.sh "$1") || { echo "$output"; return 1; }
  [ "$(grep -o '"verdict":"passed"' <<< "$output" | wc -l)" -ge 2 ] || { echo "$output"; return 1; }
}

# The official conformance suite of MCP, which has its own Node: npm brings both.
run_conformance() {
  local suite=build-test/conformance package=@modelcontextprotocol/conformance version=0.2.0-alpha.12
  if ! grep -qs "\"version\": \"$version\"" "$suite/node_modules/$package/package.json" &&
    ! npm install --prefix "$suite" --no-audit --no-fund "node@22" "$package@$version" \
      > /dev/null 2>&1; then
    echo "left out: the conformance suite (npm cannot install $package@$version)"
    return
  fi
  check "conformance suite" python3 tests/conformance/run "$1" --suite "$suite"
}

# Clients as their users have them. They need a Node that is newer than most systems': with an older
# one npm installs other versions.
run_clients() {
  local folder=build-test/clients packages=(@anthropic-ai/claude-code@2.1.330
    @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/sdk@1.32.2
    @modelcontextprotocol/client@2.4.0)
  if [ "$(cat "$folder/installed" 2> /dev/null)" != "${packages[*]}" ]; then
    if ! { npm install --prefix "$folder" --no-audit --no-fund node@22 &&
      PATH=$PWD/$folder/node_modules/.bin:$PATH \
        npm install --prefix "$folder" --no-audit --no-fund "${packages[@]}"; } > /dev/null 2>&1; then
      echo "left out: MCP clients (npm cannot install ${packages[*]})"
      return
    fi
    echo "${packages[*]}" > "$folder/installed"
  fi
  check "MCP clients" tests/clients/run "$1" --clients "$folder"
}

# The page in Debian's Chromium, driven by a Node from npm.
run_page() {
  local folder=build-test/page
  if ! command -v chromium > /dev/null; then
    echo "left out: the page in a browser (there is no chromium)"
    return
  fi
  if ! cmp -s tests/page/package-lock.json "$folder/installed"; then
    mkdir -p "$folder"
    cp tests/page/package*.json "$folder"
    if ! npm ci --prefix "$folder" --no-audit --no-fund > /dev/null 2>&1; then
      echo "left out: the page in a browser (npm cannot install what tests/page/package.json names)"
      return
    fi
    cp tests/page/package-lock.json "$folder/installed"
  fi
  check "page in a browser" "$folder/node_modules/.bin/node" tests/page/run.mjs "$1" --modules "$folder" \
    --chromium "$(command -v chromium)"
}

# Debian's PyTorch is the system interpreter's.
run_modules() {
  if ! /usr/bin/python3 -c 'import torch' > /dev/null 2>&1; then
    echo "left out: PyTorch modules against their problems (/usr/bin/python3 has no torch)"
    return
  fi
  check "PyTorch modules" /usr/bin/python3 tests/pytorch/check.py "$1" tests/pytorch/modules
  check "PyTorch modules, timing" /usr/bin/python3 tests/pytorch/timing.py
}

# A cluster of its own, which needs Slurm's daemons, PostgreSQL and root.
run_slurm() {
  local program
  for program in slurmctld slurmd munged; do
    if ! command -v "$program" > /dev/null; then
      echo "left out: nodes in Slurm (there is no $program)"
      return
    fi
  done
  check "nodes in Slurm" tests/scale/slurm.sh "$1"
}

# Nodes that share a bucket of s3rver, which npm brings.
run_s3() {
  local folder=build-test/s3 package=s3rver version=3.7.1
  if ! grep -qs "\"version\": \"$version\"" "$folder/node_modules/$package/package.json" &&
    ! npm install --prefix "$folder" --no-audit --no-fund "$package@$version" > /dev/null 2>&1; then
    echo "left out: nodes that share a bucket (npm cannot install $package@$version)"
    return
  fi
  check "nodes that share a bucket" tests/scale/s3.sh "$1"
}

run_tests() {
  install_packages "${product_packages[@]}" "${test_packages[@]}"
  install_optional "pictures of results" "${picture_packages[@]}"
  install_optional "archives in PostgreSQL" "${postgres_packages[@]}"
  install_optional "compiled kernels in buckets of S3" "${bucket_packages[@]}"
  echo "== build"
  build test
  local bin=build-test/bin
  install_optional "the tests of archives in PostgreSQL" "${postgres_test_packages[@]}"
  install_optional "the tests of nodes in Slurm" "${slurm_packages[@]}"
  install_optional "the tests of HIP" "${hip_packages[@]}"
  install_optional "the tests of HLSL and GLSL" "${shader_packages[@]}"
  install_optional "the checks of the Debian package" "${package_packages[@]}"
  install_optional "the tests of PyTorch modules" "${torch_packages[@]}"
  install_optional "the tests of the page" "${page_packages[@]}"
  echo "== tests (those that need a GPU, a CUDA toolkit or HIP are left out where there is none)"
  run_suites "$bin/ws_tests"
  check "include rule, self-test" python3 tests/layering/check_includes.py --self-test
  check "include rule" python3 tests/layering/check_includes.py
  check "local names, self-test" python3 tests/layering/check_names.py --self-test
  check "local names" python3 tests/layering/check_names.py
  check "comments, self-test" python3 tests/layering/check_comments.py --self-test
  check "comments" python3 tests/layering/check_comments.py
  check "files on fibers, self-test" python3 tests/layering/check_fibers.py --self-test
  check "files on fibers" python3 tests/layering/check_fibers.py
  check "examples/stdio.py" stdio_example "$bin/warpsmith"
  check "examples/curl.sh" curl_example "$bin/warpsmith"
  check "lifts of random kernels" tests/lift/generated/run "$bin/warpsmith" --count 100
  check "attacks and honest kernels" python3 tests/adversarial/run "$bin/warpsmith" --quick
  run_modules "$bin/warpsmith"
  check "examples/pytorch" examples/pytorch/run.sh "$bin/warpsmith"
  check "mixed load, 20 s" python3 tests/soak/run "$bin/warpsmith"
  run_conformance "$bin/ws_conformance_server"
  run_clients "$bin/warpsmith"
  run_page "$bin/warpsmith"
  run_slurm "$bin/warpsmith"
  run_s3 "$bin/warpsmith"
  check "examples/agent" python3 tests/agent/test_loop.py "$bin/warpsmith"
  check "Debian package" tests/package/run build-test
  check "containers, self-test" python3 tests/docker/check_containers.py --self-test
  check "containers" python3 tests/docker/check_containers.py
  check "Kubernetes files, self-test" python3 tests/docker/check_kubernetes.py --self-test
  check "Kubernetes files" python3 tests/docker/check_kubernetes.py "$bin/warpsmith"
  check "documentation, self-test" python3 tests/docs/check_docs.py --self-test
  check "documentation" python3 tests/docs/check_docs.py "$bin/warpsmith"
}

# changed_sources: .cpp files that differ from where main was left; on main itself, from HEAD~1.
changed_sources() {
  local base
  base=$(git merge-base HEAD origin/main 2> /dev/null || git merge-base HEAD main 2> /dev/null)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --verify -q HEAD~1) || return 0
  fi
  git diff --name-only --diff-filter=d "$base" -- '*.cpp'
}

tidy() {
  local report
  # g++ knows warnings that clang does not.
  if ! report=$(timeout "$tidy_seconds" clang-tidy-19 -p build-test --quiet \
      --extra-arg=-Wno-unknown-warning-option "$1" 2>&1); then
    printf 'FAILED  clang-tidy %s\n%s\n' "$1" "$report"
  else
    printf 'ok      clang-tidy %s\n' "$1"
  fi
}

run_tidy() {
  local report
  [ $# -gt 0 ] || return 0
  configure test
  export -f tidy
  export tidy_seconds
  report=$(printf '%s\0' "$@" |
    timeout "$tidy_seconds" xargs -0 -P "$(nproc)" -n 1 bash -c 'tidy "$0"')
  sed 's/^/  /' <<< "$report"
  local good bad
  good=$(grep -c '^ok ' <<< "$report")
  bad=$(grep -c '^FAILED ' <<< "$report")
  count "$good" "$bad"
  if [ $((good + bad)) -lt $# ]; then
    echo "  FAILED  clang-tidy looked at $((good + bad)) of $# files in $tidy_seconds s"
    count 0 1
  fi
}

run_lint() {
  install_packages "${product_packages[@]}" "${test_packages[@]}" "${lint_packages[@]}"
  echo "== lint"
  local sources formatted
  mapfile -t formatted < <(git ls-files '*.h' '*.cpp' ':!runtime/compile/clang/headers')
  check "clang-format" clang-format-19 --dry-run --Werror "${formatted[@]}"
  check "include rule" python3 tests/layering/check_includes.py
  check "local names" python3 tests/layering/check_names.py
  check "comments" python3 tests/layering/check_comments.py
  check "files on fibers" python3 tests/layering/check_fibers.py
  if [ $# -gt 0 ]; then
    sources=("$@")
  else
    mapfile -t sources < <(changed_sources)
  fi
  run_tidy "${sources[@]}"
}

case ${1:-} in
  '') run_tests ;;
  --lint)
    shift
    run_lint "$@"
    ;;
  --sanitize)
    install_packages "${product_packages[@]}" "${test_packages[@]}"
    build asan
    run_suites build-asan/bin/ws_tests
    ;;
  --fuzz)
    check "fuzz targets, build" tests/fuzz/run --build
    for target in $(tests/fuzz/run --list); do
      check "fuzz $target" tests/fuzz/run "${2:-60}" "$target"
    done
    ;;
  --soak)
    build test
    check "mixed load, an hour" python3 tests/soak/run build-test/bin/warpsmith --seconds 3600
    ;;
  *) die "unknown option $1; there are --lint, --sanitize, --fuzz and --soak" ;;
esac
finish
