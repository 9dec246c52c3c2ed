// Finds the protocol revision of a message, from the message itself.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/protocol/message.h"

namespace ws::server {

/// The MCP headers of an HTTP request, trimmed; stdio has none.
struct McpHeaders {
  std::optional<std::string> version;  ///< MCP-Protocol-Version
  std::optional<std::string> method;   ///< Mcp-Method
  std::optional<std::string> name;     ///< Mcp-Name, as sent
  /// The headers that repeat an argument, as sent, with their names in lower case.
  std::vector<std::pair<std::string, std::string>> arguments{};
};

struct Envelope {
  Revision revision = kLatestLegacy;
  Json progress_token = nullptr;  ///< A string or an integer; null: no progress is wanted.
};

/// Picks the lane and checks what that lane asks of the envelope and the headers.
///
/// @param headers   Null on stdio.
/// @param fallback  The revision of a legacy message that names none: on stdio what `initialize`
///                  agreed on, on HTTP 2025-03-26, which had no version header.
/// @return  With status 400: -32020 header missing or different, -32022 unsupported version,
///          -32602 incomplete envelope (names the keys).
RpcResult<Envelope> open_envelope(const Message& message, const McpHeaders* headers,
                                  Revision fallback);

/// Undoes =?base64?...?= around a header value; others are returned as they are. Nothing when the
/// alphabet or the padding is wrong.
std::optional<std::string> decode_header(const std::string& value);

}  // namespace ws::server
