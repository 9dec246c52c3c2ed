#include "runtime/base/hidden_characters.h"

namespace ws {

std::size_t hidden_bytes(std::string_view text) {
  const auto in = [&](std::size_t at, unsigned low, unsigned high) {
    const unsigned byte = at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    return byte >= low && byte <= high;
  };
  if (in(0, 0x7f, 0x7f)) {
    return 1;
  }
  if (in(0, 0xc2, 0xc2) && in(1, 0x80, 0x9f)) {
    return 2;
  }
  // U+2028 to U+202E, and U+2066 to U+2069.
  const bool turns = in(0, 0xe2, 0xe2) && ((in(1, 0x80, 0x80) && in(2, 0xa8, 0xae)) ||
                                           (in(1, 0x81, 0x81) && in(2, 0xa6, 0xa9)));
  return turns ? 3 : 0;
}

}  // namespace ws
