// Headers that NVRTC lacks because they belong to the host's compiler, and the types that CUDA code
// finds defined everywhere else.
#pragma once

#include <span>
#include <string_view>

namespace ws::nvrtc {

struct Shim {
  std::string_view name;
  std::string_view text;
};

/// stdint.h, float.h, ...: what the CPU engine provides by the same names, in device code's terms.
std::span<const Shim> shims();

/// The shim that every program starts with.
inline constexpr std::string_view kPrelude = "warpsmith_prelude.h";

}  // namespace ws::nvrtc
