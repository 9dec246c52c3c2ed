#include "runtime/base/json_string.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/hidden_characters.h"

namespace ws {
namespace {

/// Whether all of it is printable ASCII that stands for itself between quotes.
bool stands_for_itself(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
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

void append_json_string(std::string& out, std::string_view text) {
  if (!stands_for_itself(text)) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out.push_back('"');
  out += text;
  out.push_back('"');
}

void append_shown_json_string(std::string& out, std::string_view text) {
  if (stands_for_itself(text)) {
    append_json_string(out, text);
    return;
  }
  std::string json;
  append_json_string(json, text);
  append_escaped(out, json);
}

}  // namespace ws
