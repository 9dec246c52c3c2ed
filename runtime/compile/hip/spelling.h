// The differences between CUDA's spelling and HIP's: additions to a program that remove them, and
// hints for the rest.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ws::hip {

struct Shim {
  std::string_view name;
  std::string_view text;
};

/// The shim that every program of the language starts with: constants that device code expects, and
/// for `cuda` its warp operations, among groups of 32 lanes: `warpSize` is 32, and on architectures
/// with wavefronts of 64 lanes each half is a warp.
std::string_view prelude(std::string_view language);
inline constexpr std::string_view kPrelude = "warpsmith_prelude.h";

/// Headers that say nothing which is not there without them.
std::span<const Shim> shims();

/// A name expression for a kernel of our own whose symbol holds the type of `entry`, the index-th:
/// for extern "C" functions, whose own symbol says nothing. The program needs kTypesText.
std::string types_of(std::size_t index, const std::string& entry);
bool is_types_of(std::string_view expression);
inline constexpr const char* kTypesText =
    "template <int I, class T> __global__ void warpsmith_types() {}\n";
/// The type in that kernel's demangled name: "void (int*, float)". "": the name is another's.
std::string_view type_in(std::size_t index, std::string_view name);

/// An error of clang's, followed by what to write instead where it names something of CUDA's (or
/// of CUDA's later HIP) that AMD's GPUs have otherwise.
std::string with_advice(std::string message, std::string_view language);

}  // namespace ws::hip
