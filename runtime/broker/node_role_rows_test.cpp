// The rows that the role of a node sees, and those that it may own.
#include <doctest/doctest.h>

#include "runtime/broker/test_node_role.h"

namespace ws {
namespace {

constexpr const char* kProblems = "SELECT id FROM problems ORDER BY id";
constexpr const char* kKernels = "SELECT id FROM kernels ORDER BY id";

/// Rows of ann, of bob and of everybody, and a job of each of the two, for a role that is a node.
void store_for_three(TestBroker& test) {
  grant_role(test);
  store_for(test, "ann", R"({"name":"a","op":"x"})", 1);
  store_for(test, "bob", R"({"name":"b","op":"y"})", 2);
  REQUIRE(test.archive().put_problem({"prb_all", "a", "{}", ""}).has_value());
}

}  // namespace

TEST_SUITE("broker.role_rows") {
  TEST_CASE("the role of a node sees the rows of those whose jobs it does, and of nobody else") {
    TestBroker test("rows that a role of a node sees");
    if (test.left_out()) {
      return;
    }
    store_for_three(test);
    Connection role = as_role(test);
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
    store_for_three(test);
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
        // The job's principal would own the row.
        {"SELECT node_put_evidence('job_1', 'one', 1, 'krn_bob', 'krn_ann', 'prb_ann', 'cpu:0', "
         "'validate', '', 'passed', '{}', '', 0, 1, 'q')",
         may_not + "store evidence as krn_bob"},
        // A ref, a kernel and a problem with ids of other tables.
        {"SELECT node_set_ref('krn_all', 'krn_all', 0, ''); SELECT node_own('krn_all', 'ann', 0, "
         "0)",
         may_not + "own krn_all"},
        {"SELECT node_set_ref('lbl_901', 'krn_all', 0, ''); SELECT node_own('lbl_901', 'ann', 1, "
         "0)",
         may_not + "own lbl_901"},
        {"INSERT INTO kernels(id, name, problem_id, json, created_at) VALUES('main@all', 'a', "
         "'prb_ann', '{}', ''); SELECT node_own('main@all', 'ann', 0, 0)",
         may_not + "own main@all"},
        {"INSERT INTO kernels(id, name, problem_id, json, created_at) VALUES('krn_a@all', 'a', "
         "'prb_ann', '{}', ''); SELECT node_own('krn_a@all', 'ann', 0, 0)",
         may_not + "own krn_a@all"},
        {"INSERT INTO problems(id, name, json, created_at) VALUES('lbl_901', 'a', '{}', ''); "
         "SELECT node_own('lbl_901', 'ann', 1, 0)",
         may_not + "own lbl_901"},
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
    CHECK(rows_of(role, kKernels) == "krn_all krn_ann");
    CHECK(test.ask("SELECT count(*) FROM refs") == "1");
    CHECK(test.ask("SELECT count(*) FROM evidence") == "0");
  }
}

}  // namespace ws
