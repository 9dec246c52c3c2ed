// Bytes to one JSON-RPC message: everything that is checked before a method is looked at.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "server/protocol/protocol.h"

namespace ws::server {

inline constexpr std::size_t kMaxBodyBytes = std::size_t{16} << 20U;
/// The message to a client where an allocation failed.
inline constexpr const char* kNoMemory =
    "the server has no memory left for this request; try again later, or a smaller one";
inline constexpr int kMaxJsonDepth = 64;  ///< dump() and our own walks recurse.
inline constexpr std::size_t kMaxIdBytes = 256;
inline constexpr std::size_t kMaxMethodBytes = 128;

/// One pass over the bytes, before anything is built from them, then the parser.
///
/// @return  -32700 with the place: over kMaxBodyBytes (HTTP 413), not UTF-8, nested too deep, or
///          not JSON.
RpcResult<Json> parse_json(std::string_view text);

struct Message {
  Json id = nullptr;  ///< A string or an integer; null for a notification.
  std::string method;
  Json params = Json::object();

  [[nodiscard]] bool is_notification() const { return id.is_null(); }
};

/// The id to answer a malformed message with: its own where that is usable, else null: none.
Json usable_id(const Json& value);

/// @return  -32600: not a request or notification of JSON-RPC 2.0; says what is wrong with it.
RpcResult<Message> to_message(Json value);

}  // namespace ws::server
