#include <doctest/doctest.h>

#include "runtime/kernel/form/baseline_form.h"
#include "runtime/kernel/form/test_forms.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

using Json = nlohmann::json;

struct BadField {
  const char* pointer;
  Json value;
  const char* want;
};

std::string problem_error(const Json& form) {
  return error_text(problem_from_json(form));
}

const std::vector<BadField>& bad_fields() {
  static const std::vector<BadField> rows = {
      {"/tollerance", 1,
       "invalid_argument: problem: unknown field `tollerance`; did you mean `tolerance`?"},
      {"/dims", 3, "invalid_argument: problem.dims: expected an object, got 3"},
      {"/dims/m", 3,
       "invalid_argument: problem.dims.m: expected a list of values, {values, min, max, "
       "multiple_of} or {range}, got 3"},
      {"/dims/m", Json::array(),
       "invalid_argument: problem.dims.m: expected a list of 1 to 4096 items, got a list of 0 "
       "items"},
      {"/dims/m/0", -1,
       "invalid_argument: problem.dims.m[0]: expected an integer from 0 to 1099511627776, got -1"},
      {"/dims/m/1", 1024, "invalid_argument: problem.dims.m[1]: 1024 is listed twice"},
      {"/dims/k/values/0", 9000,
       "invalid_argument: problem.dims.k: value 9000 is not a multiple of 1 from 1 to 8192"},
      {"/dims/k/maximum", 1,
       "invalid_argument: problem.dims.k: unknown field `maximum`; "
       "known: values, min, max, multiple_of, range"},
      {"/dims/max", Json::array({1}),
       "invalid_argument: problem.dims.max: expected a name (letters, digits and _, at most 64, "
       "not a word of the expressions), got \"max\""},
      {"/dims/m", Json{{"range", {1, 100000}}},
       "invalid_argument: problem.dims.m.range: the range has more than 4096 values"},
      {"/valid/0", "m = n",
       "invalid_argument: problem.valid[0]: expression `m = n`: unexpected character `=` at column "
       "3; here:\n  m = n\n    ^"},
      {"/valid",
       {"m == 1"},
       "invalid_argument: problem: no choice of the listed dims and scalars meets `valid`"},
      {"/args", Json::array(),
       "invalid_argument: problem.args: expected a list of 1 to 64 items, got a list of 0 items"},
      {"/args/0/type", "f12",
       "invalid_argument: problem.args[0].type: expected an element type, got \"f12\"; types: f64 "
       "f32 tf32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 u64 u32 u16 u8 bool"},
      {"/args/0/role", "input",
       "invalid_argument: problem.args[0].role: expected `in`, `out`, `inout` or `scalar`, got "
       "\"input\""},
      {"/args/0/shape/1", "q",
       "invalid_argument: problem.args[0].shape[1]: expression `q`: unknown name `q` at column 1; "
       "known: k, m, n\n  q\n  ^"},
      {"/args/0/shape/1", "m / 2",
       "invalid_argument: problem.args[0].shape[1]: expression `m / 2`: `/` is not an integer "
       "operation at column 3; use `//` (floor) or `cdiv` (ceiling)\n  m / 2\n    ^"},
      {"/args/1/name", "A", "invalid_argument: problem.args[1]: `A` is declared already"},
      {"/args/1/name", "m", "invalid_argument: problem.args[1]: `m` is declared already"},
      {"/args/2/role", "in",
       "invalid_argument: problem.args: no argument has role `out` or `inout`"},
      {"/args/2/fill", "zeros",
       "invalid_argument: problem.args[2].fill: an output has no `fill`; "
       "role `inout` starts from its fill"},
      {"/args/1/fill/mean", "x",
       "invalid_argument: problem.args[1].fill.mean: expected a finite number, got \"x\""},
      {"/args/3/shape", {"m"}, "invalid_argument: problem.args[3].shape: a scalar has no `shape`"},
      {"/args/3/values", Json::array(),
       "invalid_argument: problem.args[3].values: expected a list of 1 to 64 items, got a list of "
       "0 items"},
      {"/args/0/domain",
       {2, 1},
       "invalid_argument: problem.args[0].domain: the low end is above the high end"},
      {"/args/0/strides",
       {"k"},
       "invalid_argument: problem.args[0].strides: expected a list of 2 items, got a list of 1 "
       "item"},
      {"/tolerance/rtol", -1,
       "invalid_argument: problem.tolerance.rtol: expected a number of at least 0, got -1"},
      {"/tolerance", Json{{"A", Json::object()}},
       "invalid_argument: problem.tolerance: unknown field `A`; known: C, rtol, atol"},
      {"/difficulty", 6,
       "invalid_argument: problem.difficulty: expected an integer from 0 to 5, got 6"},
      {"/flops", "alpha",
       "invalid_argument: problem.flops: expression `alpha`: unknown name `alpha` at column 1; "
       "known: k, m, n\n  alpha\n  ^"},
      {"/reference", Json::object(),
       "invalid_argument: problem.reference: field `kind` is missing"},
      {"/reference/kind", "numpy",
       "invalid_argument: problem.reference.kind: expected `kernel`, `first_kernel`, `cuir` or "
       "`python`, got \"numpy\""},
      {"/reference/kind", "python",
       "invalid_argument: problem.reference: unknown field `entry`; known: kind, source"},
      {"/reference", Json{{"kind", "cuir"}},
       "invalid_argument: problem.reference: field `source` is missing"},
      {"/reference", Json{{"kind", "cuir"}, {"source", ""}},
       "invalid_argument: problem.reference.source: may not be empty"},
      {"/reference/entry", "", "invalid_argument: problem.reference.entry: may not be empty"},
      {"/reference", Json{{"kind", "kernel"}, {"source", "x"}},
       "invalid_argument: problem.reference: field `launches` is missing"},
      {"/workloads", Json::parse(R"([{"m": 1024, "n": 1024}])"),
       "invalid_argument: problem.workloads[0]: dim `k` is missing"},
      {"/workloads", Json::parse(R"([{"m": 1024, "n": 2048, "k": 2048}])"),
       "invalid_argument: problem.workloads[0]: the workload does not meet `m == n`"},
      {"/workloads", Json::parse(R"([{"m": 5, "n": 5, "k": 5}])"),
       "invalid_argument: problem.workloads[0]: dim `m`: expected one of 1024, 2048, got 5"},
  };
  return rows;
}

}  // namespace

TEST_SUITE("kernel.problem_form") {
  TEST_CASE("the contract's problem is read, every field of it") {
    const Problem problem = read_problem(matmul_problem());
    CHECK(problem.name == "matmul_f32");
    CHECK(problem.op == "matmul");
    REQUIRE(problem.dims.size() == 3);
    CHECK(problem.dims[0].name == "k");
    CHECK(problem.dims[0].open);
    CHECK(problem.dims[0].max == 8192);
    CHECK_FALSE(problem.dims[1].open);
    REQUIRE(problem.args.size() == 4);
    CHECK(problem.args[1].fill.params.at("mean") == 0.5);
    CHECK(problem.args[3].values == std::vector<double>{1.0, 0.5});
    CHECK(problem.tolerance->rtol == 1e-4);
    CHECK(problem.difficulty == 3);
    CHECK(problem.reference_trusted);
    CHECK(expand_workloads(problem)->size() == 4);
  }

  TEST_CASE("a wrong field is named with its path, what was expected and what came") {
    for (const BadField& c : bad_fields()) {
      CAPTURE(std::string(c.pointer));
      CHECK(problem_error(patched(matmul_problem(), c.pointer, c.value)) == std::string(c.want));
    }
  }

  TEST_CASE("a missing field is named") {
    CHECK(problem_error(without(matmul_problem(), "args")) ==
          "invalid_argument: problem: field `args` is missing");
    CHECK(problem_error(without(matmul_problem(), "reference")) ==
          "invalid_argument: problem: field `reference` is missing");
    CHECK(problem_error(Json::array()) ==
          "invalid_argument: problem: expected an object, got a list of 0 items");
  }

  TEST_CASE("text that is not JSON or is nested deeply is refused") {
    CHECK(error_text(parse_problem("{")) == "invalid_argument: problem: not JSON");
    CHECK(error_text(parse_problem("{\"name\": \"\xff\"}")) ==
          "invalid_argument: problem: not JSON");
    CHECK(error_text(parse_problem(std::string(10000, '[') + std::string(10000, ']'))) ==
          "invalid_argument: problem: nested more than 64 deep");
  }

  TEST_CASE("a problem names the baseline of its rewards: its reference, or a kernel") {
    const auto with = [](const Json& baseline) {
      Json problem = matmul_problem();
      problem["baseline"] = baseline;
      return problem;
    };
    CHECK_FALSE(named_baseline(read_problem(matmul_problem())).value().has_value());
    CHECK(named_baseline(read_problem(with("reference"))).value()->kernel == nullptr);
    Json kernel = matmul_problem()["reference"];
    kernel.erase("kind");
    kernel.erase("entry");
    kernel["launches"] =
        Json::array({{{"entry", "reference"}, {"grid", {"1"}}, {"block", {"1"}}, {"args", {"C"}}}});
    const auto named = named_baseline(read_problem(with(kernel)));
    REQUIRE(named.value()->kernel != nullptr);
    CHECK(named.value()->kernel->launches.size() == 1);
    CHECK(problem_error(with("root")) ==
          "invalid_argument: problem.baseline: expected `reference` or a kernel, got \"root\"");
    CHECK(problem_error(with(7)) ==
          "invalid_argument: problem.baseline: expected `reference` or a kernel, got 7");
    Json program = with("reference");
    program["reference"] = {{"kind", "first_kernel"}};
    CHECK(problem_error(program) ==
          "invalid_argument: problem.baseline: a reference of kind `first_kernel` is no baseline: "
          "it is not the problem's own, or has no time on a device; send a kernel as the "
          "`baseline`");
  }

  TEST_CASE("a reference with an entry and no launches gets one thread for each output element") {
    const Problem problem = read_problem(matmul_problem());
    const Kernel& reference = *problem.reference;
    REQUIRE(reference.launches.size() == 1);
    const LaunchSpec& launch = reference.launches[0];
    CHECK(launch.entry == "reference");
    CHECK(launch.grid == Names{"max(1, cdiv(1*(m)*(n), 256))"});
    CHECK(launch.block == Names{"256"});
    std::string order;
    for (const LaunchArgSpec& arg : launch.args) {
      order += arg.name + " ";
    }
    CHECK(order == "A B C alpha k m n ");
  }

  TEST_CASE("acc_t is double in a trusted reference that does not declare it") {
    const auto options = [](const char* source) {
      return read_problem(patched(matmul_problem(), "/reference/source", source))
          .reference->options.size();
    };
    CHECK(options("acc_t sum = 0;") == 1);
    CHECK(options("float sum = 0;") == 0);
    CHECK(options("typedef double acc_t;") == 0);
    CHECK(options("using acc_t = double; acc_t x;") == 0);
  }

  TEST_CASE("dims may be a range, or come from the listed workloads") {
    const Problem ranged =
        read_problem(patched(matmul_problem(), "/dims/m", {{"range", {1024, 4096, 1024}}}));
    CHECK(ranged.dims[1].values == std::vector<std::int64_t>{1024, 2048, 3072, 4096});
    Json listed = without(matmul_problem(), "dims");
    listed["workloads"] =
        Json::parse(R"([{"m": 8, "n": 8, "k": 8}, {"m": 16, "n": 16, "k": 16, "alpha": 0.5}])");
    const Problem problem = read_problem(listed);
    REQUIRE(problem.dims.size() == 3);
    CHECK(problem.dims[2].values == std::vector<std::int64_t>{8, 16});
    const auto workloads = expand_workloads(problem);
    REQUIRE(workloads->size() == 2);
    CHECK(to_json_text((*workloads)[0]) == R"({"alpha":1.0,"k":8,"m":8,"n":8})");
    CHECK(to_json_text((*workloads)[1]) == R"({"alpha":0.5,"k":16,"m":16,"n":16})");
  }

  TEST_CASE("a tolerance may be given for each output, in either place") {
    const Json one = Json{{"rtol", 0.5}};
    const Problem named = read_problem(patched(matmul_problem(), "/tolerance", {{"C", one}}));
    CHECK(named.args[2].tolerance->rtol == 0.5);
    CHECK_FALSE(named.tolerance.has_value());
    const Problem inside = read_problem(patched(matmul_problem(), "/args/2/tolerance", one));
    CHECK(inside.args[2].tolerance->rtol == 0.5);
    CHECK(inside.tolerance->rtol == 1e-4);
  }

  TEST_CASE("integer scalars are whole and in range of their type") {
    Json form = patched(matmul_problem(), "/args/3/type", "i8");
    CHECK(problem_error(form) ==
          "invalid_argument: problem.args[3].values[1]: expected an integer from -128 to 127, got "
          "0.5");
    form["args"][3]["values"] = {128};
    CHECK(problem_error(form) ==
          "invalid_argument: problem.args[3].values[0]: expected an integer from -128 to 127, got "
          "128");
    form["args"][3]["values"] = {-128, 127};
    CHECK(problem_error(form) == "no error");
    form["args"][3]["type"] = "bool";
    form["args"][3]["values"] = {true, false, 1};
    CHECK(problem_error(form) == "no error");
    form["args"][3]["type"] = "u64";
    form["args"][3]["values"] = {-1};
    CHECK(problem_error(form) ==
          "invalid_argument: problem.args[3].values[0]: expected an integer from 0 to "
          "9007199254740992, got -1");
  }
}

}  // namespace ws
