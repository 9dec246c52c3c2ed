// Mangled names, and what they say about a kernel's parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ws::nvrtc {

/// "vadd(float const*, int)" for "_Z4vaddPKfi"; the name itself when it is not mangled.
std::string demangled(const std::string& symbol);

/// The parameter types of a function, from its mangled name; nothing when the name does not say:
/// extern "C".
std::optional<std::vector<std::string>> parameter_types(const std::string& symbol);

/// The same of a type as text: "void (int*, float)", "void k<4>(float*)".
std::optional<std::vector<std::string>> types_in(std::string_view signature);

/// A name expression whose symbol holds the type of the function `entry`, and the declaration that
/// the program needs for it. For extern "C" functions: their own symbol says nothing.
std::string signature_name(const std::string& entry);
inline constexpr const char* kSignatureText =
    "template <class T> __device__ char warpsmith_signature;\n";

/// ptxas's words for people: symbols in quotes demangled, hexadecimal numbers in decimal.
std::string readable(std::string_view text);

}  // namespace ws::nvrtc
