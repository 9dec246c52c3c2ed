// A tool called by a sub-command: the request, and the answer's parts.
#pragma once

#include <string>

#include "server/protocol/message.h"

namespace ws::server {

/// tools/call as one message of the modern era.
Json tool_request(const std::string& tool, Json arguments);

struct ToolAnswer {
  int status = 0;    ///< An exit status of commands.h: a result, a tool error, or a wrong call.
  std::string text;  ///< Why there is no result.
  Json content;      ///< structuredContent of a result.
};

/// @param text  The whole reply to such a message.
ToolAnswer read_tool_answer(const std::string& text);

}  // namespace ws::server
