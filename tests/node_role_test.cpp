// Nodes that connect as a role of their own: real processes, on one database.
#include <csignal>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/node_cluster.h"
#include "tests/support/run_program.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// Roles belong to the server, which tests share.
void make_role(const NodeCluster& cluster, const std::string& role) {
  cluster.run("DO $$ BEGIN CREATE ROLE " + role +
              " LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
}

Ended nodes(const NodeCluster& cluster, std::vector<std::string> words) {
  words.insert(words.begin(), "nodes");
  words.insert(words.end(), {"--store", cluster.url()});
  return run_program(words);
}

Ended refused_node(const NodeCluster& cluster, const std::string& role, const std::string& name) {
  const TestFolder folder;
  return run_program({"node", "--store", cluster.url_as(role), "--lanes", "cpu", "--name", name,
                      "--data", folder.path().string()});
}

/// The part of the last line behind the time.
std::string last_error(const Ended& ended) {
  const std::string text = ended.err.substr(0, ended.err.rfind('\n'));
  const std::string line = text.substr(text.rfind('\n') + 1);
  const std::size_t at = line.find("error node: ");
  return at == std::string::npos ? line : line.substr(at);
}

}  // namespace

TEST_SUITE("server.nodes.roles") {
  TEST_CASE("a node with a role of its own compiles, judges, measures and tunes") {
    if (no_postgres("the work of a node with a role of its own")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    make_role(cluster, "ws_one");
    const Ended granted = nodes(cluster, {"grant", "ws_one", "--name", "one"});
    CHECK(granted.err == "");
    CHECK(granted.out == "`ws_one` may connect as the node `one`\n");
    const auto node = cluster.node_as("ws_one", "one");
    Json question = doubling_kernel(1);
    question["ref"] = "twice@main";
    const Json compiled = call_ok(*front, "compile_kernel", question);
    CHECK(compiled["verdict"] == "compiled");
    const std::string kernel = compiled["kernel_id"];
    CHECK(call_ok(*front, "validate", {{"kernel_id", kernel}})["verdict"] == "passed");
    CHECK(call_ok(*front, "benchmark", {{"kernel_id", kernel}}).contains("evidence_id"));
    CHECK(cluster.ask("SELECT count(*), count(DISTINCT node) FROM node_evidence") == "3|1");
    Json tunable = doubling_kernel(3);
    tunable["kernel"] = twice_kernel("  if (i < n) y[i] = 2 * x[i];  // @TILE@");
    tunable["kernel"]["params"] = {{"TILE", {1, 2}}};
    const std::string many = call_ok(*front, "compile_kernel", tunable)["kernel_id"];
    CHECK(call_ok(*front, "tune", {{"kernel_id", many}})["evaluated"] == 2);
    Json next = doubling_kernel(2);
    next["ref"] = "twice@main";  // Which moves.
    const std::string moved = call_ok(*front, "compile_kernel", next)["kernel_id"];
    CHECK(cluster.ask("SELECT kernel_id FROM refs") == moved);
    CHECK(cluster.ask("SELECT string_agg(kernel_id, ' ') FROM labels") == moved);
    node->signal(SIGTERM);
    CHECK(node->wait(kPatience) == 0);
    CHECK(cluster.ask("SELECT lives FROM nodes") == "false");
  }

  TEST_CASE("a role is one node, and a node has one role") {
    if (no_postgres("roles of nodes")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    make_role(cluster, "ws_one");
    make_role(cluster, "ws_two");
    CHECK(nodes(cluster, {"grant", "ws_nobody"}).err ==
          "not_found: the database has no role `ws_nobody`; make it first: createuser "
          "ws_nobody\n");
    CHECK(nodes(cluster, {"grant", "warpsmith"}).err ==
          "invalid_argument: the role `warpsmith` may do everything here, as an owner of the "
          "tables does; make another one for the node: createuser NAME\n");
    CHECK(nodes(cluster, {"grant", "ws_one", "--name", "a b"}).err ==
          "invalid_argument: --name takes up to 64 letters, digits, dots, dashes and "
          "underscores\n");
    CHECK(nodes(cluster, {"deny", "ws_two"}).err ==
          "not_found: no node has the role `ws_two`; roles of nodes come from warpsmith nodes "
          "grant\n");
    CHECK(nodes(cluster, {"grant", "ws_one"}).out == "`ws_one` may connect as the node `ws_one`\n");
    CHECK(nodes(cluster, {"grant", "ws_one", "--name", "one"}).out ==
          "`ws_one` may connect as the node `one`\n");
    CHECK(nodes(cluster, {"grant", "ws_two", "--name", "one"}).err ==
          "conflict: the node `one` has the role `ws_one`; choose another node with --name, or "
          "take it from that role: warpsmith nodes deny ws_one\n");
    const Ended other = refused_node(cluster, "ws_one", "two");
    CHECK(other.status == 1);
    CHECK(last_error(other) ==
          "error node: conflict: the role that this node connects as may not be the node `two`; "
          "start it with --name one");
    CHECK(nodes(cluster, {"revoke", "one"}).err ==
          "not_found: no node `one`; see warpsmith "
          "nodes\n");
    CHECK(nodes(cluster, {"deny", "ws_one"}).out == "`ws_one` may do nothing here any more\n");
    const Ended denied = refused_node(cluster, "ws_one", "one");
    CHECK(denied.status == 1);
    CHECK(last_error(denied).find(" is closed to this user (") != std::string::npos);
    CHECK(nodes(cluster, {"grant", "ws_two", "--name", "one"}).err == "");
  }

  TEST_CASE("a node with a role of its own leaves older tables to their owner") {
    if (no_postgres("older tables and a node with a role of its own")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    make_role(cluster, "ws_one");
    REQUIRE(nodes(cluster, {"grant", "ws_one", "--name", "one"}).err == "");
    const std::string now = cluster.ask("SELECT max(version) AS v FROM archive_version");
    cluster.run("UPDATE archive_version SET version = 6");
    const std::string url = cluster.url_as("ws_one");
    CHECK(last_error(refused_node(cluster, "ws_one", "one")) ==
          "error node: io: the archive `" + url.substr(0, url.find('?')) +
              "` has version 6, and this user may not bring it to " + now +
              "; let the owner of its tables open it first, as by `warpsmith nodes grant`");
  }
}

}  // namespace ws::test
