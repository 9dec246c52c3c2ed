#!/usr/bin/env bash
# From a clean clone to a working server: installs what the product needs, builds it into build/ and
# shows the main job. Run it again at any time: what is there already is kept.
set -euo pipefail
cd "$(dirname "$0")"
. cmake/packages.sh

step() {
  printf '\n== %s (%d s)\n' "$1" "$SECONDS"
}

[ "$(uname -sm)" = "Linux x86_64" ] || die "warpsmith runs on Linux on x86-64, not on $(uname -sm)"

step "packages"
install_packages "${product_packages[@]}"

step "build"
quietly "the build cannot be configured" cmake --preset release
cmake --build --preset release --parallel "$(nproc)"

step "demo"
exec build/bin/warpsmith demo
