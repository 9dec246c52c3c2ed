#include "runtime/base/json_string.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace ws {
namespace {

/// Whether all of it is printable ASCII that stands for itself between quotes.
bool stands_for_itself(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
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

}  // namespace ws
