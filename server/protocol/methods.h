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
#include "tools/choice.h"

namespace ws::server {

/// Names who shares the queues with others: what says its name, where it comes from. The name is
/// the client's word.
std::string client_of(const Message& message, const std::string& from);

/// The same of initialize in the older revisions. @param params  The request's.
std::string introduced(const Json& params, const std::string& from);

/// Null where a request of the stateless protocol says nothing of them.
const Json& capabilities_of(const Message& message);

/// Names whoever can cancel a request by its id, over HTTP.
std::string canceller_of(const RequestContext& context);

/// The key of a client in the queues (client_key.h): its principal, client_of(), and the session of
/// the older revisions, whose requests hold no name.
std::string caller_of(const Message& message, Revision revision, const RequestContext& context);

using LogFn = std::function<void(Severity, const Json&)>;

/// Sends what is at least that severe as notifications/message.
LogFn log_from(Severity least, NotifyFn notify, std::string logger);

/// For ContentContext: nobody wants to see it.
void drop_log(Severity severity, const Json& data);

/// The result of a call whose answer is content, as JSON text.
std::string content_text(const ContentAnswer& answer);

/// The error for a client that does not say that it knows tasks.
RpcError undeclared_tasks();

/// True of the answer of a call whose job has not ended.
bool is_open_job(const Result<Json>& output);

/// The member of `_meta` that names the task whose result this is.
std::string related_task(const std::string& task);

/// The role that a call of the tool needs: kRead where it only reads.
Role role_for(const Tool& tool, const Json& arguments);

struct McpServer::Call {
  Message message;
  Envelope envelope;
  RequestContext context;
  std::shared_ptr<const Json> at_once{};  ///< AnswersAtOnce::answer_now() of the tool it calls.
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
  std::shared_ptr<const Json> own_arguments{};  ///< In place of the client's; may be null.
  bool as_task = false;                         ///< Its job becomes a task.
  std::string result_of{};  ///< The task whose result this waits for; empty: it is a call.
  bool asked = false;       ///< The client's user has been asked what the call means.
  bool picture = false;     ///< The answer is drawn, too.

  /// Nothing: the error names none, or the user cannot be asked while the call is open.
  [[nodiscard]] std::optional<Choice> choice_for(const Error& error) const;

  void take_arguments(Json arguments) {
    own_arguments = std::make_shared<const Json>(std::move(arguments));
    tool.arguments = own_arguments.get();
  }

  /// Takes `picture` out of the arguments of a tool that has it: what the tool does, and which
  /// calls share its job, do not depend on it.
  void take_picture();
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
  bool slow;   ///< Runs our tools or reads the archive: never on the reading thread.
  Role least;  ///< The role that it needs; a call of a tool may need more.
  Answer (McpServer::*handler)(const Call&) const;
};

}  // namespace ws::server
