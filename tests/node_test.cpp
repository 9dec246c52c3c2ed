// Servers whose calls are made by nodes: real processes, on one database.
#include <csignal>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/child.h"
#include "tests/support/node_cluster.h"
#include "tests/support/run_program.h"
#include "tests/support/tool_bench.h"

namespace ws::test {

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
