// The role of a node, and statements that it may not run, whatever program sends them.
#include <doctest/doctest.h>

#include "runtime/archive/store/node_revocation.h"
#include "runtime/archive/store/node_roles.h"
#include "runtime/broker/test_node_role.h"

namespace ws {

TEST_SUITE("broker.roles") {
  TEST_CASE("the role of a node writes no table that its work does not write") {
    TestBroker test("statements of a role of a node");
    if (test.left_out()) {
      return;
    }
    grant_role(test);
    REQUIRE(test.broker().submit(numbered_job(1)).has_value());
    Connection role = as_role(test);

    struct Case {
      const char* sql;
      const char* answer;
    };

    const Case cases[] = {
        {"SELECT arguments FROM node_jobs", "permission denied for table node_jobs"},
        {"UPDATE node_jobs SET status = 'done'", "permission denied for table node_jobs"},
        {"DELETE FROM node_jobs", "permission denied for table node_jobs"},
        {"UPDATE jobs SET arguments = ''", "permission denied for table jobs"},
        {"DELETE FROM jobs", "permission denied for table jobs"},
        {"UPDATE nodes SET revoked = false", "permission denied for table nodes"},
        {"DELETE FROM nodes", "permission denied for table nodes"},
        {"INSERT INTO node_roles VALUES('ws_stolen', 'two')",
         "permission denied for table node_roles"},
        {"UPDATE node_roles SET node = 'two'", "permission denied for table node_roles"},
        {"UPDATE node_evidence SET node = 'two'", "permission denied for table node_evidence"},
        {"DELETE FROM node_evidence", "permission denied for table node_evidence"},
        {"INSERT INTO evidence(id) VALUES('evd_a')", "permission denied for table evidence"},
        {"UPDATE evidence SET verdict = 'passed'", "permission denied for table evidence"},
        {"DELETE FROM evidence", "permission denied for table evidence"},
        {"UPDATE kernels SET json = '{}'", "permission denied for table kernels"},
        {"DELETE FROM kernels", "permission denied for table kernels"},
        {"UPDATE problems SET json = '{}'", "permission denied for table problems"},
        {"DELETE FROM problems", "permission denied for table problems"},
        {"INSERT INTO settings VALUES('a', 'b')", "permission denied for table settings"},
        {"UPDATE settings SET value = '0'", "permission denied for table settings"},
        {"DELETE FROM settings", "permission denied for table settings"},
        {"INSERT INTO owners VALUES('krn_a', 'eve', 1)", "permission denied for table owners"},
        {"UPDATE owners SET shared = 1", "permission denied for table owners"},
        {"DELETE FROM owners", "permission denied for table owners"},
        {"INSERT INTO refs VALUES('a@b', 'krn_a', '')", "permission denied for table refs"},
        {"UPDATE refs SET kernel_id = 'krn_a'", "permission denied for table refs"},
        {"DELETE FROM refs", "permission denied for table refs"},
        {"DELETE FROM labels", "permission denied for table labels"},
        {"UPDATE labels SET text = ''", "permission denied for table labels"},
        {"INSERT INTO claims VALUES(1, 'evd_a')", "permission denied for table claims"},
        {"UPDATE archive_version SET version = 0", "permission denied for table archive_version"},
        {"DELETE FROM pass_tries", "permission denied for table pass_tries"},
        {"DELETE FROM series", "permission denied for table series"},
        {"DELETE FROM standings", "permission denied for table standings"},
        {"TRUNCATE shared_entries", "permission denied for table shared_entries"},
        {"DROP TABLE fingerprints", "must be owner of table fingerprints"},
        {"CREATE TABLE warpsmith.nodes2 (a TEXT)", "permission denied for schema warpsmith"},
        {"SELECT node_revoke('one', false)", "permission denied for function node_revoke"},
        {"SELECT node_grant('ws_stolen', 'two')", "permission denied for function node_grant"},
        {"SELECT node_give_rights('ws_stolen')", "permission denied for function node_give_rights"},
        {"SELECT * FROM node_submit('job_9', 'validate', '{}', 'cpu', '', '', '', 'ann', true, "
         "true, NULL, false)",
         "permission denied for function node_submit"},
        {"SELECT node_cancel('job_1', '', 'ann', false)",
         "permission denied for function node_cancel"},
        {"SELECT node_next('one', '{cpu}')", "permission denied for function node_next"},
        {"SELECT node_own('krn_a', 'ann', 1, 0)", "the role ws_stolen may not store for ann"},
        {"SELECT node_forget_file('file_a', 'ann')", "the role ws_stolen may not forget file_a"},
        {"SELECT node_remove_label(7)", "the role ws_stolen may not remove the label 7"},
        {"SELECT node_set_setting('written_at', '0')", "the role ws_stolen may not set written_at"},
        {"SELECT node_set_setting('noise_floor/1', '0')",
         "the role ws_stolen may not set noise_floor/1"},
        {"SELECT node_finish('job_1', NULL, NULL, 'done', '{}', 0)",
         "the role ws_stolen may not be the node"},
        {"SELECT * FROM node_claim(NULL, NULL, '{cpu}')", "the role ws_stolen may not be the node"},
        {"SELECT node_finish('job_1', 'one', 1, 'running', '{}', 0)",
         "the role ws_stolen may not end a job so"},
        {"CREATE TEMP TABLE t (id TEXT); CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW EXECUTE "
         "FUNCTION count_owner_bytes()",
         "permission denied for function count_owner_bytes"},
        {"SET ROLE warpsmith", "permission denied to set role \"warpsmith\""},
        {"SET SESSION AUTHORIZATION warpsmith",
         "permission denied to set session authorization \"warpsmith\""},
    };
    for (const Case& c : cases) {
      CAPTURE(c.sql);
      CHECK(answer_to(role, c.sql) == c.answer);
    }
  }

  TEST_CASE("a role that got another name sees what all see, and a group gets no rights") {
    TestBroker test("roles of nodes that are none");
    if (test.left_out()) {
      return;
    }
    grant_role(test);
    store_for(test, "ann", R"({"name":"a","op":"x"})", 1);
    REQUIRE(test.archive().put_problem({"prb_all", "a", "{}", ""}).has_value());
    Connection role = as_role(test);
    test.run("UPDATE node_roles SET role = 'ws_other'");  // As ALTER ROLE ... RENAME leaves it.
    CHECK(rows_of(role, "SELECT id FROM problems ORDER BY id") == "prb_all");
    CHECK(rows_of(role, "SELECT owner FROM owner_bytes") == "");
    PgBroker stolen(url_of_role(test), 1);
    CHECK(to_text(stolen.enter(node_named("one")).error()) ==
          "conflict: the role that this node connects as may not be the node `one`; let the owner "
          "of the tables grant it: warpsmith nodes grant ROLE --name one");
    test.run(
        "DO $$ BEGIN CREATE ROLE ws_group NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END "
        "$$");
    CHECK(to_text(grant_node_role(test.url(), "ws_group", "two").error()) ==
          "invalid_argument: the role `ws_group` is a group, or may not log in, and a node is one "
          "role; make a role for each node: createuser NAME");
  }

  TEST_CASE("a node may say that its job took any time, and is charged a day at most") {
    TestBroker test("times that a node makes up");
    if (test.left_out()) {
      return;
    }
    grant_role(test);
    PgBroker stolen(url_of_role(test), 1);
    const NodeInfo one = entered_node(stolen, "one");
    Connection role = as_role(test);
    const char* const times[] = {"'NaN'", "'-Infinity'", "'Infinity'", "-1e300"};
    for (int i = 0; i < 4; ++i) {
      CAPTURE(times[i]);
      REQUIRE(test.broker().submit(numbered_job(i)).has_value());
      const WorkLease lease = lease_of(claimed_job(stolen, one), one);
      CHECK(rows_of(role, "SELECT node_finish('" + lease.job + "', 'one', 1, 'done', '{}', " +
                              times[i] + ")") == "done");
      CHECK(test.ask("SELECT abs(clock_ms) <= 4 * 86400000 FROM node_shares") == "t");
    }
  }

  TEST_CASE("the role of a node acts under no other node's name") {
    TestBroker test("a role that says it is another node");
    if (test.left_out()) {
      return;
    }
    grant_role(test);
    JobBroker& owner = test.broker();
    REQUIRE(owner.submit(numbered_job(1)).has_value());
    REQUIRE(owner.submit(numbered_job(2)).has_value());
    const NodeInfo two = entered_node(owner, "two");
    const WorkLease held = lease_of(claimed_job(owner, two), two);
    PgBroker stolen(url_of_role(test), 1);
    const auto refusal = [&](const auto& outcome) {
      return outcome ? "done" : outcome.error().source;
    };
    CHECK(to_text(stolen.enter(two).error()) ==
          "conflict: the role that this node connects as may not be the node `two`; start it with "
          "--name one");
    const std::string other = "PQexecPrepared: the role ws_stolen may not be the node two";
    CHECK(refusal(stolen.claim(two)) == other);
    CHECK(refusal(stolen.beat(two, {held})) == other);
    CHECK(refusal(stolen.progress(held, {})) == other);
    CHECK(refusal(stolen.finish(held, NodeFinish::kDone, "{}", 1)) == other);
    CHECK(refusal(stolen.leave(two)) == other);
    CHECK(test.look(1).state == NodeJobState::kRunning);
    const NodeInfo one = entered_node(stolen, "one");
    const WorkLease own = lease_of(claimed_job(stolen, one), one);
    CHECK(own.job == "job_2");
    // Its own name does not help it to the job of another one.
    CHECK_FALSE(stolen
                    .finish({.job = held.job, .node = "one", .attempt = held.attempt},
                            NodeFinish::kDone, "{}", 1)
                    .value());
    CHECK(stolen.finish(own, NodeFinish::kDone, "{}", 1).value());
  }

  TEST_CASE("a revoked node's role cannot undo it, and gets no more work") {
    TestBroker test("a role of a revoked node");
    if (test.left_out()) {
      return;
    }
    grant_role(test);
    REQUIRE(test.broker().submit(numbered_job(1)).has_value());
    PgBroker stolen(url_of_role(test), 1);
    const NodeInfo one = entered_node(stolen, "one");
    const WorkLease lease = lease_of(claimed_job(stolen, one), one);
    REQUIRE(revoke_node(test.url(), "one").has_value());
    CHECK(to_text(stolen.enter(one).error()) ==
          "conflict: the node `one` was revoked; take another name with --name, or allow it again: "
          "warpsmith nodes allow one");
    CHECK(stolen.beat(one, {lease})->revoked);
    CHECK_FALSE(stolen.claim(one)->claim.has_value());
    CHECK_FALSE(stolen.finish(lease, NodeFinish::kDone, "{}", 1).value());
    CHECK(allow_node(url_of_role(test), "one").error().source ==
          "PQexecPrepared: permission denied for function node_revoke");
    CHECK(deny_node_role(url_of_role(test), kRole).error().source ==
          "PQexecPrepared: permission denied for function node_deny");
    CHECK(test.ask("SELECT revoked FROM nodes") == "t");
    REQUIRE(test.archive().put_problem({"prb_all", "a", "{}", ""}).has_value());
    REQUIRE(test.archive().put_kernel({"krn_all", "a", "prb_all", "", "{}", ""}).has_value());
    REQUIRE(test.archive().set_ref("main@one", "krn_all").has_value());
    const std::string label = test.ask("SELECT seq FROM labels WHERE kind = 'ref'");
    {
      Connection revoked = as_role(test);
      CHECK(rows_of(revoked, "SELECT node_set_ref('main@all', 'krn_all', 0, '')") == "f");
      CHECK(answer_to(revoked, "SELECT node_remove_label(" + label + ")") ==
            "the role ws_stolen may not remove the label " + label);
      CHECK(answer_to(revoked, "SELECT node_set_setting('noise_floor/1', '0')") ==
            "the role ws_stolen may not set noise_floor/1");
    }
    REQUIRE(deny_node_role(test.url(), kRole).has_value());
    Connection role = as_role(test);
    CHECK(answer_to(role, "SELECT id FROM warpsmith.kernels") ==
          "permission denied for schema warpsmith");
    CHECK_FALSE(stolen.claim(one).has_value());
  }
}

}  // namespace ws
