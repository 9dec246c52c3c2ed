// A server with the product's tools, as those who operate it see it.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>

#include "server/operate/operation.h"
#include "tests/support/local_http.h"
#include "tests/support/raw_http.h"
#include "tests/support/tool_bench.h"

namespace ws::test {

/// The answer to a request on a connection of its own.
HttpResponse ask_server(int port, const std::string& request);
/// @param headers  More of them, each with its line end.
HttpResponse get_from(int port, const std::string& path, const std::string& headers = "");
/// An order to /admin.
HttpResponse send_order(int port, const Json& order);

/// The product's tools on the CPU engine behind a port, with all pages for operators.
class OperatedServer {
 public:
  OperatedServer();

  [[nodiscard]] int port() const { return http_.port(); }

  [[nodiscard]] std::string url() const;

  [[nodiscard]] Services& services() { return bench_.services(); }

  [[nodiscard]] const std::filesystem::path& folder() const { return bench_.folder(); }

  void drain() { server_.drain(); }

  /// As /metrics has them.
  [[nodiscard]] std::map<std::string, double> metrics() const;

  /// The result of a call.
  [[nodiscard]] Json call(const std::string& tool, const Json& arguments) const;

 private:
  static std::unique_ptr<server::Operation> opened(Services& services,
                                                   const server::McpServer& server);

  ToolBench bench_;
  server::McpServer server_;
  std::unique_ptr<server::Operation> operation_;
  LocalHttp http_;
};

/// A job of "10.0.0.7 ann" on cpu:0 that runs until it is told to stop, or its test ends.
class LongJob {
 public:
  explicit LongJob(JobQueue& queue);
  LongJob(const LongJob&) = delete;
  LongJob& operator=(const LongJob&) = delete;
  ~LongJob();

  [[nodiscard]] const std::string& id() const { return id_; }

 private:
  Result<std::string> run(const CallContext& context);

  JobQueue& queue_;
  std::string id_;
  std::promise<void> started_;
  std::promise<void> end_;
  const std::shared_future<void> ended_ = end_.get_future().share();
};

}  // namespace ws::test
