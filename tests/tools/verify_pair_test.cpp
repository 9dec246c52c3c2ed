// verify_ir with two kernels: of one problem, and of two.
#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/support/tile_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json arg(const char* name, const char* type, const Json& shape, const char* role) {
  return {{"name", name}, {"type", type}, {"shape", shape}, {"role", role}};
}

Json dim(int listed) {
  return {{"values", {listed}}, {"min", 1}, {"max", 200}};
}

/// y = x by rows of 16 columns a block, in Triton.
std::string triton_rows(const std::string& body) {
  return "import triton\nimport triton.language as tl\n\n@triton.jit\n"
         "def k(x, y, m, n, B: tl.constexpr):\n    row = tl.program_id(0)\n"
         "    i = tl.program_id(1) * B + tl.arange(0, B)\n" +
         body;
}

/// y[m, n] = 3 x[m, n] + m, as `reference` has it.
Json scaled_problem(const Json& reference) {
  return {{"name", "scaled"},
          {"dims", {{"m", dim(5)}, {"n", dim(40)}}},
          {"args", {arg("x", "f32", {"m", "n"}, "in"), arg("y", "f32", {"m", "n"}, "out")}},
          {"reference", reference}};
}

Json first_kernel() {
  return {{"kind", "first_kernel"}};
}

Json triton_kernel(const std::string& body) {
  return {{"name", "rows"},
          {"language", "triton"},
          {"source", triton_rows(body)},
          {"launches",
           {{{"entry", "k"},
             {"grid", {"m", "cdiv(n, 16)"}},
             {"args", {"x", "y", "m", "n", {{"value", "16"}, {"type", "i32"}}}}}}}};
}

const std::string kRight =
    "    v = tl.load(x + row * n + i, mask=i < n, other=0.0)\n"
    "    tl.store(y + row * n + i, 3 * v + row, mask=i < n)\n";

/// The same on arrays that lie the other way round: X[columns, rows].
std::string transposed(const std::string& value) {
  return "__global__ void turned(const float* X, float* Y, int M, int N) {\n"
         "  int i = blockIdx.x * 32 + threadIdx.x;\n"
         "  if (i < M * N) Y[i] = " +
         value + ";\n}\n";
}

Json turned_problem() {
  return {{"name", "turned"},
          {"dims", {{"M", dim(5)}, {"N", dim(40)}}},
          {"args", {arg("X", "f32", {"N", "M"}, "in"), arg("Y", "f32", {"N", "M"}, "out")}},
          {"reference", first_kernel()}};
}

Json turned_kernel(const std::string& value) {
  return {{"name", "turned"},
          {"language", "cuda"},
          {"source", transposed(value)},
          {"launches",
           {{{"entry", "turned"},
             {"grid", {"cdiv(M*N, 32)"}},
             {"block", {"32"}},
             {"args", {"X", "Y", "M", "N"}}}}}};
}

std::string right_rows() {
  static const std::string id =
      tools().compiled(scaled_problem(first_kernel()), triton_kernel(kRight));
  return id;
}

std::string turned() {
  static const std::string id =
      tools().compiled(turned_problem(), turned_kernel("3 * X[i] + i % M"));
  return id;
}

Json against(const std::string& kernel, const std::string& other, Json more = Json::object()) {
  more["kernel_id"] = kernel;
  more["against"] = other;
  return tools().result("verify_ir", more);
}

/// Picks elements by an index that counts from `base`.
Json picked_problem(int base) {
  Json index = arg("index", "i32", {"m"}, "in");
  index["fill"] = {{"kind", "range"}, {"low", base}, {"high", 40 + base}};
  return {{"name", "picked" + std::to_string(base)},
          {"dims", {{"m", dim(30)}, {"n", {40}}}},
          {"args", {arg("x", "f32", {"n"}, "in"), index, arg("y", "f32", {"m"}, "out")}},
          {"reference", first_kernel()}};
}

std::string picking(int base) {
  return tools().compiled(
      picked_problem(base),
      {{"name", "pick"},
       {"language", "cuda"},
       {"source",
        "__global__ void pick(const float* x, const int* index, float* y, int m) {\n"
        "  int i = blockIdx.x * 32 + threadIdx.x;\n  if (i < m) y[i] = x[index[i] - " +
            std::to_string(base) + "];\n}\n"},
       {"launches",
        {{{"entry", "pick"},
          {"grid", {"cdiv(m, 32)"}},
          {"block", {"32"}},
          {"args", {"x", "index", "y", "m"}}}}}});
}

}  // namespace

TEST_SUITE("tools.verify_pair") {
  TEST_CASE("two kernels of one problem are equal, or the place where they differ is told") {
    const std::string same = tools().compiled(
        scaled_problem(first_kernel()),
        triton_kernel("    v = tl.load(x + row * n + i, mask=i < n)\n"
                      "    tl.store(y + row * n + i, v + v + v + row, mask=i < n)\n"));
    const Json equal = against(same, right_rows(), {{"seed", 7}});
    CHECK(equal["verdict"] == "ok");
    CHECK(equal["summary"] == "ok: " + same + " gave the outputs of " + right_rows() + " in " +
                                  equal["runs_total"].dump() + " runs");
    CHECK(equal["runs_total"] >= 10);
    CHECK(equal["seed"] == 7);
    CHECK(equal["against"] == right_rows());
    CHECK(equal["binding"] == Json{{"dims", {{"m", "m"}, {"n", "n"}}},
                                   {"args",
                                    {{"x", {{"other", "x"}, {"order", {0, 1}}}},
                                     {"y", {{"other", "y"}, {"order", {0, 1}}}}}}});
    CHECK(equal["next_steps"][0]["tool"] == "validate");
    CHECK_NOTHROW(tools().result("validate", equal["next_steps"][0]["arguments"]));

    // The last column is left out where n is no multiple of 16, as a position from 1 would do.
    const std::string short_of =
        tools().compiled(scaled_problem(first_kernel()),
                         triton_kernel("    v = tl.load(x + row * n + i, mask=i < n, other=0.0)\n"
                                       "    v = tl.where((i + 1 < n) | (n % 16 == 0), v, 0.0)\n"
                                       "    tl.store(y + row * n + i, 3 * v + row, mask=i < n)\n"));
    const Json wrong = against(short_of, right_rows());
    CHECK(wrong["verdict"] == "incorrect");
    CHECK(wrong["worst"]["output"] == "y");
    CHECK(wrong["worst"]["index"][1].get<int>() + 1 == wrong["worst"]["workload"]["n"]);
    CHECK(wrong["next_steps"][0].contains("why"));
  }

  TEST_CASE("a binding for arrays the other way round is found") {
    const Json equal = against(right_rows(), turned(), {{"detail", "full"}});
    INFO(equal.dump(1));
    CHECK(equal["verdict"] == "ok");
    CHECK(equal["binding"] == Json{{"dims", {{"M", "m"}, {"N", "n"}}},
                                   {"args",
                                    {{"x", {{"other", "X"}, {"order", {1, 0}}}},
                                     {"y", {{"other", "Y"}, {"order", {1, 0}}}}}}});
    const std::string other = tools().compiled(turned_problem(), turned_kernel("3 * X[i] + i / N"));
    CHECK(against(right_rows(), other)["verdict"] == "incorrect");
    // And the other way: CUDA against Triton.
    CHECK(against(turned(), right_rows())["verdict"] == "ok");
  }

  TEST_CASE("indices may begin with another number") {
    const std::string from_0 = picking(0);
    const std::string from_1 = picking(1);
    const Json shifted = {{"args", {{"index", {{"other", "index"}, {"add", 1}}}}}};
    CHECK(against(from_0, from_1, {{"binding", shifted}})["verdict"] == "ok");
    const Json beyond = {{"args", {{"index", {{"other", "index"}, {"add", 41}}}}}};
    const Json wrong = against(from_0, from_1, {{"binding", beyond}});
    CHECK(wrong["verdict"] == "invalid_reference");
    CHECK(
        wrong["message"].get<std::string>().starts_with("the other kernel, `pick`, went wrong: "));
  }

  TEST_CASE("a kernel that reads outside is out_of_bounds, whatever it is compared with") {
    const std::string outside =
        tools().compiled(scaled_problem(first_kernel()),
                         triton_kernel("    v = tl.load(x + row * n + i)\n"
                                       "    tl.store(y + row * n + i, 3 * v + row, mask=i < n)\n"));
    CHECK(against(outside, right_rows())["verdict"] == "out_of_bounds");
  }

  TEST_CASE("only sizes that both take are run") {
    Json few = turned_kernel("3 * X[i] + i % M");
    few["constraints"] = {"M <= 8", "N == 40"};
    const std::string narrow = tools().compiled(turned_problem(), few);
    const Json equal = against(right_rows(), narrow);
    CHECK(equal["verdict"] == "ok");
    for (const Json& run : equal["runs"]) {
      CHECK(run["workload"]["n"] == 40);
      CHECK(run["workload"]["m"] <= 8);
    }
    CHECK(tools().refusal("verify_ir", {{"kernel_id", right_rows()},
                                        {"against", narrow},
                                        {"workload", {{"m", 9}, {"n", 40}}}}) ==
          "invalid_argument: none of the sizes is one that both kernels take; give `workload` "
          "sizes that the problems and the constraints of both allow");
  }

  TEST_CASE("whole numbers are compared, from any base") {
    Json whole = picked_problem(0);
    whole["dims"]["m"] = {{"values", {3000}}, {"min", 1}, {"max", 5000}};
    whole["args"][2]["type"] = "i32";
    const auto counting = [&](const std::string& end) {
      return tools().compiled(
          whole, {{"name", "count"},
                  {"language", "cuda"},
                  {"source",
                   "__global__ void count(const float* x, const int* index, int* y, int m) {\n"
                   "  int i = blockIdx.x * 32 + threadIdx.x;\n"
                   "  if (i < m) y[i] = i + (x[index[i]] > 0 ? 1 : 0);" +
                       end + "\n}\n"},
                  {"launches",
                   {{{"entry", "count"},
                     {"grid", {"cdiv(m, 32)"}},
                     {"block", {"32"}},
                     {"args", {"x", "index", "y", "m"}}}}}});
    };
    for (int seed = 0; seed < 6; ++seed) {
      CHECK(against(counting(" "), counting("  "), {{"seed", seed}})["verdict"] == "ok");
    }
    CHECK(against(counting(" if (i == 3) y[i] = 9;"), counting(" "))["verdict"] == "incorrect");
    const std::string from_1 = counting(" if (i < m) y[i] += 1;");
    const Json shifted = {{"args", {{"y", {{"other", "y"}, {"add", 1}}}}}};
    CHECK(against(counting(" "), from_1, {{"binding", shifted}})["verdict"] == "ok");
    CHECK(against(counting(" "), from_1)["verdict"] == "incorrect");
  }

  TEST_CASE("rows that an output counts are compared in any order") {
    const auto part = [](const std::string& name) {
      const Result<std::string> text =
          read_file(source_dir() / "examples/kernels/compaction" / (name + ".json"));
      REQUIRE(text.has_value());
      return Json::parse(*text);
    };
    const std::string by_value = tools().compiled(part("problem"), part("atomic_per_value"));
    const std::string by_warp = tools().compiled(part("problem"), part("atomic_per_warp"));
    const Json equal = against(by_value, by_warp);
    INFO(equal["summary"].dump());
    CHECK(equal["verdict"] == "ok");
    CHECK(against(by_warp, by_value)["verdict"] == "ok");
  }

  TEST_CASE("parameters that the constraints forbid are not tried") {
    Json tied = turned_kernel("3 * X[i] + i % M");
    tied["params"] = {{"U", {1, 2}}, {"W", {1, 2}}};
    tied["constraints"] = {"U == W"};
    CHECK(against(tools().compiled(turned_problem(), tied), right_rows())["verdict"] == "ok");
  }

  TEST_CASE("each wrong call is told what is missing") {
    const std::string two =
        "`ir` is a program; without it, `kernel_id` is a kernel and `against` another one";
    const std::string error = "invalid_argument: ";
    const std::string kernel = right_rows();

    const struct {
      Json arguments;
      std::string want;
    } rows[] = {
        {Json::object(), error + "`ir` is missing; " + two},
        {{{"kernel_id", kernel}}, error + "`ir` is missing; " + two},
        {{{"ir", "x"}, {"against", kernel}}, error + "give only one of `ir` and `against`; " + two},
        {{{"ir", "x"}, {"binding", Json::object()}},
         error + "`binding` needs `against`; it says how the arguments of two kernels correspond"},
        {{{"against", kernel}},
         error + "`against` needs a `kernel_id`; two kernels have their problems already"},
        {{{"kernel_id", kernel}, {"against", turned()}, {"target_ir", "x"}},
         error + "`against` goes with `kernel_id` alone; two kernels have their problems already"},
        {{{"kernel_id", kernel}, {"against", turned()}, {"mode", "f32"}},
         error + "`mode` is for programs; leave it out beside `against`: kernels are validated at "
                 "level "
                 "standard"},
        {{{"kernel_id", kernel}, {"against", kernel}},
         error + "`against` is the same kernel; give the kernel that it was translated from"},
        {{{"kernel_id", kernel}, {"against", turned()}, {"binding", {{"dims", {{"N", "2*n"}}}}}},
         error + "no order of dimensions makes the shapes of the two problems agree; "
                 "say in `binding` what differs: `dims` has each dim of the other problem as an "
                 "expression "
                 "over `m`, `n`, and `order` in `args` the dimensions of an argument"},
    };

    for (const auto& row : rows) {
      CAPTURE(row.arguments.dump());
      CHECK(tools().refusal("verify_ir", row.arguments) == row.want);
    }
  }
}

}  // namespace ws::test
