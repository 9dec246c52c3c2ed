// The protocol core: one message in, at most one reply out. No sockets, no threads of its own.
//
// A transport calls `accept` for each message in the order they came, which parses it, decides on
// its lane and answers what is quick. What may take long (most tools, a resource) comes back as
// work that the transport runs on another thread, so that the next message, perhaps a cancel, is
// read meanwhile. `handle` does both at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/access/principal.h"
#include "server/memory_reserve.h"
#include "server/protocol/changes.h"
#include "server/protocol/client_state.h"
#include "server/protocol/envelope.h"
#include "server/protocol/in_flight.h"
#include "server/protocol/instructions.h"
#include "server/protocol/job_tasks.h"
#include "server/protocol/mirrored_arguments.h"
#include "server/protocol/offer.h"
#include "server/protocol/progress.h"
#include "server/protocol/projection.h"
#include "server/protocol/prompts.h"
#include "server/protocol/protocol.h"
#include "server/protocol/request_counts.h"
#include "server/protocol/request_state.h"
#include "server/protocol/tasks.h"
#include "server/protocol/written_answers.h"
#include "tools/job_book.h"
#include "tools/registry.h"

namespace ws::server {

/// The state of one stdio connection: what `initialize` agreed on, and the open requests.
struct StdioConnection {
  std::atomic<Revision> legacy = kLatestLegacy;
  InFlight in_flight;
  std::shared_ptr<ClientState> state = std::make_shared<ClientState>();
  std::atomic<bool> listens = false;  ///< To changes.
  std::stop_source end;               ///< Requested when nothing more shall be said of changes.

  StdioConnection() = default;
  StdioConnection(const StdioConnection&) = delete;
  StdioConnection& operator=(const StdioConnection&) = delete;

  ~StdioConnection() { end.request_stop(); }
};

/// Everything that a transport knows about one message.
struct RequestContext {
  const McpHeaders* headers = nullptr;    ///< Null on stdio. Needed during `accept` only.
  StdioConnection* connection = nullptr;  ///< Null on HTTP. Must outlive the work.
  /// For HTTP: where requests of the older revisions are cancelled by id. Must outlive the work.
  SharedInFlight* in_flight = nullptr;
  std::string session;  ///< The session that initialize gave out, over HTTP with the older
                        ///< revisions; else empty.
  std::string client;   ///< Where it comes from: "stdio", or an address.
  std::shared_ptr<const Principal> principal = local_principal();  ///< Its sender; never null.
  std::string request_id{};   ///< Stands in every line that is logged for it; empty: it has none.
  std::string span{};         ///< Its own in its trace; set by `accept`. Empty: none.
  std::string parent_span{};  ///< The client's, which it is a part of; may be empty.
  NotifyFn notify;            ///< May be empty: progress goes nowhere.
  std::stop_source stop;      ///< Requested by the transport or by a cancel.
  std::stop_token end{};      ///< Requested when the server, or the connection of stdio, ends.
  bool logged = false;        ///< The request gets a line of the log.
  bool takes_stream = true;   ///< Messages before the reply arrive.
  /// In the older revisions, where the server talks; set by `accept`. Null: nothing is known.
  std::shared_ptr<ClientState> state{};
  std::shared_ptr<const MessageRoom> room{};  ///< The message's; set by `accept`.
  /// Runs the rest of a call that had to wait, soon and on another thread, whatever happens. Empty:
  /// the call waits on its own thread.
  std::function<void(std::function<void()>)> go_on;
};

/// An empty `body`: there is nothing to send (a notification, a cancelled request).
struct Reply {
  std::string body;
  int http_status = 200;
  std::string session{};  ///< On HTTP, of initialize: what further requests shall show.
  std::string outcome{};  ///< For the log: empty where all went well, else what kind of error.
};

/// Takes the reply to a request. Any thread.
using SendReply = std::function<void(Reply)>;

/// A message that `accept` has looked at: either `reply` or `work` is set.
struct Accepted {
  std::optional<Reply> reply;
  /// Call once, on any thread. Replies once: before it returns, or when what it waits for is there;
  /// with an error where it is dropped, or ends in an exception.
  std::function<void(SendReply)> work;
  bool leaving_cancels = false;  ///< On HTTP a closed connection cancels it.
  bool must_stream = false;      ///< It is a stream, whatever the client says that it accepts.
  bool may_stream = false;       ///< Messages may come before the reply.
};

class ContentTool;
class OpenReply;

class McpServer {
 public:
  struct Options {
    std::string version = "0.0.0";
    ResourceReader* resources = nullptr;  ///< Null: no resources capability.
    /// Called when a client lists the tools: what they need can be started now. May be empty.
    std::function<void()> on_tools_listed;
    bool check_output = false;  ///< Turns a result off its outputSchema into an internal error.
    const ResourceList* resource_list = nullptr;  ///< Null: none is listed, and all are text.
    /// Reads each answer of a tool: those who want to know are told of the changes. Empty: the
    /// resources that are listed are always the same. Any thread.
    std::function<ResourceNews(const Json& answer)> news{};
    Identity identity = product_identity();
    const PromptSource* prompts = &product_prompts();  ///< Must outlive the server.
    const SkillShelf* skills = &product_skills();      ///< The same. Null: there are none.
    const CompletionSource* completions = nullptr;     ///< Null: no completion.
    /// Draws an answer of a tool that takes `picture` as a PNG, which stands in the content of the
    /// result; empty bytes: it has nothing to show. Empty: nothing is drawn. Any thread.
    std::function<Result<std::string>(const std::string& tool, const Json& answer)> picture{};
    const AppView* app = nullptr;  ///< Shown by clients that say they can. Null: there is none.
    /// Its tools log and ask their clients, and it says when something has changed: the older
    /// revisions then have sessions over HTTP.
    bool talks = false;
    bool tasks = false;  ///< Its tools of content may go on as tasks of clients that know them.
    JobBook* jobs = nullptr;  ///< The jobs of its other tools are tasks, too. Null: they are not.
    /// A session that ended with a server before this one goes on, without its subscriptions.
    bool adopts_sessions = false;
    /// Whether tools/list shows the bounds of arguments.
    bool list_bounds = false;
  };

  /// `registry` and `options.resources` must outlive the server.
  McpServer(const ToolRegistry& registry, Options options);
  McpServer(const McpServer&) = delete;
  McpServer& operator=(const McpServer&) = delete;
  ~McpServer();

  /// Any thread; on stdio the reader's, so that cancels find what came before them.
  [[nodiscard]] Accepted accept(std::string_view text, const RequestContext& context) const;

  /// `accept`, and the work at once.
  [[nodiscard]] Reply handle(std::string_view text, const RequestContext& context) const;

  /// A stream for what the server has to say to a session.
  [[nodiscard]] Accepted accept_stream(const RequestContext& whose) const;

  /// Ends the session that the context names.
  [[nodiscard]] Reply end_session(const RequestContext& context) const;

  [[nodiscard]] bool talks() const { return options_.talks; }

  /// From now on requests are refused with 503, and as busy on stdio; cancels are still taken. Any
  /// thread.
  void drain() const { draining_ = true; }

  [[nodiscard]] bool draining() const { return draining_; }

  /// Calls that wait for their answer; not the streams of what has changed.
  [[nodiscard]] std::size_t open_calls() const { return *open_calls_; }

  /// The sessions of HTTP, the one that was used last first.
  [[nodiscard]] std::vector<SessionFacts> sessions() const { return sessions_.list(); }

  /// Tells those who want to know. Any thread.
  void tools_changed() const { changes_->tools_changed(); }

  void prompts_changed() const { changes_->prompts_changed(); }

  void resources_changed() const { changes_->resources_changed(); }

  void resource_updated(const std::string& uri) const { changes_->resource_updated(uri); }

 private:
  struct Call;
  struct ContentRun;
  struct Method;
  /// A part of the server that a method needs.
  enum class MethodNeeds : std::uint8_t {
    kNothing,
    kResources,
    kCompletions,
    kTalk,
    kTasks,
    kJobs,
    kSkills
  };
  struct ToolCall;
  struct ToolRun;

  /// The answer of a handler.
  struct Answered {
    std::string result;     ///< JSON text.
    std::string outcome{};  ///< As Reply has it.

    // NOLINTNEXTLINE(google-explicit-constructor): most have nothing more to say.
    Answered(std::string text, std::string kind = {})
        : result(std::move(text)),
          outcome(std::move(kind)) {}
  };

  using Answer = RpcResult<Answered>;

  [[nodiscard]] const Method* find_method(const Call& call) const;
  [[nodiscard]] bool has(MethodNeeds part) const;
  [[nodiscard]] Accepted accept_value(Json value, const RequestContext& context) const;
  [[nodiscard]] Accepted accept_batch(Json values, const RequestContext& context) const;
  [[nodiscard]] Accepted accept_request(Call call) const;
  [[nodiscard]] Accepted refuse(const RequestContext& context, const Json& id,
                                const RpcError& error) const;
  [[nodiscard]] Accepted refuse_request(const RequestContext& context, std::string message) const;
  /// As AnswersAtOnce; null for what is no call of such a tool.
  [[nodiscard]] std::shared_ptr<const Json> answer_now(const Method& method,
                                                       const Call& call) const;
  [[nodiscard]] Answered call_at_once(const Call& call, const ToolCall& tool) const;
  [[nodiscard]] ToolRun run_of(const std::shared_ptr<const Call>& call, const ToolCall& tool) const;
  [[nodiscard]] Reply run(const Method& method, const Call& call) const;
  void notification(const Call& call) const;

  [[nodiscard]] Answer discover(const Call& call) const;
  [[nodiscard]] Answer initialize(const Call& call) const;
  [[nodiscard]] Answer ping(const Call& call) const;
  /// All our lists fit on one page, so no cursor was ever given out.
  [[nodiscard]] static RpcResult<void> no_cursor(const Call& call);
  /// The tools as tools/list has them. @param app  The view that some of them name; may be null.
  [[nodiscard]] std::string tool_list(Revision revision, const AppView* app) const;
  /// Whether the client shows views of results.
  [[nodiscard]] static bool shows_apps(const Call& call);
  [[nodiscard]] Answer list_tools(const Call& call) const;
  [[nodiscard]] Answer call_tool(const Call& call) const;
  [[nodiscard]] Answer list_prompts(const Call& call) const;
  [[nodiscard]] Answer get_prompt(const Call& call) const;
  [[nodiscard]] Answer list_resources(const Call& call) const;
  [[nodiscard]] Answer list_templates(const Call& call) const;
  [[nodiscard]] Answer read_resource(const Call& call) const;
  /// The address that a request names.
  [[nodiscard]] static RpcResult<std::string> uri_of(const Call& call);
  [[nodiscard]] Answer list_skills(const Call& call) const;
  [[nodiscard]] Answer get_skill(const Call& call) const;
  [[nodiscard]] Answer read_directory(const Call& call) const;
  [[nodiscard]] Answer complete(const Call& call) const;
  [[nodiscard]] Answer set_level(const Call& call) const;
  [[nodiscard]] Answer subscribe(const Call& call) const;
  [[nodiscard]] Answer unsubscribe(const Call& call) const;
  [[nodiscard]] Answer get_task(const Call& call) const;
  [[nodiscard]] Answer update_task(const Call& call) const;
  [[nodiscard]] Answer cancel_task(const Call& call) const;
  /// The id of the task that a request names.
  [[nodiscard]] static RpcResult<std::string> task_of(const Call& call);

  // Jobs as tasks: job_calls.cpp.
  [[nodiscard]] RpcResult<bool> wants_task(const Call& call, const ToolCall& tool) const;
  static void make_task(ToolRun& run, bool as_task);
  /// The block of the picture that the call asked for; empty: it did not, or there is nothing to
  /// show.
  [[nodiscard]] std::string picture_of(const ToolRun& run, const Json& output) const;
  /// @param picture  As call_result() takes it.
  [[nodiscard]] Answered shown(Revision revision, const Result<Json>& output,
                               std::string_view own_meta = {},
                               const std::string& picture = {}) const;
  [[nodiscard]] Answered shown_error(Revision revision, const Error& error,
                                     std::string_view own_meta = {}) const;
  [[nodiscard]] static Status meets_schema(const ToolCall& tool, const Json& output);
  /// In place of the answer to a call that became a job, or that has to be a task all the same.
  [[nodiscard]] std::optional<Answered> task_made(const ToolRun& run,
                                                  const Result<Json>& output) const;
  [[nodiscard]] RpcResult<JobStanding> job_of(const Call& call) const;
  [[nodiscard]] Answer get_job(const Call& call) const;
  [[nodiscard]] Answer cancel_job(const Call& call) const;
  [[nodiscard]] Answer list_jobs(const Call& call) const;
  /// Only the mark of its method: await_job() does the work.
  [[nodiscard]] Answer job_result(const Call& call) const;
  void await_job(const std::shared_ptr<Call>& call, const std::shared_ptr<OpenReply>& reply) const;
  /// Tells those that follow the task how it stands, until it has ended.
  void follow(const std::string& task) const;
  /// The same for the client of the call, where its revision knows no other way to say so.
  void follow_for(const Call& call, const std::string& task) const;
  [[nodiscard]] Answer task_answer(bool found) const;
  [[nodiscard]] Answer start_task(const ContentRun& run) const;
  void take_long(const std::shared_ptr<ContentRun>& run, bool only_as_task) const;
  /// Only the mark of its method: listen_for() does the work.
  [[nodiscard]] Answer listen(const Call& call) const;
  /// A client of the older revisions on stdio hears of changes from its first message on.
  void listen_on(StdioConnection& connection, const Call& call) const;
  void listen_for(const std::shared_ptr<Call>& call, const std::shared_ptr<OpenReply>& reply) const;
  /// @errors kInvalidRequest: the principal has not the role that the request needs.
  [[nodiscard]] RpcResult<void> check_role(const Method& method, const Call& call) const;
  /// As check_mirrored().
  [[nodiscard]] RpcResult<void> check_headers(const Method& method, const Call& call) const;
  [[nodiscard]] RpcResult<void> find_state(const std::string& method,
                                           RequestContext& context) const;
  [[nodiscard]] Accepted take_response(const Json& response, const RequestContext& whose) const;

  /// The tool where it is one of content; else null.
  [[nodiscard]] ContentTool* content_of(const ToolCall& tool) const;
  [[nodiscard]] RpcResult<ContentRun> content_run(const std::shared_ptr<const Call>& call,
                                                  const ToolCall& tool) const;
  [[nodiscard]] Answer content_answer(ContentRun& run) const;
  /// The same without the last step, which may be a question.
  [[nodiscard]] RpcResult<ContentAnswer> try_content(const ContentRun& run) const;
  [[nodiscard]] Answer finish_content(const ContentRun& run,
                                      const RpcResult<ContentAnswer>& answer) const;
  /// Calls the tool, and again when the client has been asked, until there is a reply.
  void run_content(const std::shared_ptr<ContentRun>& run) const;
  void ask_client(const std::shared_ptr<ContentRun>& run, const InputNeeded& needed) const;
  [[nodiscard]] Answer refused(const Call& call, const std::string& message) const;
  [[nodiscard]] bool may_stream(const Method& method, const Call& call) const;
  /// The least severe log messages of the call that its client wants; nothing: none.
  [[nodiscard]] static std::optional<Severity> least_of(const Call& call);
  /// Whether a client of the older revisions may be asked something while the call lasts.
  [[nodiscard]] bool may_ask(const Method& method, const Call& call) const;
  [[nodiscard]] RpcResult<Inputs> inputs_of(const Call& call) const;
  [[nodiscard]] Answer input_required(const Call& call, const InputNeeded& needed) const;

  [[nodiscard]] Json capabilities(bool modern) const;
  [[nodiscard]] RpcResult<ToolCall> tool_of(const Call& call) const;
  /// Calls the tool, and goes on with it after each wait that it leaves, until there is a reply.
  void run_tool(const std::shared_ptr<ToolRun>& run) const;
  void drive(const std::shared_ptr<ToolRun>& run, Result<Json> output) const;
  /// The rest of a call that has waited.
  void go_on(const std::shared_ptr<ToolRun>& run) const;
  [[nodiscard]] Answered finish_tool(const ToolRun& run, Result<Json> output) const;
  void tell_news(const Json& answer) const;
  /// One line of the audit log, where there is one: audit_calls.cpp.
  /// @param output  Null: it is an error. @param outcome  "ok", or the kind of the error.
  /// @param reads  The line may be in the file a little after the answer.
  static void audit_call(const Call& call, const ToolCall& tool, const Json* output,
                         std::string_view outcome, bool reads);
  void work(const Method& method, const std::shared_ptr<Call>& call,
            const std::shared_ptr<OpenReply>& reply) const;
  /// The answer to a request that ended in an exception.
  static Reply failed(const Json& id, const std::exception& error);
  static Reply reply_of(const Json& id, Answer answer);
  /// The last step before the reply to a call that a cancel can find. @param entry  Null on HTTP.
  static std::function<void(Reply&)> last_words(const Call& call, bool modern,
                                                const std::shared_ptr<InFlight::Entry>& entry);
  static void log_answered(const Call& call, Clock::duration spent, std::string_view outcome);
  /// Counts it too.
  void log_request(const Call& call, Clock::time_point started, const Reply& reply) const;
  /// Counts a call until the last copy is gone.
  [[nodiscard]] std::shared_ptr<void> open_call() const;
  /// The one list of methods.
  static std::span<const Method> methods();

  const ToolRegistry& registry_;
  Options options_;
  ResultFinisher finisher_;
  RequestStates states_;
  mutable Sessions sessions_;
  const std::shared_ptr<Changes> changes_ = std::make_shared<Changes>();  // shared with watches
  std::stop_source ended_;
  mutable TaskMarks given_up_;
  mutable Tasks tasks_{Tasks::Limits{}};
  bool has_content_tools_ = false;
  std::map<const Tool*, std::vector<MirroredArgument>> mirrored_;  // only tools that have some
  std::string discover_;  // built once: the first answer a client waits for
  // The tools/list result of each revision, and the one for clients that show views.
  std::map<Revision, std::string> tools_;
  std::map<Revision, std::string> tools_with_app_;
  mutable WrittenAnswers written_;  // of tools that answer at once
  std::unique_ptr<const RequestCounts> counts_;
  mutable std::atomic<bool> draining_ = false;
  const std::shared_ptr<std::atomic<std::size_t>> open_calls_ =
      std::make_shared<std::atomic<std::size_t>>(0);  // shared with calls that did not stop
};

}  // namespace ws::server
