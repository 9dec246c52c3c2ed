#include "runtime/archive/postgres/values.h"

#include <algorithm>
#include <string_view>

#include "runtime/base/text.h"

namespace ws {
namespace {

/// A database whose texts are UTF-8 takes nothing else, and no zero byte.
bool is_text(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = bytes[at] == '\0' ? 0 : utf8_length(bytes, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace

Status check_texts(const PostgresValues& values, const std::string& archive) {
  const bool fit = std::all_of(values.begin(), values.end(), [](const PostgresValue& value) {
    return value.type != pg_type::kText || is_text(value.bytes);
  });
  return fit ? Status()
             : fail(ErrorCode::kInvalidArgument,
                    "the archive `" + archive + "` takes no text with such a byte in it",
                    "leave zero bytes out, and write UTF-8");
}

std::vector<Oid> types_of(const PostgresValues& values) {
  std::vector<Oid> types;
  for (const PostgresValue& value : values) {
    types.push_back(value.type);
  }
  return types;
}

std::string bytes_in(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    bytes += static_cast<char>(digit(text[at]) * 16 + digit(text[at + 1]));
  }
  return bytes;
}

PostgresArguments::PostgresArguments(const PostgresValues& values) {
  for (const PostgresValue& value : values) {
    bytes.push_back(value.type == 0 ? nullptr : value.bytes.c_str());
    lengths.push_back(static_cast<int>(value.bytes.size()));
    formats.push_back(value.is_binary ? 1 : 0);
  }
}

}  // namespace ws
