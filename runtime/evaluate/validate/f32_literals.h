// A reference's text with its floating-point literals in f32: `0.5 * v` of a float v is computed in
// f64 otherwise, and such a reference loses nothing that a kernel in f32 loses.
#pragma once

#include <string>
#include <string_view>

namespace ws {

/// The same C++ with an `f` behind each floating literal that has no suffix. Comments, texts,
/// characters and whole numbers stay as they are.
std::string with_f32_literals(std::string_view source);

}  // namespace ws
