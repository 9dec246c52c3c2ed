// The words of a schema message for values and types.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ws {

/// `value` as JSON on one line, cut after 80 bytes.
std::string shown(const nlohmann::json& value);

/// A client's field name, escaped as in JSON but without quotes, cut after 80 bytes.
std::string shown_name(const std::string& name);

/// "an object", "null", "the number 3", "a string "abc"".
std::string kind_of(const nlohmann::json& value);

/// "an integer", "a string", "null".
std::string with_article(const std::string& type);

}  // namespace ws
