#include "runtime/base/json_string.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <nlohmann/json.hpp>

#include "runtime/base/hidden_characters.h"

namespace ws {
namespace {

/// Eight bytes at once. A byte's highest bit says that the byte is found.
using Bytes = std::uint64_t;

constexpr Bytes kEach = 0x0101010101010101;
constexpr Bytes kHighest = 0x8080808080808080;

/// @param limit  At most 0x80. A borrow can only mark bytes above one that is found.
constexpr Bytes below(Bytes bytes, unsigned char limit) {
  return (bytes - kEach * limit) & ~bytes & kHighest;
}

constexpr Bytes equal(Bytes bytes, unsigned char byte) {
  return below(bytes ^ (kEach * byte), 1);
}

constexpr Bytes special_in(Bytes bytes) {
  return (bytes & kHighest) | below(bytes, 0x20) | equal(bytes, '"') | equal(bytes, '\\') |
         equal(bytes, 0x7f);
}

/// Appends UTF-8 with escapes in the place of characters that are obeyed and not shown.
void append_escaped(std::string& out, std::string_view json) {
  constexpr std::size_t kEscape = 6;
  while (!json.empty()) {
    const std::size_t bytes = hidden_bytes(json);
    if (bytes == 0) {
      out.push_back(json.front());
      json.remove_prefix(1);
      continue;
    }
    const std::string_view character = json.substr(0, bytes);
    const std::string escape =
        nlohmann::json(character).dump(-1, ' ', /*ensure_ascii=*/true).substr(1, kEscape);
    out += escape;
    json.remove_prefix(bytes);
  }
}

}  // namespace

bool is_plain_json(std::string_view text) {
  Bytes bytes = 0;
  Bytes special = 0;
  while (text.size() >= sizeof(bytes)) {
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    special |= special_in(bytes);
    text.remove_prefix(sizeof(bytes));
  }
  bytes = kEach * ' ';
  for (const char c : text) {
    bytes = bytes << 8U | static_cast<unsigned char>(c);
  }
  return (special | special_in(bytes)) == 0;
}

void append_json_string(std::string& out, std::string_view text) {
  if (!is_plain_json(text)) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out.push_back('"');
  out += text;
  out.push_back('"');
}

void append_shown_json_string(std::string& out, std::string_view text) {
  if (is_plain_json(text)) {
    append_json_string(out, text);
    return;
  }
  std::string json;
  append_json_string(json, text);
  append_escaped(out, json);
}

}  // namespace ws
