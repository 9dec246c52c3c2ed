#include "runtime/ir/syntax/utf8.h"

#include <array>

namespace ws::ir {
namespace {

struct Lead {
  unsigned low;         // First and last lead byte of the row,
  unsigned high;        //
  std::size_t more;     // how many bytes follow it,
  unsigned second_low;  // and what the first of them may be.
  unsigned second_high;
};

// Unicode 15, table 3-7.
constexpr std::array<Lead, 9> kLeads = {{
    {0x00, 0x7f, 0, 0, 0},
    {0xc2, 0xdf, 1, 0x80, 0xbf},
    {0xe0, 0xe0, 2, 0xa0, 0xbf},
    {0xe1, 0xec, 2, 0x80, 0xbf},
    {0xed, 0xed, 2, 0x80, 0x9f},
    {0xee, 0xef, 2, 0x80, 0xbf},
    {0xf0, 0xf0, 3, 0x90, 0xbf},
    {0xf1, 0xf3, 3, 0x80, 0xbf},
    {0xf4, 0xf4, 3, 0x80, 0x8f},
}};

unsigned byte_at(std::string_view text, std::size_t index) {
  return index < text.size() ? static_cast<unsigned char>(text[index]) : 0x100U;
}

// Bytes of the character at `at`; 0 when it is none.
std::size_t length_at(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  for (const Lead& row : kLeads) {
    if (lead < row.low || lead > row.high) {
      continue;
    }
    const unsigned second = byte_at(text, at + 1);
    bool good = row.more == 0 || (second >= row.second_low && second <= row.second_high);
    for (std::size_t i = 2; i <= row.more; ++i) {
      const unsigned next = byte_at(text, at + i);
      good = good && next >= 0x80U && next <= 0xbfU;
    }
    return good ? row.more + 1 : 0;
  }
  return 0;
}

}  // namespace

std::optional<Place> find_bad_utf8(std::string_view text) {
  Place place{1, 1};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_at(text, at);
    if (length == 0) {
      return place;
    }
    const bool line_end = text[at] == '\n';
    place = line_end ? Place{place.line + 1, 1}
                     : Place{place.line, place.column + static_cast<std::uint32_t>(length)};
    at += length;
  }
  return std::nullopt;
}

}  // namespace ws::ir
