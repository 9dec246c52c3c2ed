// The protocol core: one message in, at most one reply out. No sockets, no threads of its own.
//
// A transport calls `accept` for each message in the order they came, which parses it, decides on
// its lane and answers what is quick. What may take long (most tools, a resource) comes back as
// work that the transport runs on another thread, so that the next message, perhaps a cancel, is
// read meanwhile. `handle` does both at once.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "server/envelope.h"
#include "server/in_flight.h"
#include "server/progress.h"
#include "server/projection.h"
#include "server/protocol.h"
#include "tools/registry.h"

namespace ws {

/// What lasts for one stdio connection: what `initialize` agreed on, and the open requests.
struct Connection {
  std::atomic<Revision> legacy = kLatestLegacy;
  InFlight in_flight;
};

/// What a transport knows about one message.
struct RequestContext {
  const McpHeaders* headers = nullptr;  ///< Null on stdio. Needed during `accept` only.
  /// Null on HTTP: without sessions an id says nothing about who sent it, so a cancel by id is not
  /// followed there; a closed stream is the cancel. Must outlive the work.
  Connection* connection = nullptr;
  std::string client;     ///< Where it comes from: "stdio", or an address.
  NotifyFn notify;        ///< May be empty: progress goes nowhere.
  std::stop_source stop;  ///< Requested by the transport or by a cancel.
};

/// An empty `body`: there is nothing to send (a notification, a cancelled request).
struct Reply {
  std::string body;
  int http_status = 200;
};

/// A message that `accept` has looked at: either `reply` or `work` is set.
struct Accepted {
  std::optional<Reply> reply;
  std::function<Reply()> work;  ///< Call once, on any thread.
  bool modern = false;          ///< On HTTP a closed stream cancels it.
  bool wants_progress = false;
};

class McpServer {
 public:
  struct Options {
    std::string version = "0.0.0";
    ResourceReader* resources = nullptr;  ///< Null: no resources capability.
    /// Called when a client lists the tools: what they need can be started now. May be empty.
    std::function<void()> on_tools_listed;
    bool check_output = false;  ///< Turns a result off its outputSchema into an internal error.
  };

  /// `registry` and `options.resources` must outlive the server.
  McpServer(const ToolRegistry& registry, Options options);

  /// Any thread; on stdio the reader's, so that cancels find what came before them.
  [[nodiscard]] Accepted accept(std::string_view text, const RequestContext& context) const;

  /// `accept`, and the work at once.
  [[nodiscard]] Reply handle(std::string_view text, const RequestContext& context) const;

 private:
  struct Call;
  struct Method;
  using Answer = RpcResult<std::string>;

  [[nodiscard]] const Method* find_method(const Call& call) const;
  [[nodiscard]] Accepted accept_value(Json value, const RequestContext& context) const;
  [[nodiscard]] Accepted accept_batch(Json values, const RequestContext& context) const;
  [[nodiscard]] Accepted accept_request(Call call) const;
  /// As AnswersAtOnce; nothing for what is no call of such a tool.
  [[nodiscard]] std::optional<std::string> version_now(const Method& method,
                                                       const Call& call) const;
  [[nodiscard]] std::optional<std::string> written(const ToolRegistry::Entry& entry,
                                                   const Call& call) const;
  void note_written(const ToolRegistry::Entry& entry, const Call& call, const Json& answer,
                    const std::string& result) const;
  [[nodiscard]] Reply run(const Method& method, const Call& call) const;
  void notification(const Call& call) const;

  [[nodiscard]] Answer discover(const Call& call) const;
  [[nodiscard]] Answer initialize(const Call& call) const;
  [[nodiscard]] Answer ping(const Call& call) const;
  [[nodiscard]] Answer list_tools(const Call& call) const;
  [[nodiscard]] Answer call_tool(const Call& call) const;
  [[nodiscard]] Answer list_prompts(const Call& call) const;
  [[nodiscard]] Answer get_prompt(const Call& call) const;
  [[nodiscard]] Answer list_resources(const Call& call) const;
  [[nodiscard]] Answer list_templates(const Call& call) const;
  [[nodiscard]] Answer read_resource(const Call& call) const;

  [[nodiscard]] Json capabilities() const;
  [[nodiscard]] Result<Json> run_tool(const ToolRegistry::Entry& entry, const Json& arguments,
                                      const Call& call) const;

  const ToolRegistry& registry_;
  Options options_;
  ResultFinisher finisher_;
  std::string discover_;                   // built once: the first answer a client waits for
  std::map<Revision, std::string> tools_;  // the tools/list result of each revision

  /// Answers to no arguments of tools that answer at once: written again when they have changed.
  struct Written {
    std::string version;
    std::string result;
  };

  mutable std::mutex written_mutex_;
  mutable std::map<std::pair<std::string, Revision>, Written>
      written_;  // guarded by written_mutex_
};

}  // namespace ws
