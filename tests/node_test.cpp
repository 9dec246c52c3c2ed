// Servers whose calls are made by nodes: real processes, on one database.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "runtime/broker/pg_broker.h"
#include "tests/support/child.h"
#include "tests/support/node_cluster.h"
#include "tests/support/run_program.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

constexpr const char* kOldJob = "job_0123456789abcdef0123456789abcdef";

/// A job of a server that is gone, which had begun it.
void leave_job(const NodeCluster& cluster) {
  Json arguments = doubling_kernel(9);
  arguments["device"] = "cpu:0";
  std::string text = arguments.dump();
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 2)) {
    text.insert(at, 1, '\'');
  }
  cluster.run(
      "INSERT INTO jobs(id, tool, status, json, created_at, updated_ms, instance, arguments) "
      "VALUES('" +
      std::string(kOldJob) +
      "', 'compile_kernel', 'running', '{}', "
      "'2026-01-01T00:00:00.000Z', CAST(extract(epoch FROM now()) * 1000 AS BIGINT), "
      "'gone', '" +
      text + "')");
}

/// How many processes the process has started that run.
int children_of(pid_t parent) {
  int children = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    std::ifstream file(entry.path() / "stat");
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    // The state and the parent follow the name, which ends with the last bracket.
    const std::size_t name_end = stat.rfind(')');
    children += name_end != std::string::npos &&
                std::stoi(stat.substr(std::min(name_end + 4, stat.size()))) == parent;
  }
  return children;
}

}  // namespace

TEST_SUITE("server.nodes") {
  TEST_CASE("a node compiles and validates for two servers, which see each other's jobs") {
    if (no_postgres("a node for two servers")) {
      return;
    }
    NodeCluster cluster;
    auto first = cluster.front();
    auto second = cluster.front();
    const auto node = cluster.node("one");
    const Json compiled = call_ok(*first, "compile_kernel", doubling_kernel(1));
    CHECK(compiled["verdict"] == "compiled");
    const Json judged = call_ok(*second, "validate", {{"kernel_id", compiled["kernel_id"]}});
    CHECK(judged["verdict"] == "passed");
    const Json again = call_ok(*first, "validate", {{"kernel_id", compiled["kernel_id"]}});
    CHECK(again["evidence_id"] == judged["evidence_id"]);
    const Ended nodes = run_program({"nodes", "--store", cluster.url(), "--json"});
    CHECK(nodes.status == 0);
    const Json rows = Json::parse(nodes.out)["nodes"];
    REQUIRE(rows.size() == 1);
    CHECK(rows[0]["name"] == "one");
    CHECK(rows[0]["state"] == "lives");
    CHECK(rows[0]["lanes"] == Json::array({"cpu"}));
    CHECK(children_of(first->server()) == 0);  // Workers are the nodes'.
  }

  TEST_CASE("a server has the devices of its nodes, and refuses others") {
    if (no_postgres("devices of nodes")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    const Json none = call_ok(*front, "list_devices", {{"device", ""}});
    CHECK(none["summary"] == "0 devices; the default is cpu:0");
    CHECK(none["devices"] == Json::array());
    const auto node = cluster.node("one");
    const Json devices = call_ok(*front, "list_devices", {{"device", ""}});
    CHECK(devices["devices"] ==
          Json::array(
              {{{"id", "cpu:0"}, {"emulated", true}, {"limits", Json::object()}, {"nodes", 1}}}));
    CHECK(call_ok(*front, "list_devices", Json::object())["devices"] == devices["devices"]);
    Json odd = doubling_kernel(1);
    odd["device"] = "gpu:0";
    const std::string refusal =
        "not_found: no device `gpu:0`; the devices of nodes are cpu:0; see list_devices";
    CHECK(call_error(*front, "compile_kernel", odd) == refusal);
    CHECK(call_error(*front, "list_devices", {{"device", "gpu:0"}}) == refusal);
  }

  TEST_CASE("a job of a server that is gone goes on under its id, on a node") {
    if (no_postgres("a job that goes on on a node")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    leave_job(cluster);
    const auto node = cluster.node("one");
    const Json done = call_ok(*front, "job", {{"job_id", kOldJob}, {"action", "wait"}});
    CHECK(done["verdict"] == "compiled");
    CHECK(cluster.ask("SELECT id, status FROM node_jobs") == std::string(kOldJob) + "|done");
    CHECK(cluster.ask("SELECT status FROM jobs") == "done");
  }

  TEST_CASE("a server that works itself does not do a job of nodes again") {
    if (no_postgres("a job of nodes that another server is asked for")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front("here");
    leave_job(cluster);
    PgBroker broker(cluster.url(), 1);
    REQUIRE(
        broker.submit({.id = kOldJob, .tool = "compile_kernel", .arguments = "{}", .lane = "cpu"})
            .has_value());
    for (const char* action : {"wait", "status"}) {
      CHECK(call_error(*front, "job", {{"job_id", kOldJob}, {"action", action}}) ==
            "conflict: the job `" + std::string(kOldJob) +
                "` is one of nodes; ask a server with --run-on nodes for it");
    }
    CHECK(cluster.ask("SELECT status FROM jobs") == "running");
  }

  TEST_CASE("a job is followed, joined and cancelled over two servers") {
    if (no_postgres("jobs over two servers")) {
      return;
    }
    NodeCluster cluster;
    auto first = cluster.front();
    auto second = cluster.front();
    // Without a node it waits.
    Json question = doubling_kernel(2);
    question["wait_ms"] = 0;
    const Json begun = call_ok(*first, "compile_kernel", question);
    CHECK(begun["status"] == "queued");
    CHECK(begun["summary"] == "compile_kernel waits to start; ask again with job");
    const std::string id = begun["job_id"];
    const Json seen = call_ok(*second, "job", {{"job_id", id}, {"action", "status"}});
    CHECK(seen["status"] == "queued");
    CHECK(call_ok(*second, "compile_kernel", question)["job_id"] == id);
    CHECK(call_ok(*second, "job", {{"job_id", id}, {"action", "cancel"}})["status"] == "cancelled");
    CHECK(call_error(*first, "job", {{"job_id", id}, {"action", "wait"}}) ==
          "cancelled: the job was cancelled");
    const Json next = call_ok(*first, "compile_kernel", question);
    CHECK(next["job_id"] != id);
    const auto node = cluster.node("one");
    const Json done = call_ok(*second, "job", {{"job_id", next["job_id"]}, {"action", "wait"}});
    CHECK(done["verdict"] == "compiled");
  }

  TEST_CASE("a job survives the server that submitted it") {
    if (no_postgres("a server that is killed")) {
      return;
    }
    NodeCluster cluster;
    auto first = cluster.front();
    const std::string id = begin_job(*first, "compile_kernel", doubling_kernel(3));
    ::kill(first->server(), SIGKILL);
    auto second = cluster.front();
    const auto node = cluster.node("one");
    const Json done = call_ok(*second, "job", {{"job_id", id}, {"action", "wait"}});
    CHECK(done["verdict"] == "compiled");
  }

  TEST_CASE("a node that is told to end does, and is known to be gone") {
    if (no_postgres("a node that drains")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    const auto node = cluster.node("one");
    const Json compiled = call_ok(*front, "compile_kernel", doubling_kernel(4));
    node->signal(SIGTERM);
    CHECK(node->wait(kPatience) == 0);
    const Ended nodes = run_program({"nodes", "--store", cluster.url(), "--json"});
    CHECK(Json::parse(nodes.out)["nodes"][0]["state"] == "gone");
  }

  TEST_CASE("a node without work ends by itself when it was told so") {
    if (no_postgres("a node without work")) {
      return;
    }
    NodeCluster cluster;
    const auto node = cluster.node("one", {"--idle-exit", "1s"});
    CHECK(node->wait(kPatience) == 0);
  }

  TEST_CASE("an error of a tool is the same from a node") {
    if (no_postgres("errors of nodes")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    const auto node = cluster.node("one");
    CHECK(call_error(*front, "validate", {{"kernel_id", "krn_0123456789abcdef"}}) ==
          "not_found: no kernel `krn_0123456789abcdef`; ids come from compile_kernel");
  }
}

}  // namespace ws::test
