// Servers and nodes of this build on a database of their own.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "runtime/archive/store/test_folder.h"
#include "server/cli/stdio_client.h"
#include "tests/support/child.h"
#include "tools/tool.h"

namespace ws::test {

/// For the end of a process on a busy machine; one that ends sooner is not waited for.
inline constexpr std::chrono::minutes kPatience{5};

/// Whether there is no PostgreSQL here. Says so. @param test  Its subject.
bool no_postgres(const char* test);

/// Waits until the program says so. REQUIREs that it does before it ends: on a busy machine a node
/// looks for devices for a while.
void await_line(Child& child, const std::string& part);

class NodeCluster {
 public:
  /// On a database of take_database().
  NodeCluster();

  explicit NodeCluster(std::string url)
      : url_(std::move(url)) {}

  NodeCluster(const NodeCluster&) = delete;
  NodeCluster& operator=(const NodeCluster&) = delete;
  ~NodeCluster();

  [[nodiscard]] const std::string& url() const { return url_; }

  /// The same database for another role of its server.
  [[nodiscard]] std::string url_as(const std::string& role) const;

  /// A server on stdio that has made the tables. @param runs_on  As --run-on has it.
  std::unique_ptr<server::StdioClient> front(const std::string& runs_on = "nodes");

  /// A node of the CPU engine that has said that it takes jobs.
  std::unique_ptr<Child> node(const std::string& name, std::vector<std::string> more = {});
  /// The same, that connects as another role.
  std::unique_ptr<Child> node_as(const std::string& role, const std::string& name,
                                 std::vector<std::string> more = {});

  /// Runs a statement past all rules. @return  Its first row: columns as texts, between bars.
  [[nodiscard]] std::string ask(const std::string& sql) const;

  /// Runs statements past all rules.
  void run(const std::string& sql) const;

 private:
  std::string own_folder();

  std::string url_;
  bool taken_ = false;  ///< From take_database().
  TestFolder folder_;
  int folders_ = 0;
};

/// The answer to one call on the CPU engine, which may be that of a job; REQUIREs one.
Json call_ok(server::StdioClient& front, const std::string& tool, const Json& arguments);
/// Begins a job without waiting for it. @return  Its id.
std::string begin_job(server::StdioClient& front, const std::string& tool, Json arguments);
/// The text of its error.
std::string call_error(server::StdioClient& front, const std::string& tool, const Json& arguments);

/// Arguments of compile_kernel: problem and kernel of twice_problem(), another one for each number.
Json doubling_kernel(int number);

}  // namespace ws::test
