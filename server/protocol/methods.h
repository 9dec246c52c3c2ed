// Private to McpServer: one row a method, and what a handler is given.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/protocol/content_tool.h"
#include "server/protocol/mcp_server.h"
#include "server/protocol/message.h"
#include "server/protocol/open_reply.h"

namespace ws::server {

/// Names who shares the queues with others: what says its name, where it comes from. The name is
/// the client's word.
std::string client_of(const Message& message, const std::string& from);

/// Null where a request of the stateless protocol says nothing of them.
const Json& capabilities_of(const Message& message);

/// For ContentContext: nobody wants to see it.
void drop_log(Severity severity, const Json& data);

/// The result of a call whose answer is content, as JSON text.
std::string content_text(const ContentAnswer& answer);

struct McpServer::Call {
  Message message;
  Envelope envelope;
  RequestContext context;
  std::optional<std::string> version{};  ///< AnswersAtOnce::version_now() of the tool it calls.
};

/// The tool that is called, and its arguments; both outlive the call.
struct McpServer::ToolCall {
  const ToolRegistry::Entry* entry = nullptr;
  const Json* arguments = nullptr;
};

/// A tools/call on its way.
struct McpServer::ToolRun {
  std::shared_ptr<const Call> call;
  ToolCall tool;
  CallContext context;
  std::shared_ptr<ProgressReporter> progress;  ///< Null: nobody wants to know.
  LaterAnswer later;
  std::shared_ptr<OpenReply> reply;
};

/// The same of a tool of content.
struct McpServer::ContentRun {
  std::shared_ptr<const Call> call;
  ToolCall tool;
  Inputs inputs;
  ContentContext context;
  std::shared_ptr<ProgressReporter> progress;  ///< Null: nobody wants to know.
  std::shared_ptr<OpenReply> reply;
  int rounds = 0;  ///< How often the client was asked.
};

struct McpServer::Method {
  using Needs = MethodNeeds;

  std::string_view name;
  bool modern;  ///< Known in 2026-07-28.
  bool legacy;  ///< Known before.
  Needs needs;
  bool slow;  ///< Runs our tools or reads the archive: never on the reading thread.
  Answer (McpServer::*handler)(const Call&) const;
};

}  // namespace ws::server
