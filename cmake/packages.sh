# What comes from the package archive, by purpose, and how it gets here. Sourced by quickstart.sh and
# test.sh; WsDependencies.cmake says how the product links it.

# Headers and static libraries that a CMake file names, the compilers, and the build tools. LLVM's
# CMake package asks for the headers of zlib and zstd without depending on them.
product_packages=(
  g++ cmake ninja-build pkg-config
  libcpp-httplib-dev nlohmann-json3-dev libvalijson-dev libexpected-dev libcli11-dev
  libtomlplusplus-dev
  libcjose-dev libjansson-dev libsqlite3-dev libssl-dev libseccomp-dev libxxhash-dev
  llvm-19-dev libclang-19-dev lld-19 zlib1g-dev libzstd-dev
)
test_packages=(doctest-dev python3 python3-numpy python3-yaml curl ccache)
# AMD's compiler, 42 MB to download: tests that need it are left out where there is no such package
# (Ubuntu 24.04 has another version, by another name).
hip_packages=(libamdhip64-5 libhiprtc-builtins5)
# PyTorch without GPUs, 50 MB to download: modules become problems by running them, and kernels
# extensions, whose C++ is compiled against its headers.
torch_packages=(python3-torch libtorch-dev pybind11-dev)
# HLSL and GLSL: their compiler, the headers of Vulkan, and lavapipe, which runs shaders on the
# processor. A build without them has no shaders.
shader_packages=(glslang-dev spirv-tools libvulkan-dev mesa-vulkan-drivers)
# Results as pictures, for clients that show no views. A build without it draws none.
picture_packages=(libgd-dev)
# Archives in PostgreSQL databases. A build without libpq-dev has none; the server is for their tests.
postgres_packages=(libpq-dev)
postgres_test_packages=(postgresql)
# Compiled kernels that are shared in buckets of S3. A build without it shares them in folders.
bucket_packages=(libcurl4-openssl-dev)
# A Slurm cluster of one machine, 4 MB to download: it starts nodes.
slurm_packages=(slurm-wlm munge)
# What checks the Debian package, and a bare system to install it in.
package_packages=(lintian debootstrap)
# A browser that needs no screen, 80 MB to download: the page is used as a person would.
page_packages=(chromium)
# libFuzzer is part of the runtimes.
fuzz_packages=(clang-19 libclang-rt-19-dev)
lint_packages=(clang-format-19 clang-tidy-19)

die() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit 1
}

# quietly HINT COMMAND...: shows what the command says only when it fails, then HINT, and ends.
quietly() {
  local hint=$1 log
  shift
  log=$(mktemp)
  "$@" > "$log" 2>&1 || {
    tail -n 40 "$log" >&2
    rm -f "$log"
    die "$hint"
  }
  rm -f "$log"
}

# install_optional WHAT NAME...: as install_packages, but without the packages WHAT is left out.
install_optional() {
  local what=$1
  shift
  if ! (install_packages "$@") > /dev/null 2>&1; then
    echo "left out: $what (the packages $* cannot be installed)"
  fi
}

# install_packages NAME...: installs what is not there; no call of apt when nothing is missing.
install_packages() {
  local name missing=() as_root=()
  { command -v dpkg-query && command -v apt-get; } > /dev/null ||
    die "this needs Debian 12, Ubuntu 24.04 or a later release of either; apt is not here"
  for name in "$@"; do
    case " $(dpkg-query -W -f '${db:Status-Status} ' "$name" 2> /dev/null)" in
      *" installed "*) ;;
      *) missing+=("$name") ;;
    esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null ||
      die "needs root or sudo, or somebody who runs: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  echo "installing ${missing[*]}"
  # Without Error-Mode a failed download is a warning, and the old lists are used.
  quietly "the package lists cannot be fetched: is there a network?" \
    "${as_root[@]}" apt-get update -q -o APT::Update::Error-Mode=any
  quietly "the packages cannot be installed: a release older than Debian 12, or no network?" \
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
}
