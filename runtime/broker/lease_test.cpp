// Nodes that end with their jobs, and those that come back.
#include <doctest/doctest.h>

#include "runtime/archive/store/node_revocation.h"
#include "runtime/archive/store/store.h"
#include "runtime/broker/test_broker.h"

namespace ws {
namespace {

ViewerPtr under_lease(const WorkLease& lease) {
  return std::make_shared<const Viewer>(Viewer{.lease = lease});
}

std::string measured(Archive& archive, const WorkLease& lease) {
  const ViewerScope node(under_lease(lease));
  EvidenceRow row;
  row.kernel_id = "krn_a";
  row.problem_id = "prb_a";
  row.device = "cpu:0";
  row.kind = "validate";
  row.key = "question";
  row.verdict = Verdict::kPassed;
  row.json = "{}";
  const Result<std::string> id = archive.add_evidence(row);
  return id ? *id : to_text(id.error());
}

void put_kernel(Archive& archive) {
  REQUIRE(archive.put_problem({"prb_a", "a", "{}", ""}).has_value());
  REQUIRE(archive.put_kernel({"krn_a", "a", "prb_a", "", "{}", ""}).has_value());
}

}  // namespace

TEST_SUITE("broker.leases") {
  TEST_CASE("a job whose node is gone goes to another one, and the first one's result is refused") {
    TestBroker test("a job that is taken over");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    put_kernel(test.archive());
    CHECK(broker.submit(numbered_job(1)).has_value());
    const NodeInfo one = entered_node(broker, "one");
    const NodeInfo two = entered_node(broker, "two");
    const WorkLease first = lease_of(claimed_job(broker, one), one);
    const std::string lost = measured(test.archive(), first);
    CHECK_FALSE(broker.claim(two)->claim.has_value());
    test.run(kLeasesEnd);
    const WorkLease second = lease_of(claimed_job(broker, two), two);
    CHECK(second.attempt == 2);
    CHECK(broker.beat(one, {first})->lost == std::vector<WorkLease>{first});
    CHECK(broker.progress(first, {.fraction = 0.9, .message = "a ghost"}).has_value());
    CHECK(test.look(1).progress.message.empty());
    CHECK(measured(test.archive(), first) ==
          "conflict: the job `job_1` does not belong to the node `one` any more; nothing of this "
          "attempt is kept");
    CHECK_FALSE(broker.finish(first, NodeFinish::kDone, "{}", 1).value());
    const std::string kept = measured(test.archive(), second);
    CHECK_FALSE(test.archive().evidence(lost).has_value());
    CHECK(test.archive().evidence(kept).has_value());
    CHECK(broker.finish(second, NodeFinish::kDone, R"({"output":2})", 1).value());
    CHECK(broker.finish(second, NodeFinish::kDone, R"({"output":2})", 1).value());  // Sent again.
    CHECK_FALSE(broker.finish(first, NodeFinish::kDone, "{}", 1).value());
    CHECK(test.look(1).result == R"({"output":2})");
    CHECK(measured(test.archive(), second) ==
          "conflict: the job `job_1` does not belong to the node `two` any more; nothing of this "
          "attempt is kept");
  }

  TEST_CASE("one node measures a question of a job as often as it wants") {
    TestBroker test("evidence of one attempt");
    if (test.left_out()) {
      return;
    }
    put_kernel(test.archive());
    CHECK(test.broker().submit(numbered_job(1)).has_value());
    const NodeInfo node = entered_node(test.broker(), "one");
    const WorkLease lease = lease_of(claimed_job(test.broker(), node), node);
    const std::string first = measured(test.archive(), lease);
    const std::string second = measured(test.archive(), lease);
    CHECK(test.archive().evidence(first).has_value());
    CHECK(test.archive().evidence(second).has_value());
    test.run("DELETE FROM evidence WHERE id = '" + first + "'");  // As `archive gc` does.
    CHECK(test.ask("SELECT string_agg(evidence_id, ' ') FROM node_evidence") == second);
  }

  TEST_CASE("a job that ends three nodes is given up, one that is cancelled meanwhile ends so") {
    TestBroker test("a job that ends its nodes");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    CHECK(broker.submit(numbered_job(1)).has_value());
    const NodeInfo node = entered_node(broker, "one");
    for (int i = 1; i <= kNodeAttempts; ++i) {
      CHECK(claimed_job(broker, node).attempt == i);
      test.run(kLeasesEnd);
    }
    CHECK_FALSE(broker.claim(node)->claim.has_value());
    CHECK(test.look(1).state == NodeJobState::kLost);
    CHECK(broker.submit(numbered_job(2)).has_value());
    CHECK(claimed_job(broker, node).attempt == 1);
    CHECK(broker.withdraw("job_2").value() == Withdrawal::kStopping);
    test.run(kLeasesEnd);
    CHECK_FALSE(broker.claim(node)->claim.has_value());
    CHECK(test.look(2).state == NodeJobState::kCancelled);
  }

  TEST_CASE("a job that is given back is queued, and one that failed three times has failed") {
    TestBroker test("jobs that are given back");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    CHECK(broker.submit(numbered_job(1)).has_value());
    const NodeInfo node = entered_node(broker, "one");
    for (int i = 1; i <= 5; ++i) {
      const WorkLease lease = lease_of(claimed_job(broker, node), node);
      CHECK(broker.finish(lease, NodeFinish::kGaveBack, "{}", 0).value());
    }
    for (int i = 1; i <= kNodeAttempts; ++i) {
      CHECK(test.look(1).state == NodeJobState::kQueued);
      const WorkLease lease = lease_of(claimed_job(broker, node), node);
      CHECK(broker.finish(lease, NodeFinish::kTryAgain, R"({"error":"no"})", 0).value());
    }
    CHECK(test.look(1).state == NodeJobState::kFailed);
    CHECK(test.look(1).result == R"({"error":"no"})");
  }

  TEST_CASE("a beat prolongs the leases that it names, and no others") {
    TestBroker test("beats");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    const NodeInfo node = entered_node(broker, "one");
    CHECK(broker.submit(numbered_job(1)).has_value());
    CHECK(broker.submit(numbered_job(2)).has_value());
    const WorkLease first = lease_of(claimed_job(broker, node), node);
    const WorkLease second = lease_of(claimed_job(broker, node), node);
    test.run(kLeasesEnd);
    const auto beat = broker.beat(node, {second, {.job = "job_1", .node = "one", .attempt = 7}});
    CHECK(beat->lost == std::vector<WorkLease>{{.job = "job_1", .node = "one", .attempt = 7}});
    CHECK(beat->cancelled.empty());
    CHECK(test.ask("SELECT id FROM node_jobs WHERE lease_until > clock_timestamp()") == "job_2");
    CHECK(test.ask("SELECT lease_until - changed_at > interval '" +
                   std::to_string(kNodeLease.count()) +
                   " seconds' FROM node_jobs WHERE id = 'job_2'") == "t");
    CHECK(lease_of(claimed_job(broker, entered_node(broker, "two")), node).attempt == 2);
    CHECK(first.job == "job_1");
  }

  TEST_CASE("the work of a revoked node is refused, and its jobs go to others at once") {
    TestBroker test("work of a revoked node");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    const NodeInfo bad = entered_node(broker, "bad");
    const NodeInfo good = entered_node(broker, "good");
    for (int i = 1; i <= 2; ++i) {
      CHECK(broker.submit(numbered_job(i)).has_value());
    }
    const WorkLease lease = lease_of(claimed_job(broker, bad), bad);
    const WorkLease unwanted = lease_of(claimed_job(broker, bad), bad);
    CHECK(broker.withdraw(unwanted.job).value() == Withdrawal::kStopping);
    CHECK(revoke_node(test.url(), "bad").value() == 0);
    CHECK(test.look(1).state == NodeJobState::kQueued);
    CHECK(test.look(2).state == NodeJobState::kCancelled);
    CHECK(broker.finish(lease, NodeFinish::kGaveBack, "", 0).value());
    CHECK_FALSE(broker.finish(lease, NodeFinish::kDone, "{}", 1).value());
    CHECK_FALSE(broker.claim(bad)->claim.has_value());
    // A claim that the revocation did not see, as it was not there yet.
    test.run("UPDATE node_jobs SET status = 'running' WHERE id = 'job_1'");
    for (const NodeFinish how : {NodeFinish::kDone, NodeFinish::kFailed, NodeFinish::kTryAgain}) {
      CHECK_FALSE(broker.finish(lease, how, "{}", 1).value());
    }
    CHECK(broker.progress(lease, {.fraction = 0.9, .message = "a forgery"}).has_value());
    CHECK(test.look(1).progress.message.empty());
    CHECK(broker.finish(lease, NodeFinish::kGaveBack, "", 0).value());
    CHECK(claimed_job(broker, good).attempt == 2);
  }

  TEST_CASE("a node's name is that of one process, until that has been gone for half a minute") {
    TestBroker test("names of nodes");
    if (test.left_out()) {
      return;
    }
    JobBroker& broker = test.broker();
    const NodeInfo first = entered_node(broker, "one");
    NodeInfo second = node_named("one");
    second.instance = "one-2";
    const Status refused = broker.enter(second);
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) ==
          "conflict: a node named `one` lives on here; take another name with --name; a node that "
          "was killed is gone after 30 s");
    test.run("UPDATE nodes SET seen_at = clock_timestamp() - interval '31 seconds'");
    CHECK(broker.enter(second).has_value());
    CHECK(broker.beat(first, {})->revoked);  // The name is another process's now.
    CHECK(broker.submit(numbered_job(1)).has_value());
    CHECK_FALSE(broker.claim(first)->claim.has_value());
    CHECK(broker.leave(second).has_value());
    CHECK_FALSE(broker.nodes()->front().lives);
    CHECK(broker.enter(first).has_value());
    CHECK(broker.nodes()->front().lives);
  }
}

}  // namespace ws
