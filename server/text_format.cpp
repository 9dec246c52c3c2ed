#include "server/text_format.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ws::server {

std::string decimal(double value, int digits) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, digits);
  // Too large for the room: no number that we measure is.
  return end.ec == std::errc() ? std::string(text.data(), end.ptr) : "huge";
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= kStep && unit + 1 < units.size()) {
    value /= kStep;
    ++unit;
  }
  return decimal(value, unit == 0 ? 0 : 1) + " " + std::string(units[unit]);
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) +
         std::string(text.size() < width ? width - text.size() : std::size_t{1}, ' ');
}

}  // namespace ws::server
