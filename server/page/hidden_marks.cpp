#include "server/page/hidden_marks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "runtime/base/text.h"

namespace ws::server {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

constexpr std::array kHidden = {
    Range{0x7f, 0x9f},     Range{0xad, 0xad},       Range{0x61c, 0x61c},   Range{0x180e, 0x180e},
    Range{0x200b, 0x200f}, Range{0x2028, 0x202e},   Range{0x2060, 0x206f}, Range{0xfeff, 0xfeff},
    Range{0xfff9, 0xfffb}, Range{0xe0000, 0xe007f},
};

/// @param character  One whole character.
std::uint32_t code_of(std::string_view character) {
  constexpr std::uint32_t kLow = 0x3f;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(character[at]); };
  if (character.size() == 1) {
    return byte(0);
  }
  std::uint32_t code = byte(0) & (0x7fU >> character.size());
  for (std::size_t at = 1; at < character.size(); ++at) {
    code = code << 6U | (byte(at) & kLow);
  }
  return code;
}

bool is_hidden(std::uint32_t code) {
  constexpr std::uint32_t kSpace = 0x20;
  return (code < kSpace && code != '\t' && code != '\n') ||
         std::any_of(kHidden.begin(), kHidden.end(), [code](const Range& range) {
           return code >= range.first && code <= range.last;
         });
}

std::string shown(std::uint32_t code) {
  constexpr std::uint32_t kFourDigits = 0xffff;
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), code > kFourDigits ? "\\u{%x}" : "\\u%04x", code);
  return text.data();
}

}  // namespace

std::string hidden_marks_shown(std::string_view text) {
  std::string all;
  all.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character =
        text.substr(at, std::max<std::size_t>(1, utf8_length(text, at)));
    const std::uint32_t code = code_of(character);
    if (is_hidden(code)) {
      all += shown(code);
    } else {
      all += character;
    }
    at += character.size();
  }
  return all;
}

}  // namespace ws::server
