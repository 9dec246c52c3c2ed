#include "runtime/base/message.h"

#include <nlohmann/json.hpp>

namespace ws {

std::string json_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string encode_message(const nlohmann::json& json,
                           std::initializer_list<std::string_view> blobs) {
  std::string frame = json_line(json);
  std::size_t bytes = frame.size() + 1;
  for (const std::string_view blob : blobs) {
    bytes += blob.size();
  }
  frame.reserve(bytes);
  frame.push_back('\0');
  for (const std::string_view blob : blobs) {
    frame += blob;
  }
  return frame;
}

MessageParts split_message(std::string_view frame) {
  const std::size_t end = frame.find('\0');
  return end == std::string_view::npos ? MessageParts{frame, std::nullopt}
                                       : MessageParts{frame.substr(0, end), frame.substr(end + 1)};
}

}  // namespace ws
