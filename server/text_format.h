// Numbers and columns for text in a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ws::server {

/// With `digits` digits after the point, whatever the locale: "1.62".
std::string decimal(double value, int digits);

/// In the largest binary unit that leaves a number of at least 1: "512 B", "1.5 GiB".
std::string size_text(std::uint64_t bytes);

/// With spaces up to `width` bytes; longer text stays whole, with one space.
std::string padded(std::string_view text, std::size_t width);

}  // namespace ws::server
