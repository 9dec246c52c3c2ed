#include "server/protocol/json_text.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "runtime/base/json_string.h"

namespace ws::server {
namespace {

template <typename Integer>
void append_integer(std::string& line, Integer value) {
  std::array<char, 24> digits{};  // 20 and a sign are the most.
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  line.append(digits.data(), end);
}

void append_object(std::string& line, const Json& object) {
  line.push_back('{');
  const char* separator = "";
  for (const auto& [key, value] : object.get_ref<const Json::object_t&>()) {
    line += separator;
    append_json_string(line, key);
    line.push_back(':');
    append_json(line, value);
    separator = ",";
  }
  line.push_back('}');
}

void append_array(std::string& line, const Json& array) {
  line.push_back('[');
  const char* separator = "";
  for (const Json& value : array) {
    line += separator;
    append_json(line, value);
    separator = ",";
  }
  line.push_back(']');
}

}  // namespace

void append_json(std::string& line, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      append_object(line, value);
      return;
    case Json::value_t::array:
      append_array(line, value);
      return;
    case Json::value_t::string:
      append_json_string(line, value.get_ref<const std::string&>());
      return;
    case Json::value_t::number_integer:
      append_integer(line, value.get<std::int64_t>());
      return;
    case Json::value_t::number_unsigned:
      append_integer(line, value.get<std::uint64_t>());
      return;
    case Json::value_t::boolean:
      line += value.get<bool>() ? "true" : "false";
      return;
    case Json::value_t::null:
      line += "null";
      return;
    default:
      line += value.dump(-1, ' ', false, Json::error_handler_t::replace);
      return;
  }
}

}  // namespace ws::server
