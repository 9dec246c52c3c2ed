#include "runtime/broker/pg_broker.h"

#include <algorithm>
#include <map>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/broker/test_broker.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kSoon{10000};

std::string submitted_id(JobBroker& broker, const NodeJob& job) {
  const auto submitted = broker.submit(job);
  REQUIRE_MESSAGE(submitted.has_value(), to_text(submitted.error()));
  return submitted->id;
}

}  // namespace

TEST_SUITE("broker.jobs") {
  TEST_CASE("a job is queued, runs on a node that tells how far it is, and ends with its result") {
    TestBroker test("a job of a node");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    CHECK(broker.submit(numbered_job(1)).has_value());
    CHECK(test.look(1).state == NodeJobState::kQueued);
    const NodeInfo node = entered_node(broker, "one");
    const NodeClaim claim = claimed_job(broker, node);
    CHECK(claim.id == numbered_job(1).id);
    CHECK(claim.tool == "validate");
    CHECK(claim.arguments == "{}");
    CHECK(claim.attempt == 1);
    CHECK_FALSE(claim.sees_all);
    const WorkLease lease = lease_of(claim, node);
    CHECK(broker.progress(lease, {.fraction = 0.5, .message = "half"}).has_value());
    NodeJobView view = test.look(1);
    CHECK(view.state == NodeJobState::kRunning);
    CHECK(view.node == "one");
    CHECK(view.progress.fraction == 0.5);
    CHECK(view.progress.message == "half");
    CHECK(broker.finish(lease, NodeFinish::kDone, R"({"output":1})", 10).value());
    view = test.look(1);
    CHECK(view.state == NodeJobState::kDone);
    CHECK(view.result == R"({"output":1})");
    CHECK_FALSE(broker.claim(node)->claim.has_value());
  }

  TEST_CASE("equal questions of one owner are one job until it ends, those of two owners are two") {
    TestBroker test("joins of a broker");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    NodeJob first = numbered_job(1);
    NodeJob second = numbered_job(2);
    NodeJob other = numbered_job(3);
    first.key = second.key = other.key = "question";
    other.owner = "bob";
    CHECK(submitted_id(broker, first) == first.id);
    CHECK(submitted_id(broker, second) == first.id);
    CHECK(submitted_id(broker, other) == other.id);
    const NodeInfo node = entered_node(broker, "one");
    for (int i = 0; i < 2; ++i) {
      const NodeClaim claim = claimed_job(broker, node);
      CHECK(broker.finish(lease_of(claim, node), NodeFinish::kDone, "{}", 1).value());
    }
    CHECK_FALSE(broker.claim(node)->claim.has_value());
    CHECK(submitted_id(broker, second) == second.id);
    CHECK(submitted_id(broker, second) == second.id);  // The answer to the first was lost.
  }

  TEST_CASE("owners take turns by the time that their jobs took, and the background goes last") {
    TestBroker test("shares of a broker");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    const NodeInfo node = entered_node(broker, "one");
    for (int i = 0; i < 6; ++i) {
      NodeJob job = numbered_job(i);
      job.owner = "ann";
      job.background = i == 0;
      CHECK(broker.submit(job).has_value());
    }
    for (int i = 6; i < 9; ++i) {
      NodeJob job = numbered_job(i);
      job.owner = "bob";
      CHECK(broker.submit(job).has_value());
    }
    std::string order;
    std::string last;
    for (int i = 0; i < 9; ++i) {
      const NodeClaim claim = claimed_job(broker, node);
      order += claim.owner.front();
      last = claim.id;
      // A job of bob's costs twice as much.
      CHECK(broker
                .finish(lease_of(claim, node), NodeFinish::kDone, "{}",
                        claim.owner == "bob" ? 2000 : 1000)
                .value());
    }
    CHECK(order.substr(0, 6).find("bbb") == std::string::npos);
    CHECK(std::count(order.begin(), order.begin() + 6, 'a') == 4);
    CHECK(last == numbered_job(0).id);
  }

  TEST_CASE("a job ends when the last client that wants it withdraws") {
    TestBroker test("cancelled jobs of a broker");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    const std::string id = submitted_id(broker, numbered_job(1));
    CHECK(broker.want(id, "bob").has_value());
    CHECK(broker.cancel(id, "ann", true).value() == Withdrawal::kStays);
    CHECK(broker.withdraw(id).value() == Withdrawal::kEnded);
    CHECK(test.look(1).state == NodeJobState::kCancelled);
    CHECK(broker.withdraw(id).value() == Withdrawal::kOver);
    const NodeInfo node = entered_node(broker, "one");
    CHECK_FALSE(broker.claim(node)->claim.has_value());
    NodeJob second = numbered_job(2);
    second.key = "question";
    CHECK(broker.submit(second).has_value());
    const NodeClaim claim = claimed_job(broker, node);
    CHECK(broker.withdraw(second.id).value() == Withdrawal::kStopping);
    CHECK(broker.beat(node, {lease_of(claim, node)})->cancelled ==
          std::vector{lease_of(claim, node)});
    NodeJob third = numbered_job(3);
    third.key = "question";
    CHECK(submitted_id(broker, third) == third.id);  // It does not join one that is about to end.
    CHECK(broker.finish(lease_of(claim, node), NodeFinish::kCancelled, "{}", 1).value());
    CHECK(test.look(2).state == NodeJobState::kCancelled);
    const auto unknown = broker.withdraw("job_none");
    REQUIRE_FALSE(unknown.has_value());
    CHECK(to_text(unknown.error()) == "not_found: no job `job_none`");
  }

  TEST_CASE("a server that withdraws leaves the job to others, also to those of the same client") {
    TestBroker test("jobs that two servers want");
    if (test.left_out()) {
      return;
    }
    JobBroker& first = test.broker();
    PgBroker second(test.url(), 1);
    const std::string client = "@ci agent\nsession";
    for (const bool explicitly : {false, true}) {
      CAPTURE(explicitly);
      NodeJob job = numbered_job(explicitly ? 2 : 1);
      job.client = client;
      const std::string id = submitted_id(first, job);
      CHECK(second.want(id, client).has_value());
      if (!explicitly) {
        CHECK(second.withdraw(id).value() == Withdrawal::kStays);
        CHECK(first.withdraw(id).value() == Withdrawal::kEnded);
        continue;
      }
      CHECK(first.want(id, "").has_value());
      CHECK(first.cancel(id, client, true).value() == Withdrawal::kStays);
      CHECK(second.cancel(id, client, false).value() == Withdrawal::kStays);
      CHECK(second.cancel(id, "", false).value() == Withdrawal::kEnded);
    }
  }

  TEST_CASE("a job's place is that among those of its owner that wait for the same devices") {
    TestBroker test("places of waiting jobs");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    std::vector<std::string> ids;
    for (int i = 0; i < 103; ++i) {
      NodeJob job = numbered_job(i);
      job.background = i == 0;
      job.lane = i == 2 ? "cuda" : "cpu";
      ids.push_back(submitted_id(broker, job));
    }
    std::map<std::string, std::int64_t> places;
    const auto views = broker.look(ids);
    REQUIRE(views.has_value());
    for (const NodeJobView& view : *views) {
      places[view.id] = view.position;
    }
    CHECK(places["job_1"] == 0);
    CHECK(places["job_2"] == 0);
    CHECK(places["job_3"] == 1);
    CHECK(places["job_100"] == 98);
    CHECK(places["job_102"] == 100);
    CHECK(places["job_0"] == 100);
    CHECK(test.look(3).position == 1);
  }

  TEST_CASE("devices are those of nodes that live and were not revoked") {
    TestBroker test("devices of nodes");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    CHECK(broker.devices()->empty());
    for (const char* name : {"one", "two", "bad", "gone", "dead"}) {
      NodeInfo node = node_named(name);
      node.devices = std::string(name) == "one" ? "cuda:0,cpu:0" : "cpu:0";
      CHECK(broker.enter(node).has_value());
    }
    CHECK(broker.leave(node_named("gone")).has_value());
    test.run("UPDATE nodes SET revoked = true WHERE name = 'bad'");
    test.run("UPDATE nodes SET seen_at = seen_at - interval '31 seconds' WHERE name = 'dead'");
    const auto devices = broker.devices();
    REQUIRE(devices.has_value());
    REQUIRE(devices->size() == 2);
    CHECK(devices->front().id == "cpu:0");
    CHECK(devices->front().nodes == 2);
    CHECK(devices->back().id == "cuda:0");
    CHECK(devices->back().nodes == 1);
  }

  TEST_CASE("jobs that ended a day ago are forgotten, others stay") {
    TestBroker test("old jobs of a broker");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    const NodeInfo node = entered_node(broker, "one");
    for (int i = 1; i <= 2; ++i) {
      CHECK(broker.submit(numbered_job(i)).has_value());
      const NodeClaim claim = claimed_job(broker, node);
      CHECK(broker.finish(lease_of(claim, node), NodeFinish::kDone, "{}", 1).value());
    }
    CHECK(broker.submit(numbered_job(3)).has_value());
    test.run(
        "UPDATE node_jobs SET changed_at = changed_at - interval '25 hours' WHERE id <> 'job_1'");
    test.run("UPDATE node_shares SET used_at = used_at - interval '25 hours'");
    CHECK(broker.forget_ended().value() == 1);
    CHECK(broker.forget_ended().value() == 0);
    CHECK(test.ask("SELECT owner FROM node_shares") == "ann");  // It still wants something.
    CHECK(broker.look({"job_2"})->empty());
    CHECK(test.look(1).state == NodeJobState::kDone);
    CHECK(test.look(3).state == NodeJobState::kQueued);
  }

  TEST_CASE("a backlog of old jobs is forgotten a little at a time") {
    TestBroker test("many old jobs of a broker");
    if (test.left_out()) {
      return;
    }
    test.run(
        "INSERT INTO node_jobs(id, tool, arguments, lane, key, client, owner, shares, background, "
        "status, changed_at) SELECT 'job_' || i, 'validate', '{}', 'cpu', '', 'ann', 'ann', true, "
        "false, 'done', clock_timestamp() - interval '2 days' FROM generate_series(1, 2001) i");
    CHECK(test.broker().forget_ended().value() == 2000);
    CHECK(test.broker().forget_ended().value() == 1);
    CHECK(test.broker().forget_ended().value() == 0);
  }

  TEST_CASE("owners and nodes of which nothing is left are forgotten, and come back as new ones") {
    TestBroker test("old owners and nodes of a broker");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    const NodeInfo node = entered_node(broker, "one");
    const NodeInfo bad = entered_node(broker, "bad");
    CHECK(broker.submit(numbered_job(1)).has_value());
    const NodeClaim claim = claimed_job(broker, node);
    CHECK(broker.finish(lease_of(claim, node), NodeFinish::kDone, "{}", 1).value());
    test.run("UPDATE nodes SET seen_at = seen_at - interval '25 hours', revoked = name = 'bad'");
    test.run("UPDATE node_shares SET used_at = used_at - interval '25 hours'");
    CHECK(broker.forget_ended().value() == 0);
    CHECK(test.ask("SELECT count(*) FROM node_shares") == "0");
    CHECK(test.ask("SELECT name FROM nodes") == "bad");
    CHECK(broker.enter(node).has_value());
    CHECK(broker.submit(numbered_job(2)).has_value());
    test.run("DELETE FROM node_shares");  // As if that had happened while the job came.
    CHECK(claimed_job(broker, node).id == "job_2");
    CHECK(test.ask("SELECT owner FROM node_shares") == "ann");
  }

  TEST_CASE("those that wait are told of results and of work") {
    TestBroker test("notices of a broker");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    const NodeInfo node = entered_node(broker, "one");
    CHECK(broker.wait(kSoon, {})->missed);  // It listens from here on.
    CHECK(broker.wait_for_work(kSoon, {})->missed);
    CHECK(broker.submit(numbered_job(1)).has_value());
    CHECK(broker.wait_for_work(kSoon, {})->ids.empty());
    const NodeClaim claim = claimed_job(broker, node);
    CHECK(broker.finish(lease_of(claim, node), NodeFinish::kDone, "{}", 1).value());
    CHECK(broker.wait(kSoon, {})->ids == std::vector{claim.id});
    std::stop_source stop;
    stop.request_stop();
    CHECK(broker.wait(std::chrono::hours(1), stop.get_token())->ids.empty());
  }
}

}  // namespace ws
