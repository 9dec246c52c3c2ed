// A client of a whole server with real tools, on a connection of stdio; and a device that the test
// holds up.
#pragma once

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/cli/app.h"
#include "server/page/app_page.h"
#include "server/protocol/mcp_server.h"
#include "tests/support/tool_bench.h"

namespace ws::test {

/// The server of the product on a folder of its own.
class TaskServer {
 public:
  TaskServer();
  ~TaskServer();
  TaskServer(const TaskServer&) = delete;
  TaskServer& operator=(const TaskServer&) = delete;

  /// Keeps the device busy until let_go().
  void hold();
  void let_go();
  /// Ends the server, and starts another one on its folder.
  void restart();

  [[nodiscard]] const server::McpServer& server() const { return *server_; }

  [[nodiscard]] ToolBench& tools() { return tools_; }

  /// A kernel that is right.
  [[nodiscard]] const std::string& kernel() const { return kernel_; }

 private:
  void start();

  ToolBench tools_;
  std::unique_ptr<server::ListedResources> listed_;
  const server::AppView view_ = server::result_app();
  std::unique_ptr<server::McpServer> server_;
  std::string kernel_;
  std::unique_ptr<std::promise<void>> held_;
};

class TaskClient {
 public:
  /// @param viewer  What its principal sees; null: the one of stdio.
  explicit TaskClient(const server::McpServer& server, std::string name = "stdio",
                      ViewerPtr viewer = nullptr)
      : server_(server),
        name_(std::move(name)),
        viewer_(std::move(viewer)) {}

  TaskClient(const TaskClient&) = delete;
  TaskClient& operator=(const TaskClient&) = delete;

  /// Cancels what is open.
  ~TaskClient() { stop_.request_stop(); }

  /// Sends a request of 2026-07-28. REQUIREs that a reply comes. @param params  Without `_meta`.
  Json modern(const std::string& method, const Json& params, bool knows_tasks = true);
  /// The same of the revision that initialize() agreed on.
  Json older(const std::string& method, const Json& params);
  void initialize(const std::string& revision, const Json& capabilities = Json::object());
  /// REQUIREs that the server asks so often by that method, now or soon, and answers the last one.
  /// @return  Its params.
  Json respond(const std::string& method, std::size_t count, const Json& result);

  /// Sends a request that is not answered at once; its number.
  std::size_t begin(const std::string& method, const Json& params, bool modern);
  /// REQUIREs that the reply to it comes.
  Json reply(std::size_t number);
  /// Whether it is there by now.
  bool replied(std::size_t number);

  /// Ends the connection, which may still say something.
  void end() { connection_.end.request_stop(); }

  /// Notifications of that method so far.
  std::vector<Json> said(const std::string& method);
  /// REQUIREs that there are so many, now or soon.
  std::vector<Json> wait_said(const std::string& method, std::size_t count);

 private:
  const server::McpServer& server_;
  const std::string name_;
  const ViewerPtr viewer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Json> replies_;  // guarded by mutex_; null: not there yet
  std::vector<Json> said_;     // guarded by mutex_
  std::stop_source stop_;
  server::StdioConnection connection_;  // last: it may say something as long as it lives
};

}  // namespace ws::test
