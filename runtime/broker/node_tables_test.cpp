// The tables of jobs of nodes as older versions left them.
#include <doctest/doctest.h>

#include "runtime/archive/store/postgres_nodes.h"
#include "runtime/broker/test_broker.h"

namespace ws {
namespace {

/// As the archive's version 3 had it, with functions that are not those of now.
void leave_version_3(TestBroker& test) {
  test.run(kNoRowPolicies);
  test.run(kNoNodeFunctions);
  test.run(
      "DROP TABLE node_job_clients, node_jobs, node_shares, node_evidence, nodes, node_roles, "
      "node_new_rows");
  test.run("DROP FUNCTION note_new_row() CASCADE");
  test.run(kNodeTables);
  test.run(
      "CREATE FUNCTION node_cancel(which text, clients text[]) RETURNS text LANGUAGE sql AS "
      "'SELECT which'");
  test.run("UPDATE archive_version SET version = 3");
}

}  // namespace

TEST_SUITE("broker.tables") {
  TEST_CASE("jobs of an older version are done by this one, and its clients still want them") {
    TestBroker test("tables of an older version");
    if (test.left_out()) {
      return;
    }
    leave_version_3(test);
    test.run(
        "INSERT INTO node_jobs(id, tool, arguments, lane, key, client, owner, shares, background) "
        "VALUES('job_1', 'validate', '{}', 'cpu', '', 'ann', '', true, false)");
    test.run(
        "INSERT INTO node_evidence(evidence_id, job_id, attempt, node, question) "
        "VALUES('evd_collected', 'job_0', 1, 'one', 'question')");
    test.run("INSERT INTO node_job_clients(job_id, client) VALUES('job_1', 'ann')");
    const TestFolder folder;
    REQUIRE(Archive::open(ArchivePlace(folder.path(), test.url())).has_value());
    CHECK(test.ask("SELECT sees_all FROM node_jobs") == "t");  // As all without an owner did.
    CHECK(test.ask("SELECT count(*) FROM node_evidence") == "0");
    JobBroker& broker = test.broker();
    CHECK(broker.withdraw("job_1").value() == Withdrawal::kStays);
    CHECK(broker.cancel("job_1", "ann", false).value() == Withdrawal::kEnded);
    CHECK(broker.submit(numbered_job(2)).has_value());
    const NodeInfo node = entered_node(broker, "one");
    CHECK(claimed_job(broker, node).id == "job_2");
  }
}

}  // namespace ws
