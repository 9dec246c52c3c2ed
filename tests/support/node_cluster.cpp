#include "tests/support/node_cluster.h"

#include <chrono>

#include <doctest/doctest.h>

#include "runtime/archive/store/postgres_store.h"
#include "tests/support/postgres_cluster.h"
#include "tests/support/tool_bench.h"

namespace ws::test {

bool no_postgres(const char* test) {
  if (!has_postgres()) {
    MESSAGE("left out, as there is no PostgreSQL here: " << test);
  }
  return !has_postgres();
}

void await_line(Child& child, const std::string& part) {
  for (;;) {
    const std::optional<std::string> line = child.error_line();
    const bool ended = !line && child.wait(std::chrono::milliseconds(0)).has_value();
    REQUIRE_MESSAGE(!ended, "nothing said " << part);
    if (line && line->find(part) != std::string::npos) {
      return;
    }
  }
}

NodeCluster::NodeCluster()
    : url_(take_database()),
      taken_(true) {}

NodeCluster::~NodeCluster() {
  if (taken_) {
    leave_database(url_);
  }
}

std::string NodeCluster::ask(const std::string& sql) const {
  auto connection = open_postgres(url_);
  REQUIRE_MESSAGE(connection.has_value(), to_text(connection.error()));
  auto row = connection->prepare(
      "SELECT concat_ws('|', VARIADIC (SELECT array_agg(value) FROM "
      "json_each_text(row_to_json(answer)))) FROM (" +
      sql + ") answer");
  REQUIRE(row.has_value());
  const auto found = row->step();
  REQUIRE_MESSAGE(found.has_value(), to_text(found.error()));
  return row->text(0);
}

void NodeCluster::run(const std::string& sql) const {
  auto connection = open_postgres(url_);
  REQUIRE_MESSAGE(connection.has_value(), to_text(connection.error()));
  const Status done = connection->execute(sql);
  REQUIRE_MESSAGE(done.has_value(), to_text(done.error()));
}

std::string NodeCluster::own_folder() {
  return (folder_.path() / std::to_string(++folders_)).string();
}

std::unique_ptr<server::StdioClient> NodeCluster::front(const std::string& runs_on) {
  auto client = server::StdioClient::start(
      std::string(WS_BINARY_DIR) + "/warpsmith",
      {"--data", own_folder(), "--store", url_, "--no-gpu", "--run-on", runs_on});
  REQUIRE_MESSAGE(client.has_value(), to_text(client.error()));
  const auto tools = (*client)->request("tools/list", Json::object(), {});
  REQUIRE_MESSAGE(tools.has_value(), to_text(tools.error()));
  return *std::move(client);
}

std::string NodeCluster::url_as(const std::string& role) const {
  const std::size_t user = url_.find("://") + 3;
  return url_.substr(0, user) + role + url_.substr(url_.find('@'));
}

std::unique_ptr<Child> NodeCluster::node(const std::string& name, std::vector<std::string> more) {
  return node_as("warpsmith", name, std::move(more));
}

std::unique_ptr<Child> NodeCluster::node_as(const std::string& role, const std::string& name,
                                            std::vector<std::string> more) {
  std::vector<std::string> words = {"node",   "--lanes",    "cpu",     "--name",    name,
                                    "--data", own_folder(), "--store", url_as(role)};
  words.insert(words.end(), more.begin(), more.end());
  auto node = std::make_unique<Child>("warpsmith", words);
  await_line(*node, " takes jobs");
  return node;
}

namespace {

/// The error has the whole text as its message.
Result<Json> call_once(server::StdioClient& front, const std::string& tool, Json arguments) {
  if (tool != "job" && !arguments.contains("device")) {
    arguments["device"] = "cpu:0";
  }
  WS_TRY(const Json result,
         front.request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}}, {}));
  if (result.value("isError", false)) {
    return fail(ErrorCode::kInternal, result["content"][0]["text"]);
  }
  return result["structuredContent"];
}

}  // namespace

Json call_ok(server::StdioClient& front, const std::string& tool, const Json& arguments) {
  Result<Json> answer = call_once(front, tool, arguments);
  REQUIRE_MESSAGE(answer.has_value(), answer.error().message);
  return *std::move(answer);
}

std::string begin_job(server::StdioClient& front, const std::string& tool, Json arguments) {
  arguments["wait_ms"] = 0;
  return call_ok(front, tool, arguments)["job_id"];
}

std::string call_error(server::StdioClient& front, const std::string& tool, const Json& arguments) {
  const Result<Json> answer = call_once(front, tool, arguments);
  return answer ? answer->dump() : answer.error().message;
}

Json doubling_kernel(int number) {
  return {{"problem", twice_problem()},
          {"kernel", twice_kernel("  if (i < n) y[i] = 2 * x[i];  // " + std::to_string(number))}};
}

}  // namespace ws::test
