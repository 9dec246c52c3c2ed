// Arguments that refer to each other: sparse matrices, and outputs without order.
#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// A product of a sparse matrix and a vector.
Json sparse_problem() {
  return Json::parse(R"json({
    "dims": {"rows": [2, 5], "cols": [3], "nnz": [6, 7], "fewest": [6, 7]},
    "args": [
      {"name": "row_ptr", "type": "i32", "shape": ["rows + 1"], "role": "in",
       "fill": {"kind": "csr_offsets", "columns": "cols", "nonzeros": "nnz", "fewest": "fewest"}},
      {"name": "col", "type": "i32", "shape": ["nnz"], "role": "in",
       "fill": {"kind": "csr_columns", "offsets": "row_ptr"}},
      {"name": "y", "type": "f32", "shape": ["rows"], "role": "out"}],
    "valid": ["nnz == fewest"],
    "reference": {"kind": "first_kernel"}})json");
}

/// Pairs in any order.
Json pairs_problem() {
  return Json::parse(R"json({
    "dims": {"n": [8]},
    "args": [
      {"name": "keys", "type": "i32", "shape": ["n"], "role": "out", "unordered": {"count": "found"}},
      {"name": "rows", "type": "f32", "shape": ["n", 2], "role": "out",
       "unordered": {"count": "found", "with": "keys"}},
      {"name": "found", "type": "i32", "shape": [1], "role": "inout", "fill": "zeros"}],
    "reference": {"kind": "first_kernel"}})json");
}

/// The same pairs, of which the second ones all count.
Json without_count(Json form) {
  form["args"][1]["unordered"].erase("count");
  return form;
}

std::string problem_error(const Json& form) {
  return error_text(problem_from_json(form));
}

struct BadField {
  const char* pointer;
  Json value;
  const char* want;
};

const std::vector<BadField>& bad_orders() {
  static const std::vector<BadField> rows = {
      {"/args/0/unordered", true,
       "invalid_argument: problem.args[0].unordered: only an argument of role `out` may have its "
       "rows in any order"},
      {"/args/2/unordered", 1,
       "invalid_argument: problem.args[2].unordered: expected true, false or {count, with}, got 1"},
      {"/args/2/unordered", Json{{"counts", "C"}},
       "invalid_argument: problem.args[2].unordered: unknown field `counts`; did you mean "
       "`count`?"},
      {"/args/2/unordered", Json{{"count", "A"}},
       "invalid_argument: problem.args[2].unordered.count: `A` is no output of one whole number"},
      {"/args/2/unordered", Json{{"with", "A"}},
       "invalid_argument: problem.args[2].unordered.with: `A` is no other output that is "
       "`unordered` by itself"},
      {"/args/2/unordered", Json{{"with", "C"}},
       "invalid_argument: problem.args[2].unordered.with: `C` is no other output that is "
       "`unordered` by itself"},
      {"/args/3/unordered", true,
       "invalid_argument: problem.args[3].unordered: a scalar has no `unordered`"},
  };
  return rows;
}

}  // namespace

TEST_SUITE("kernel.tied_args") {
  TEST_CASE("a fill of whole numbers takes expressions over dims, one of floats numbers") {
    Json form = patched(matmul_problem(), "/args/0/type", "i32");
    form["args"][0]["fill"] = {{"kind", "range"}, {"low", 1}, {"high", "m * k"}};
    const Problem problem = read_problem(form);
    CHECK(problem.args[0].fill.params.at("low") == 1);
    CHECK(problem.args[0].fill.sizes.at("high") == "m * k");
    form["args"][0]["fill"]["high"] = "q";
    CHECK(problem_error(form) ==
          "invalid_argument: problem.args[0].fill.high: expression `q`: unknown name `q` at column "
          "1; known: k, m, n\n  q\n  ^");
  }

  TEST_CASE("a computed fill takes an expression over dims and an element's number") {
    Json form = patched(matmul_problem(), "/args/0/type", "i32");
    form["args"][0]["fill"] = {{"kind", "computed"}, {"value", "i // k"}};
    CHECK(read_problem(form).args[0].fill.sizes.at("value") == "i // k");
    form["args"][0]["fill"]["value"] = "j";
    CHECK(problem_error(form) ==
          "invalid_argument: problem.args[0].fill.value: expression `j`: unknown name `j` at "
          "column 1; known: k, m, n, i\n  j\n  ^");
    form["args"][0]["fill"]["value"] = "k";
    form["dims"]["i"] = {4};
    CHECK(problem_error(form) ==
          "invalid_argument: problem.args[0].fill.value: a dim is called `i`, which is an "
          "element's number here");
  }

  TEST_CASE("the parts of a sparse matrix name each other, and say which sizes there are") {
    const Problem problem = read_problem(sparse_problem());
    CHECK(problem.args[1].fill.offsets == "row_ptr");
    CHECK(problem.valid == Names{"0 <= (fewest)", "(fewest) <= (nnz)",
                                 "(nnz) <= ((rows + 1) - 1) * (cols)", "(nnz) <= (nnz)",
                                 "nnz == fewest"});
    CHECK(expand_workloads(problem)->size() == 3);  // 7 values do not fit 2 rows of 3 columns.
    const Json plain = sparse_problem();
    const auto error_of = [&](const char* pointer, const Json& value) {
      return problem_error(patched(plain, pointer, value));
    };
    CHECK(error_of("/args/0/fill", {{"kind", "csr_offsets"}, {"nonzeros", "nnz"}}) ==
          "invalid_argument: problem.args[0]: fill `csr_offsets` needs `columns` and `nonzeros`, "
          "the matrix's numbers of columns and of values");
    CHECK(error_of("/args/0/shape", {"rows", "2"}) ==
          "invalid_argument: problem.args[0]: fill `csr_offsets` needs a shape of one dimension, "
          "[\"rows + 1\"], and no `strides`");
    CHECK(
        error_of("/args/1/shape", {"nnz", "2"}) ==
        "invalid_argument: problem.args[1]: fill `csr_columns` needs a shape of one dimension and "
        "no `strides`");
    const char* const untied =
        "invalid_argument: problem.args[1]: fill `csr_columns` needs `offsets`: the name of the "
        "argument with fill `csr_offsets`";
    CHECK(error_of("/args/1/fill", "csr_columns") == untied);
    CHECK(error_of("/args/1/fill/offsets", "y") == untied);
    CHECK(error_of("/args/1/fill/offsets", 3) ==
          "invalid_argument: problem.args[1].fill.offsets: expected a name (letters, digits and _, "
          "at most 64, not a word of the expressions), got 3");
    CHECK(
        error_of("/workloads", Json::parse(R"([{"rows": 2, "cols": 3, "nnz": 7, "fewest": 7}])")) ==
        "invalid_argument: problem.workloads[0]: the workload does not meet "
        "`(nnz) <= ((rows + 1) - 1) * (cols)`");
  }

  TEST_CASE("outputs without order name the output that counts their rows, and each other") {
    const Problem problem = read_problem(pairs_problem());
    CHECK(problem.args[0].unordered->count == "found");
    CHECK(problem.args[0].unordered->with.empty());
    CHECK(problem.args[1].unordered->with == "keys");
    CHECK_FALSE(
        read_problem(patched(pairs_problem(), "/args/1/unordered", false)).args[1].unordered);
    CHECK(problem_error(patched(pairs_problem(), "/args/1/unordered/count", "other")) ==
          "invalid_argument: problem.args[1].unordered.count: `other` is no output of one whole "
          "number");
    CHECK(problem_error(without_count(pairs_problem())) ==
          "invalid_argument: problem.args[1].unordered.with: `keys` has another `count` or another "
          "number of rows");
    for (const char* part : {"/args/0/shape", "/args/0/strides"}) {
      const bool shape = std::string(part) == "/args/0/shape";
      CHECK(problem_error(
                patched(pairs_problem(), part, shape ? Json::array() : Json::array({"1"}))) ==
            "invalid_argument: problem.args[0].unordered: an output in any order has rows: a shape "
            "of one dimension or more, and no `strides`");
    }
  }

  TEST_CASE("a wrong `unordered` is named with its path, what was expected and what came") {
    for (const BadField& c : bad_orders()) {
      CAPTURE(std::string(c.pointer));
      CHECK(problem_error(patched(matmul_problem(), c.pointer, c.value)) == std::string(c.want));
    }
  }

  TEST_CASE("a plan has the values of a fill's expressions") {
    const Problem problem = read_problem(sparse_problem());
    const Workload workload{.dims = {{"rows", 5}, {"cols", 3}, {"nnz", 7}, {"fewest", 7}},
                            .scalars = {}};
    const auto plan = resolve_plan(problem, Kernel{}, workload, {});
    REQUIRE(plan.has_value());
    CHECK(plan->buffers[0].fill_sizes ==
          std::map<std::string, double>{{"columns", 3}, {"fewest", 7}, {"nonzeros", 7}});
    Json form = sparse_problem();
    form["args"][1]["fill"] = {{"kind", "range"}, {"high", "cols // (rows - 5)"}};
    CHECK(
        error_text(resolve_plan(read_problem(form), Kernel{}, workload, {})) ==
        "invalid_argument: argument `col`: fill.high: expression `cols // (rows - 5)`: division by "
        "zero at column 6; here:\n  cols // (rows - 5)\n       ^");
  }
}

}  // namespace ws
