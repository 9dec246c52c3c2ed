#include "tools/schema_words.h"

#include <cstddef>

#include "runtime/base/text.h"

namespace ws {
namespace {

constexpr std::size_t kLongestShown = 80;  // Bytes of a client's value that a message repeats.

}  // namespace

using Json = nlohmann::json;

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kLongestShown) {
    text.resize(utf8_cut(text, kLongestShown));
    text += "...";
  }
  return text;
}

std::string shown_name(const std::string& name) {
  const std::string quoted = shown(name);
  const bool cut = quoted.back() != '"';
  return quoted.substr(1, quoted.size() - (cut ? 1 : 2));
}

std::string kind_of(const Json& value) {
  if (value.is_null()) {
    return "null";
  }
  if (value.is_object()) {
    return "an object";
  }
  if (value.is_array()) {
    return "an array";
  }
  const char* kind = value.is_string() ? "a string " : value.is_boolean() ? "" : "the number ";
  return kind + shown(value);
}

std::string with_article(const std::string& type) {
  const bool vowel = type == "object" || type == "array" || type == "integer";
  return type == "null" ? type : (vowel ? "an " : "a ") + type;
}

}  // namespace ws
