#include "runtime/ir/syntax/utf8.h"

#include "runtime/base/text.h"

namespace ws::ir {

std::optional<SourcePlace> find_bad_utf8(std::string_view text) {
  SourcePlace place{1, 1};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      return place;
    }
    const bool line_end = text[at] == '\n';
    place = line_end ? SourcePlace{place.line + 1, 1}
                     : SourcePlace{place.line, place.column + static_cast<std::uint32_t>(length)};
    at += length;
  }
  return std::nullopt;
}

}  // namespace ws::ir
