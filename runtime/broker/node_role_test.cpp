// The role of a node, and statements that it may not run, whatever program sends them.
#include <doctest/doctest.h>

#include "runtime/archive/store/node_revocation.h"
#include "runtime/archive/store/node_roles.h"
#include "runtime/broker/test_broker.h"

namespace ws {
namespace {

constexpr const char* kRole = "ws_stolen";

std::string url_of_role(const TestBroker& test) {
  const std::size_t user = test.url().find("://") + 3;
  return test.url().substr(0, user) + kRole + test.url().substr(test.url().find('@'));
}

/// Lets the role be the node "one".
void grant_role(TestBroker& test) {
  test.run("DO $$ BEGIN CREATE ROLE " + std::string(kRole) +
           " LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
  const Status granted = grant_node_role(test.url(), kRole, "one");
  REQUIRE_MESSAGE(granted.has_value(), to_text(granted.error()));
}

/// The answer of PostgreSQL to a statement of the role; "done" when it does it.
std::string answer_to(Connection& connection, const std::string& sql) {
  const Status done = connection.execute(sql);
  if (done) {
    return "done";
  }
  const std::string source = done.error().source;
  constexpr std::string_view kCall = "PQexec: ";
  return source.starts_with(kCall) ? source.substr(kCall.size()) : source;
}

/// Stores rows of a principal that does not share, and submits a job of theirs.
void store_for(TestBroker& test, const std::string& owner, const std::string& json, int job) {
  const ViewerScope viewer(
      std::make_shared<const Viewer>(Viewer{.owner = owner, .sees_all = false, .shares = false}));
  REQUIRE(test.archive().put_problem({"prb_" + owner, "a", json, ""}).has_value());
  REQUIRE(
      test.archive().put_kernel({"krn_" + owner, "a", "prb_" + owner, "", json, ""}).has_value());
  NodeJob wanted = numbered_job(job);
  wanted.owner = owner;
  wanted.sees_all = false;
  REQUIRE(test.broker().submit(wanted).has_value());
}

/// The rows of a statement, in one line.
std::string rows_of(Connection& connection, const std::string& sql) {
  auto rows = connection.prepare(sql);
  REQUIRE(rows.has_value());
  const auto found = texts(*rows);
  REQUIRE_MESSAGE(found.has_value(), to_text(found.error()));
  std::string line;
  for (const std::string& text : *found) {
    line += (line.empty() ? "" : " ") + text;
  }
  return line;
}

Connection as_role(const TestBroker& test) {
  auto connection = open_postgres(url_of_role(test));
  REQUIRE_MESSAGE(connection.has_value(), to_text(connection.error()));
  return *std::move(connection);
}

}  // namespace

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

  TEST_CASE("the role of a node sees the rows of those whose jobs it does, and of nobody else") {
    TestBroker test("rows that a role of a node sees");
    if (test.left_out()) {
      return;
    }
    grant_role(test);
    store_for(test, "ann", R"({"name":"a","op":"x"})", 1);
    store_for(test, "bob", R"({"name":"b","op":"y"})", 2);
    REQUIRE(test.archive().put_problem({"prb_all", "a", "{}", ""}).has_value());
    Connection role = as_role(test);
    constexpr const char* kProblems = "SELECT id FROM problems ORDER BY id";
    constexpr const char* kKernels = "SELECT id FROM kernels ORDER BY id";
    CHECK(rows_of(role, kProblems) == "prb_all");
    PgBroker stolen(url_of_role(test), 1);
    const NodeInfo one = entered_node(stolen, "one");
    const WorkLease lease = lease_of(claimed_job(stolen, one), one);
    CHECK(rows_of(role, kProblems) == "prb_all prb_ann");
    CHECK(rows_of(role, kKernels) == "krn_ann");
    CHECK(rows_of(role, "SELECT owner FROM owner_bytes") == "ann");
    CHECK(rows_of(role, "SELECT problem_id FROM problem_facts ORDER BY problem_id") ==
          "prb_all prb_ann");
    CHECK(rows_of(role, "SELECT rowid FROM kernel_words") ==
          test.ask("SELECT seq FROM indexed_kernels WHERE kernel_id = 'krn_ann'"));
    CHECK(rows_of(role, "SELECT * FROM node_ids_by_hash('kernels', 'b')") == "krn_bob");
    CHECK(answer_to(role, "SELECT node_own('krn_bob', 'ann', 0, 1)") ==
          "the role ws_stolen may not store for ann");
    CHECK(answer_to(role, "SELECT node_own('krn_new', 'bob', 0, 1)") ==
          "the role ws_stolen may not store for bob");
    CHECK(answer_to(role,
                    "INSERT INTO labels(kernel_id, kind, text, created_at) "
                    "VALUES('krn_bob', 'tag', 'a', '')") ==
          "new row violates row-level security policy for table \"labels\"");
    CHECK(rows_of(role, "SELECT node_admit('kernels', 'krn_bob', '{}', 'ann', 0, 1)") == "f");
    // The content proves that one may have the row.
    {
      const auto archive = Archive::open(ArchivePlace({}, url_of_role(test)));
      REQUIRE_MESSAGE(archive.has_value(), to_text(archive.error()));
      const ViewerScope viewer(std::make_shared<const Viewer>(
          Viewer{.owner = "ann", .sees_all = false, .shares = false, .lease = lease}));
      CHECK(to_text((*archive)->put_problem({"prb_bob", "b", "{}", ""}).error()) ==
            "conflict: prb_bob is the id of different content here; nothing was changed; change "
            "the text, even if only a comment, and send it again; `warpsmith archive verify` says "
            "whether the stored row is damaged");
      const std::string content = R"({"name":"b","op":"y"})";
      CHECK((*archive)->put_problem({"prb_bob", "b", content, ""}).has_value());
      CHECK((*archive)->put_kernel({"krn_bob", "b", "prb_bob", "", content, ""}).has_value());
      CHECK((*archive)->put_kernel({"krn_bob", "b", "prb_bob", "", content, ""}).has_value());
    }
    CHECK(rows_of(role, kKernels) == "krn_ann krn_bob");
    CHECK(stolen.finish(lease, NodeFinish::kDone, "{}", 1).value());
    CHECK(rows_of(role, kKernels) == "");
  }

  TEST_CASE("a role that does a job owns, forgets and removes nothing but what the job stores") {
    TestBroker test("rows that a role of a node owns");
    if (test.left_out()) {
      return;
    }
    grant_role(test);
    store_for(test, "ann", R"({"name":"a","op":"x"})", 1);
    store_for(test, "bob", R"({"name":"b","op":"y"})", 2);
    REQUIRE(test.archive().put_problem({"prb_all", "a", "{}", ""}).has_value());
    REQUIRE(test.archive().put_kernel({"krn_all", "a", "prb_all", "", "{}", ""}).has_value());
    REQUIRE(test.archive().put_label({"krn_ann", "tag", "fast"}).has_value());
    REQUIRE(test.archive().put_label({"krn_all", "note", "all see it"}).has_value());
    REQUIRE(test.archive().set_ref("main@all", "krn_all").has_value());
    test.run(
        "INSERT INTO labels(seq, kernel_id, kind, text, created_at) "
        "VALUES(900, 'krn_bob', 'ref', 'b@main', '')");
    test.run("UPDATE labels SET imported = 1 WHERE kind = 'note'");
    PgBroker stolen(url_of_role(test), 1);
    const NodeInfo one = entered_node(stolen, "one");
    REQUIRE(claimed_job(stolen, one).id == "job_1");
    Connection role = as_role(test);
    const std::string tag = test.ask("SELECT seq FROM labels WHERE kind = 'tag'");
    const std::string note = test.ask("SELECT seq FROM labels WHERE kind = 'note'");

    struct Case {
      std::string sql;
      std::string answer;
    };

    const std::string may_not = "the role ws_stolen may not ";
    const Case cases[] = {
        {"SELECT node_own('krn_all', 'ann', 0, 0)", may_not + "own krn_all"},
        {"SELECT node_own('prb_all', 'ann', 0, 0)", may_not + "own prb_all"},
        {"SELECT node_own('main@all', 'ann', 0, 0)", may_not + "own main@all"},
        {"SELECT node_own('lbl_901', 'ann', 1, 0)", may_not + "own lbl_901"},
        {"SELECT node_own('krn_ann', 'ann', 0, -1)", may_not + "own krn_ann"},
        // A row that it changes is none that it added.
        {"UPDATE labels SET imported = 0 WHERE seq = " + note + "; SELECT node_own('lbl_" + note +
             "', 'ann', 0, 0)",
         may_not + "own lbl_" + note},
        {"SELECT node_set_ref('main@all', 'krn_all', 0, ''); SELECT node_own('main@all', 'ann', 0, "
         "0)",
         may_not + "own main@all"},
        {"SELECT node_forget_file('krn_ann', 'ann')", may_not + "forget krn_ann"},
        {"SELECT node_remove_label(" + tag + ")", may_not + "remove the label " + tag},
        {"SELECT node_remove_label(900)", may_not + "remove the label 900"},
        {"SELECT node_put_evidence('job_1', 'one', 1, 'evd_1', 'krn_bob', 'prb_bob', 'cpu:0', "
         "'validate', '', 'passed', '{}', '', 0, 1, 'q')",
         may_not + "judge krn_bob by prb_bob"},
        {"SELECT node_put_evidence('job_1', 'one', 1, 'evd_1', 'krn_ann', 'prb_all', 'cpu:0', "
         "'validate', '', 'passed', '{}', '', 0, 1, 'q')",
         may_not + "judge krn_ann by prb_all"},
        {"SELECT node_set_setting('admission/1/prb_bob', '0')",
         may_not + "set admission/1/prb_bob"},
        {"SELECT node_set_setting('admission/1/prb_ann', '0')", "done"},
        {"INSERT INTO labels(seq, kernel_id, kind, text, created_at) VALUES(2, 'krn_ann', 'tag', "
         "'a', '')",
         "permission denied for table labels"},
        {"INSERT INTO kernels(rowid, id, name, problem_id, json, created_at) "
         "VALUES(9223372036854775807, 'krn_a', 'a', 'prb_ann', '{}', '')",
         "permission denied for table kernels"},
        {"SELECT node_own('krn_ann', 'ann', 0, 1)", "done"},
        {"SELECT node_own('file_a', 'ann', 0, 1)", "done"},
        {"INSERT INTO labels(kernel_id, kind, text, created_at) VALUES('krn_ann', 'tag', 'own', "
         "''); SELECT node_own('lbl_' || (SELECT max(seq) FROM labels), 'ann', 0, 1)",
         "done"},
    };
    for (const Case& c : cases) {
      CAPTURE(c.sql);
      CHECK(answer_to(role, c.sql) == c.answer);
    }
    CHECK(rows_of(role, "SELECT node_set_ref('main@bob', 'krn_bob', 0, '')") == "f");
    CHECK(test.ask("SELECT count(*) FROM refs") == "1");
    CHECK(test.ask("SELECT count(*) FROM evidence") == "0");
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
    {
      Connection revoked = as_role(test);
      CHECK(rows_of(revoked, "SELECT node_set_ref('main@all', 'krn_all', 0, '')") == "f");
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
