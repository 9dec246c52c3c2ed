#include "runtime/base/text.h"

#include <algorithm>
#include <array>

namespace ws {
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

/// 0x100, which is no byte, beyond the end.
unsigned byte_at(std::string_view text, std::size_t index) {
  return index < text.size() ? static_cast<unsigned char>(text[index]) : 0x100U;
}

bool continues(unsigned byte) {
  return byte >= 0x80U && byte <= 0xbfU;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  for (const Lead& row : kLeads) {
    if (lead < row.low || lead > row.high) {
      continue;
    }
    const unsigned second = byte_at(text, at + 1);
    bool good = row.more == 0 || (second >= row.second_low && second <= row.second_high);
    for (std::size_t i = 2; i <= row.more; ++i) {
      good = good && continues(byte_at(text, at + i));
    }
    return good ? row.more + 1 : 0;
  }
  return 0;
}

std::size_t utf8_cut(std::string_view text, std::size_t limit) {
  std::size_t end = std::min(text.size(), limit);
  while (end > 0 && continues(byte_at(text, end))) {
    --end;
  }
  return end;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = text.find_last_not_of(blanks) + 1;  // 0: nothing but blanks.
  return text.substr(begin, std::max(begin, end) - begin);
}

std::string quoted(const std::string& text, std::size_t limit) {
  const std::size_t end = utf8_cut(text, limit);
  std::string clean;
  for (const char c : std::string_view(text).substr(0, end)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n';
    clean.push_back(control || c == 0x7f ? ' ' : c);
  }
  return text.size() > limit ? clean + "..." : clean;
}

}  // namespace ws
