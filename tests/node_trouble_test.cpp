// Nodes and their servers where something is wrong: real processes, and every message as a whole.
#include <csignal>
#include <regex>
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/clock.h"
#include "runtime/broker/test_broker.h"
#include "tests/support/node_cluster.h"
#include "tests/support/postgres_cluster.h"
#include "tests/support/run_program.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A log line without its time.
std::string without_time(const std::string& line) {
  return line.substr(std::min(line.find(' '), line.size() - 1) + 1);
}

/// The last line that a program wrote, without its time.
std::string last_line(const Ended& ended) {
  const std::string text = ended.err.substr(0, ended.err.rfind('\n'));
  return without_time(text.substr(text.rfind('\n') + 1));
}

Ended refused_node(const std::string& url, const std::string& name) {
  const TestFolder folder;
  return run_program(
      {"node", "--store", url, "--lanes", "cpu", "--name", name, "--data", folder.path().string()});
}

/// Runs for as long as it may.
Json hanging_kernel() {
  return {{"problem", twice_problem()},
          {"kernel", twice_kernel("  while (x[0] != -12345) y[0] = x[1]; if (i < n) y[i] = 0;")}};
}

std::string state_of(server::StdioClient& front, const std::string& id) {
  return call_ok(front, "job", {{"job_id", id}, {"action", "status"}})["status"];
}

/// A job of a kernel that hangs, once a node runs it.
std::string running_job(server::StdioClient& front) {
  const std::string kernel = call_ok(front, "compile_kernel", hanging_kernel())["kernel_id"];
  const std::string id = begin_job(front, "validate", {{"kernel_id", kernel}});
  const auto deadline = Clock::now() + kPatience;
  while (state_of(front, id) == "queued") {
    REQUIRE_MESSAGE(Clock::now() < deadline, "no node takes the job");
  }
  return id;
}

}  // namespace

TEST_SUITE("server.nodes.trouble") {
  TEST_CASE("a node needs a store that is there, and a name that nobody has") {
    const Ended bare = run_program({"node"});
    CHECK(bare.status == 2);
    CHECK(bare.err == "--store is required\nRun with --help for more information.\n");
    const std::string help = run_program({"node", "--help"}).out;
    CHECK(help.find("The folder of this machine's compile cache") != std::string::npos);
    CHECK(run_program({"nodes", "--help"}).out.find("The database of the nodes' jobs") !=
          std::string::npos);
    if (no_postgres("nodes that cannot take part")) {
      return;
    }
    const Ended gone = refused_node("postgres://me@/one?host=/nowhere", "one");
    CHECK(gone.status == 1);
    CHECK(last_line(gone) ==
          "error node: io: the archive `postgres://me@/one` cannot be reached (connection to "
          "server on socket \"/nowhere/.s.PGSQL.5432\" failed: No such file or directory Is the "
          "server running locally and accepting connections on that socket?); see that the server "
          "runs and takes connections from here; the next call tries again");
    NodeCluster cluster;
    const Ended odd = refused_node(cluster.url(), "a b");
    CHECK(odd.status == 1);
    CHECK(last_line(odd) ==
          "error node: invalid_argument: --name takes up to 64 letters, digits, dots, dashes and "
          "underscores");
    const auto node = cluster.node("one");
    const Ended twin = refused_node(cluster.url(), "one");
    CHECK(twin.status == 1);
    const std::string host = cluster.ask("SELECT host FROM nodes");
    CHECK(last_line(twin) == "error node: conflict: a node named `one` lives on " + host +
                                 "; take another name with --name; a node that was killed is gone "
                                 "after 30 s");
  }

  TEST_CASE("a server refuses options that its nodes need") {
    const TestFolder folder;
    const std::vector<std::string> serve = {"serve",    "--stdio", "--data", folder.path().string(),
                                            "--run-on", "nodes"};
    const Ended alone = run_program(serve);
    CHECK(alone.status == 1);
    CHECK(last_line(alone) ==
          "error server: invalid_argument: --run-on nodes needs a --store; name the database that "
          "the nodes share");
    std::vector<std::string> with_terms = serve;
    with_terms.insert(with_terms.end(),
                      {"--store", "postgres://me@/one?host=/nowhere", "--reward-device", "cpu:0"});
    const Ended terms = run_program(with_terms);
    CHECK(terms.status == 1);
    CHECK(last_line(terms) ==
          "error server: invalid_argument: --run-on nodes does not take terms of rewards: nodes "
          "work them out; give them to each `warpsmith node`");
  }

  TEST_CASE("a node that does not take a job's arguments says which version it is") {
    if (no_postgres("a node of another version")) {
      return;
    }
    constexpr const char* kNewJob = "job_0123456789abcdef0123456789abcdef";
    NodeCluster cluster;
    auto front = cluster.front();
    PgBroker newer(cluster.url(), 1);
    REQUIRE(newer.submit({.id = kNewJob, .tool = "dream", .arguments = "{}", .lane = "cpu"})
                .has_value());
    const auto node = cluster.node("one");
    const std::string version = cluster.ask("SELECT version FROM nodes");
    CHECK(call_error(*front, "job", {{"job_id", kNewJob}, {"action", "wait"}}) ==
          "unsupported: the node `one`, which is warpsmith " + version +
              ", does not take these arguments of dream; run the same version on servers and "
              "nodes");
  }

  TEST_CASE("a job goes from a node that was killed to another one, up to the third") {
    if (no_postgres("nodes that are killed")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    const std::string id = begin_job(*front, "compile_kernel", doubling_kernel(1));
    PgBroker broker(cluster.url(), 1);
    const NodeInfo ghost = node_named("ghost");
    REQUIRE(broker.enter(ghost).has_value());
    REQUIRE(broker.claim(ghost)->claim.has_value());
    cluster.run(kLeasesEnd);
    {
      const auto node = cluster.node("one");
      const Json done = call_ok(*front, "job", {{"job_id", id}, {"action", "wait"}});
      CHECK(done["verdict"] == "compiled");
      node->signal(SIGTERM);
      CHECK(node->wait(kPatience) == 0);
    }
    CHECK(cluster.ask("SELECT attempt, node FROM node_jobs") == "2|one");
    const std::string lost = begin_job(*front, "compile_kernel", doubling_kernel(2));
    for (int i = 0; i < kNodeAttempts; ++i) {
      REQUIRE(broker.claim(ghost)->claim.has_value());
      cluster.run(kLeasesEnd);
    }
    CHECK_FALSE(broker.claim(ghost)->claim.has_value());
    CHECK(call_error(*front, "job", {{"job_id", lost}, {"action", "wait"}}) ==
          "device_lost: 3 nodes ended with the job, the last one was `ghost`; see why with "
          "`warpsmith nodes` and their logs, before it is called again");
  }

  TEST_CASE("a running job can be cancelled from another server") {
    if (no_postgres("a running job that is cancelled")) {
      return;
    }
    NodeCluster cluster;
    auto first = cluster.front();
    auto second = cluster.front();
    const auto node = cluster.node("one");
    const std::string id = running_job(*first);
    CHECK(call_ok(*second, "job", {{"job_id", id}, {"action", "cancel"}})["summary"] ==
          "the job is cancelled");
    CHECK(call_error(*first, "job", {{"job_id", id}, {"action", "wait"}}) ==
          "cancelled: the job was cancelled");
    CHECK(cluster.ask("SELECT status FROM node_jobs WHERE id = '" + id + "'") == "cancelled");
  }

  TEST_CASE("a job that a client of another server wants is not cancelled") {
    if (no_postgres("a job that others want")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    const std::string id = begin_job(*front, "compile_kernel", doubling_kernel(1));
    PgBroker other(cluster.url(), 1);
    REQUIRE(other.want(id, "bob").has_value());
    CHECK(call_ok(*front, "job", {{"job_id", id}, {"action", "cancel"}})["summary"] ==
          "the job continues: others asked the same question and want its result");
    CHECK(state_of(*front, id) == "queued");
    CHECK(other.withdraw(id).value() == Withdrawal::kEnded);
    CHECK(call_error(*front, "job", {{"job_id", id}, {"action", "wait"}}) ==
          "cancelled: the job was cancelled");
  }

  TEST_CASE("a node that may not wait gives back what runs") {
    if (no_postgres("a job that is given back")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    const auto node = cluster.node("one", {"--drain", "0"});
    const std::string id = running_job(*front);
    node->signal(SIGTERM);
    CHECK(node->wait(kPatience) == 0);
    CHECK(cluster.ask("SELECT status, failures FROM node_jobs WHERE id = '" + id + "'") ==
          "queued|0");
  }

  TEST_CASE("what a revoked node measured counts no more, and it ends") {
    if (no_postgres("a node that is revoked")) {
      return;
    }
    NodeCluster cluster;
    auto front = cluster.front();
    const auto node = cluster.node("one");
    const std::string kernel = call_ok(*front, "compile_kernel", doubling_kernel(1))["kernel_id"];
    CHECK(call_ok(*front, "validate", {{"kernel_id", kernel}})["verdict"] == "passed");
    const Ended unknown = run_program({"nodes", "revoke", "two", "--store", cluster.url()});
    CHECK(unknown.status == 1);
    CHECK(unknown.err == "not_found: no node `two`; see warpsmith nodes\n");
    const Ended revoked = run_program({"nodes", "revoke", "one", "--store", cluster.url()});
    CHECK(revoked.err == "");
    CHECK(revoked.out == "`one` is revoked; 2 pieces of its evidence count as claims now\n");
    CHECK(cluster.ask("SELECT (SELECT count(*) FROM evidence), (SELECT count(*) FROM claims)") ==
          "0|2");
    CHECK(run_program({"nodes", "revoke", "one", "--store", cluster.url()}).out ==
          "`one` is revoked; 0 pieces of its evidence count as claims now\n");
    const Ended again = refused_node(cluster.url(), "one");
    CHECK(last_line(again) ==
          "error node: conflict: the node `one` was revoked; take another name with --name, or "
          "allow it again: warpsmith nodes allow one");
    CHECK(node->wait(kPatience) == 1);
    CHECK(node->errors().find(
              "conflict: the work of the node `one` is refused; it was revoked, or another process "
              "has its name now: see warpsmith nodes") != std::string::npos);
    CHECK(run_program({"nodes", "allow", "one", "--store", cluster.url()}).out ==
          "the work of `one` is taken again\n");
  }

  TEST_CASE("a database that ends in the middle is used again when it is back") {
    if (no_postgres("a database that ends")) {
      return;
    }
    PostgresCluster database;
    database.start();
    NodeCluster cluster(database.url("postgres"));
    auto front = cluster.front();
    const auto node = cluster.node("one");
    const std::string kernel = call_ok(*front, "compile_kernel", doubling_kernel(1))["kernel_id"];
    database.stop();
    const std::string error = call_error(*front, "validate", {{"kernel_id", kernel}});
    CHECK(error.find("io: the archive `postgres://warpsmith@/postgres` cannot be reached "
                     "(connection to server on socket ") == 0);
    database.start();
    CHECK(call_ok(*front, "validate", {{"kernel_id", kernel}})["verdict"] == "passed");
  }

  TEST_CASE("nodes are listed as a table") {
    if (no_postgres("the table of nodes")) {
      return;
    }
    NodeCluster cluster;
    const Ended none = run_program({"nodes", "--store", cluster.url()});
    CHECK(none.err == "not_found: there is no archive in `" +
                          cluster.url().substr(0, cluster.url().find('?')) +
                          "`; name the database of a server with --store URL\n");
    auto front = cluster.front();
    CHECK(run_program({"nodes", "--store", cluster.url()}).out ==
          "no nodes: start one with warpsmith node --store URL\n");
    PgBroker broker(cluster.url(), 1);
    const NodeInfo node{.name = "gpu-7",
                        .instance = "1",
                        .host = "there",
                        .devices = "cuda:0,cpu:0",
                        .lanes = {"cuda", "cpu"},
                        .version = "1.2.3"};
    REQUIRE(broker.enter(node).has_value());
    REQUIRE(broker.leave(node).has_value());
    cluster.run("UPDATE nodes SET seen_at = clock_timestamp() - interval '2000 seconds'");
    const std::string table = run_program({"nodes", "--store", cluster.url()}).out;
    CHECK(std::regex_replace(table, std::regex("[2-9][0-9]{3} s"), "2000 s") ==
          "node   state  jobs  seen    devices       host   version\n"
          "gpu-7  gone   0     2000 s  cuda:0,cpu:0  there  1.2.3\n");
    const Ended bare = run_program({"nodes"});
    CHECK(bare.status == 2);
    CHECK(bare.err == "--store is required\nRun with --help for more information.\n");
  }
}

}  // namespace ws::test
