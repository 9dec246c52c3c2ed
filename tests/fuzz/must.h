// How a fuzz target says that a rule of the code under test does not hold.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace ws::fuzz {

/// Ends the run, and libFuzzer keeps the input.
inline void must(bool holds) {
  if (!holds) {
    std::abort();
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace ws::fuzz
