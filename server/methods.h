// Private to McpServer: one row a method, and what a handler is given.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/mcp_server.h"
#include "server/message.h"

namespace ws {

struct McpServer::Call {
  Message message;
  Envelope envelope;
  RequestContext context;
  std::optional<std::string> version{};  ///< AnswersAtOnce::version_now() of the tool it calls.
};

struct McpServer::Method {
  std::string_view name;
  bool modern;     ///< Known in 2026-07-28.
  bool legacy;     ///< Known before.
  bool resources;  ///< Only with a ResourceReader.
  bool slow;       ///< Runs our tools or reads the archive: never on the reading thread.
  Answer (McpServer::*handler)(const Call&) const;
};

}  // namespace ws
