// Messages between the server and its workers: JSON on one line and, after a zero byte, blobs that
// need no escaping.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"

namespace ws {

/// JSON on one line, without a zero byte. Bytes of its texts that are not UTF-8 become U+FFFD.
std::string json_line(const nlohmann::json& json);

/// `json`, a zero byte, and the blobs without anything between them: `json` has to say how long
/// they are where there are several.
std::string encode_message(const nlohmann::json& json,
                           std::initializer_list<std::string_view> blobs);

struct MessageParts {
  std::string_view json;
  std::optional<std::string_view> blobs;  ///< Nothing: there is no zero byte.
};

/// Views into `frame`, which may hold any bytes.
MessageParts split_message(std::string_view frame);

/// The value that `json` says, by T's own form of JSON.
/// @param what  "load frame". @errors kInternal: "a malformed load frame".
template <typename T, typename Json = nlohmann::json>
Result<T> value_of(const Json& json, std::string_view what) {
  try {
    return json.template get<T>();
  } catch (const typename Json::exception& error) {
    return fail(ErrorCode::kInternal, "a malformed " + std::string(what), {}, error.what());
  }
}

/// The same of a text, which may hold any bytes.
template <typename T, typename Json = nlohmann::json>
Result<T> parse_value(std::string_view text, std::string_view what) {
  return value_of<T>(Json::parse(text, nullptr, /*allow_exceptions=*/false), what);
}

}  // namespace ws
