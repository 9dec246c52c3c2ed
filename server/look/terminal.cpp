#include "server/look/terminal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/base/text.h"

namespace ws::server {
namespace {

constexpr std::string_view kReset = "\x1b[0m";
// By TextColour. Without a background of our own, so that they are read on light and on dark ones.
constexpr std::array<std::string_view, 5> kInks = {"", "\x1b[32m", "\x1b[31m", "\x1b[1m",
                                                   "\x1b[2m"};
constexpr std::string_view kWhole = "\u2588";
constexpr std::array<std::string_view, 8> kEighths = {"",       "\u258f", "\u258e", "\u258d",
                                                      "\u258c", "\u258b", "\u258a", "\u2589"};
constexpr double kParts = 8;

/// Marks that a terminal does not show but obeys.
bool is_direction(std::string_view character) {
  return character == "\u200e" || character == "\u200f" || character == "\u061c" ||
         (character >= "\u202a" && character <= "\u202e") ||
         (character >= "\u2066" && character <= "\u2069");
}

/// Control characters in ASCII and in Latin-1, where they begin escape sequences, too.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  return first < 0x20 || first == 0x7f ||
         (character.size() == 2 && first == 0xc2 &&
          static_cast<unsigned char>(character[1]) < 0xa0);
}

std::string harmless(std::string_view text, bool lines) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    at += character.size();
    if (length == 0) {
      clean += '?';
    } else if (lines && (character == "\n" || character == "\t")) {
      clean += character;
    } else {
      clean += is_control(character) || is_direction(character) ? std::string_view(" ") : character;
    }
  }
  return clean;
}

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
}

}  // namespace

std::string inked(const Terminal& terminal, TextColour ink, std::string_view text) {
  if (!terminal.colours || ink == TextColour::kPlain || text.empty()) {
    return std::string(text);
  }
  return std::string(kInks.at(static_cast<std::size_t>(ink))) + std::string(text) +
         std::string(kReset);
}

std::string bar(const Terminal& terminal, double share, std::size_t width) {
  const double length = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  if (!terminal.unicode) {
    return std::string(static_cast<std::size_t>(std::lround(length)), '#');
  }
  const auto eighths = static_cast<std::size_t>(std::lround(length * kParts));
  std::string drawn;
  for (std::size_t i = 0; i < eighths / kEighths.size(); ++i) {
    drawn += kWhole;
  }
  return drawn + std::string(kEighths.at(eighths % kEighths.size()));
}

std::string one_line(std::string_view text, std::size_t limit) {
  const std::size_t end = utf8_cut(text, limit);
  return harmless(text.substr(0, end), /*lines=*/false) + (end < text.size() ? "..." : "");
}

std::string many_lines(std::string_view text) {
  return harmless(text, /*lines=*/true);
}

std::string column(std::string_view text, std::size_t width) {
  const auto characters =
      static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
  const std::size_t spaces = characters < width ? width - characters : 1;
  return std::string(text) + std::string(spaces, ' ');
}

}  // namespace ws::server
