#include "runtime/kernel/plan/plan.h"

#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

const Workload kWorkload = {{{"m", 64}, {"n", 48}, {"k", 32}}, {{"alpha", 0.5}}};

/// matmul_kernel for dims that kWorkload has, resolved with its defaults.
Result<ResolvedPlan> resolve(const Json& kernel_form, const Json& problem_form = matmul_problem()) {
  const Problem problem = read_problem(problem_form);
  const Kernel kernel = read_kernel(kernel_form, problem);
  return resolve_plan(problem, kernel, kWorkload, kernel.defaults);
}

std::string resolve_error(const std::string& pointer, const Json& value) {
  return error_text(resolve(patched(matmul_kernel(), pointer, value)));
}

std::string render_error(const std::string& field, const std::string& text) {
  const Problem problem = read_problem(matmul_problem());
  const Kernel kernel = read_kernel(patched(matmul_kernel(), field, text), problem);
  return error_text(render(kernel, kWorkload, kernel.defaults));
}

}  // namespace

TEST_SUITE("kernel.plan") {
  TEST_CASE("every expression becomes a number") {
    const Result<ResolvedPlan> plan = resolve(matmul_kernel());
    REQUIRE_MESSAGE(plan.has_value(), error_text(plan));
    REQUIRE(plan->buffers.size() == 4);
    CHECK(plan->buffers[0].role == BufferRole::kIn);
    CHECK(plan->buffers[0].shape == std::vector<std::int64_t>{64, 32});
    CHECK(plan->buffers[0].strides == std::vector<std::int64_t>{32, 1});
    CHECK(plan->buffers[2].role == BufferRole::kOut);
    CHECK(plan->buffers[3].name == "partial");
    CHECK(plan->buffers[3].role == BufferRole::kScratch);
    CHECK(plan->buffers[3].bytes() == 2 * 64 * 48 * 4);
    REQUIRE(plan->steps.size() == 1);
    const LaunchStep& step = plan->steps[0];
    CHECK(step.entry == "sgemm<32>");
    CHECK(step.grid == std::array<std::int64_t, 3>{2, 2, 1});
    CHECK(step.block == std::array<std::int64_t, 3>{32, 32, 1});
    REQUIRE(step.args.size() == 6);
    CHECK(step.args[2].buffer == 2);
    CHECK(step.args[3].type == DType::kF32);
    CHECK(step.args[3].float_value == 0.5);
    CHECK(step.args[4].int_value == 2);
    CHECK_FALSE(step.args[4].any_int);
    CHECK(step.args[5].buffer == 3);
    CHECK(step.args[5].byte_offset == 64 * 48 * 4);
    REQUIRE(plan->symbols.size() == 1);
    CHECK(plan->symbols[0].buffer == 0);
  }

  TEST_CASE("what a plan asks of a device beyond plain launches is named") {
    Json form = matmul_kernel();
    CHECK(features_of(*resolve(form)) == Names{"tensor_maps", "cooperative", "pdl"});
    form["launches"][0]["cluster"] = {"1", "K_SPLITS"};
    const auto plan = resolve(form);
    REQUIRE_MESSAGE(plan.has_value(), error_text(plan));
    CHECK(plan->steps[0].cluster == std::array<std::int64_t, 3>{1, 2, 1});
    CHECK(plan->steps[0].cooperative);
    CHECK(plan->steps[0].pdl);
    CHECK(features_of(*plan) == Names{"tensor_maps", "cluster", "cooperative", "pdl"});
    form.erase("tensor_maps");
    form["launches"][0].erase("cooperative");
    form["launches"][0]["pdl"] = false;
    CHECK(features_of(*resolve(form)) == Names{"cluster"});
  }

  TEST_CASE("dims and parameters named alone take the size of the entry's parameter") {
    const auto plan =
        resolve(patched(matmul_kernel(), "/launches/0/args",
                        Json::parse(R"(["k", "BM", {"null": true}, {"value": 1e-5, "type": "f32"},
                                {"value": "0.25", "type": "f64"}, {"value": "m", "type": "f32"},
                                {"buffer": "A"}])")));
    REQUIRE_MESSAGE(plan.has_value(), error_text(plan));
    const std::vector<LaunchArg>& args = plan->steps[0].args;
    CHECK(args[0].any_int);
    CHECK(args[0].int_value == 32);
    CHECK(args[1].any_int);
    CHECK(args[2].kind == LaunchArg::Kind::kNull);
    CHECK(args[3].float_value == 1e-5);
    CHECK(args[4].float_value == 0.25);
    CHECK(args[5].float_value == 64.0);
    CHECK(args[6].text == "A");
  }

  TEST_CASE("a repeat is unrolled with its variable in the expressions") {
    Json form =
        patched(matmul_kernel(), "/launches/0/repeat", {{"var", "s"}, {"count", "log2(k)"}});
    form["launches"][0]["grid"] = {"m // 2**s"};
    form["launches"][0]["args"] = {"s"};
    const auto plan = resolve(form);
    REQUIRE_MESSAGE(plan.has_value(), error_text(plan));
    REQUIRE(plan->steps.size() == 5);
    CHECK(plan->steps[0].grid[0] == 64);
    CHECK(plan->steps[4].grid[0] == 4);
    CHECK(plan->steps[4].args[0].int_value == 4);
    CHECK(plan->steps[4].args[0].any_int);
    form["launches"][0]["repeat"]["count"] = 0;
    CHECK(resolve(form)->steps.empty());
  }

  TEST_CASE("repeats nest, and the inner ones count by the outer variables") {
    Json form = patched(matmul_kernel(), "/launches/0/repeat",
                        {{{"var", "s"}, {"count", "log2(k)"}}, {{"var", "t"}, {"count", "s + 1"}}});
    form["launches"][0]["args"] = {{{"value", "10 * s + s - t"}, {"type", "i32"}}};
    const auto plan = resolve(form);
    REQUIRE_MESSAGE(plan.has_value(), error_text(plan));
    std::vector<std::int64_t> values;
    for (const LaunchStep& step : plan->steps) {
      values.push_back(step.args[0].int_value);
    }
    CHECK(values ==
          std::vector<std::int64_t>{0, 11, 10, 22, 21, 20, 33, 32, 31, 30, 44, 43, 42, 41, 40});
    form["launches"][0]["repeat"][1]["count"] = "s - 1";
    CHECK(error_text(resolve(form)) ==
          "invalid_argument: launches[0].repeat[1].count: `s - 1` is -1, expected at least 0");
  }

  TEST_CASE("a struct has its members in order, and scratch may begin as zeros") {
    Json form =
        patched(matmul_kernel(), "/launches/0/args",
                Json::parse(R"([{"struct": ["k", {"value": 1.5, "type": "f64"}, "alpha"]}])"));
    form["scratch"][0]["zero"] = true;
    const auto plan = resolve(form);
    REQUIRE_MESSAGE(plan.has_value(), error_text(plan));
    const LaunchArg& made = plan->steps[0].args[0];
    REQUIRE(made.members.size() == 3);
    CHECK(made.text == "{k, 1.5, alpha}");
    CHECK(made.members[0].int_value == 32);
    CHECK(made.members[0].type == DType::kI32);
    CHECK(made.members[1].float_value == 1.5);
    CHECK(made.members[2].type == DType::kF32);
    CHECK(plan->buffers[3].zero);
    form["launches"][0]["args"][0]["struct"][1] = {{"value", "k * 10"}, {"type", "u8"}};
    CHECK(error_text(resolve(form)) ==
          "invalid_argument: launches[0].args[0].struct[1]: `k * 10` is 320, which does not fit in "
          "u8");
  }

  TEST_CASE("strides make gaps, and may repeat what is only read") {
    Json form = patched(matmul_problem(), "/args/0/strides", {"k + 3", 1});
    const auto padded = resolve(matmul_kernel(), form);
    CHECK(padded->buffers[0].span == 63 * 35 + 32);
    CHECK_FALSE(padded->buffers[0].contiguous());
    form["args"][0]["strides"] = {0, 1};
    CHECK(resolve(matmul_kernel(), form)->buffers[0].span == 32);
    form["args"][2]["strides"] = {"n - 1", 1};
    CHECK(error_text(resolve(matmul_kernel(), form)) ==
          "invalid_argument: argument `C`: the strides let elements of a written buffer overlap");
    form["args"][2]["strides"] = {1, "m"};
    CHECK(resolve(matmul_kernel(), form)->buffers[2].contiguous());
  }

  TEST_CASE("a buffer without dimensions has one element, one with a zero extent none") {
    Json form = patched(matmul_kernel(), "/scratch/0/shape", Json::array());
    form["launches"][0]["args"] = {"A"};
    CHECK(resolve(form)->buffers[3].span == 1);
    form["scratch"][0]["shape"] = {"m", 0, "n"};
    CHECK(resolve(form)->buffers[3].span == 0);
    CHECK(resolve(form)->buffers[3].bytes() == 0);
  }

  TEST_CASE("what cannot be resolved names the launch and the field") {
    CHECK(resolve_error("/launches/0/grid/1", "m - 64") ==
          "invalid_argument: launches[0].grid[1]: `m - 64` is 0, expected at least 1");
    CHECK(resolve_error("/launches/0/block/0", "m // (n - 48)") ==
          "invalid_argument: launches[0].block[0]: expression `m // (n - 48)`: division by zero at "
          "column 3; here:\n  m // (n - 48)\n    ^");
    CHECK(resolve_error("/launches/0/shared_bytes", "-4") ==
          "invalid_argument: launches[0].shared_bytes: `-4` is -4, expected at least 0");
    CHECK(
        resolve_error("/launches/0/args/5/offset", "2*m*n") ==
        "invalid_argument: launches[0].args[5].offset: `2*m*n` is 6144, outside `partial` of 6144 "
        "elements");
    CHECK(resolve_error("/launches/0/args/4", {{"value", "m*m"}, {"type", "u8"}}) ==
          "invalid_argument: launches[0].args[4]: `m*m` is 4096, which does not fit in u8");
    CHECK(resolve_error("/launches/0/cluster", {"1", "4"}) ==
          "invalid_argument: launches[0].cluster[1]: 4 does not divide the grid's 2 blocks");
    CHECK(resolve_error("/launches/0/cluster", {"m - 64"}) ==
          "invalid_argument: launches[0].cluster[0]: `m - 64` is 0, expected at least 1");
    CHECK(resolve_error("/scratch/0/shape", {"-1"}) ==
          "invalid_argument: scratch[0].shape[0]: `-1` is -1, expected at least 0");
    CHECK(resolve_error("/scratch/0/shape", {"2**40", "2**40"}) ==
          "invalid_argument: scratch[0]: more than 1099511627776 elements");
    CHECK(resolve_error("/scratch/0/shape", {0, "2**62", "2**62"}) ==
          "invalid_argument: scratch[0]: more than 1099511627776 elements");
    CHECK(resolve_error("/launches/0/repeat", {{"var", "s"}, {"count", 5000}}) ==
          "invalid_argument: launches[0]: more than 4096 launches in all");
    CHECK(resolve_error("/launches/0/repeat", {{"var", "s"}, {"count", -1}}) ==
          "invalid_argument: launches[0].repeat.count: `-1` is -1, expected at least 0");
  }
}

TEST_SUITE("kernel.render") {
  TEST_CASE("declared names are substituted in source, macros and entries, specialised dims too") {
    const Problem problem = read_problem(matmul_problem());
    Json form = patched(matmul_kernel(), "/source",
                        "int k = @k@; // @BM@ @other@\n\"@x@ @BN@\" /* @y@ */ '@'");
    form["launches"].push_back(form["launches"][0]);
    const Kernel kernel = read_kernel(form, problem);
    const auto rendered = render(kernel, kWorkload, {{"BM", 16}, {"BN", 8}, {"TILE_K", 4}});
    REQUIRE_MESSAGE(rendered.has_value(), error_text(rendered));
    CHECK(rendered->source == "int k = 32; // 16 @other@\n\"@x@ 8\" /* @y@ */ '@'");
    CHECK(rendered->macros == "#define TILE_K 4\n");
    CHECK(rendered->entries == Names{"sgemm<16>"});
    CHECK(rendered->options == Names{"--use_fast_math"});
    CHECK(rendered->headers.count("util.h") == 1);
  }

  TEST_CASE("an undeclared placeholder is an error with its place, outside strings and comments") {
    CHECK(render_error("/source", "int a;\n  int b = @BX@;\n") ==
          "invalid_argument: `@BX@` is not declared at source:2:11; did you mean `BM`?\n"
          "    int b = @BX@;\n            ^");
    CHECK(render_error("/macros", "#define N @n@") ==
          "invalid_argument: `@n@` is not declared at macros:1:11; list the dim in `specialize` to "
          "compile it in\n  #define N @n@\n            ^");

    struct Case {
      std::string text;
      bool fine;
    };

    const std::vector<Case> cases = {
        {"\"\\\"@Q@\"", true},   {"'\"' @Q@ '\"'", false},   {"// \\\n@Q@", false},
        {"/* * / @Q@ */", true}, {"/*/ @Q@ */ @Q@", false},  {"1'000\n@Q@", false},
        {"a @ b @ c", true},     {"\"a\\\\\" @Q@", false},   {"@@", true},
        {"/* */ @Q@", false},    {"\"\" @BM@ // @Q@", true}, {"@BM@@BN@", true},
    };
    for (const Case& c : cases) {
      CAPTURE(c.text);
      CHECK((render_error("/source", c.text) == "no error") == c.fine);
    }
  }
}

}  // namespace ws
