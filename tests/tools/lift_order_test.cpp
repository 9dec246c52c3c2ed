// Programs that a lift must not get wrong: it is right, or says what it has no form for.
#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"
#include "tests/support/cuir_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A row of `a` in 32 threads: what they sum of its `k` elements.
Json rows_problem() {
  Json problem = Json::parse(R"({
    "name": "rows",
    "dims": {"m": [4], "k": [256]},
    "args": [{"name": "a", "type": "f32", "shape": ["m", "k"], "role": "in", "fill": "normal"},
             {"name": "y", "type": "f32", "shape": ["m", "32"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "rows"}})");
  problem["reference"]["source"] =
      "__global__ void rows(const float* a, float* y, int m, int k) {\n"
      "  float s = 0;\n"
      "  for (int j = threadIdx.x; j < k; j += 32) s += a[blockIdx.x * k + j];\n"
      "  y[blockIdx.x * 32 + threadIdx.x] = s;\n}\n";
  problem["reference"]["launches"] = Json::parse(
      R"([{"entry": "rows", "grid": ["m"], "block": ["32"], "args": ["a", "y", "m", "k"]}])");
  return problem;
}

Json rows_kernel(const std::string& body) {
  return {{"name", "rows"},
          {"language", "cuda"},
          {"source",
           "__global__ void rows(const float* a, float* y, int m, int k) {\n"
           "  int row = blockIdx.x, tx = threadIdx.x;\n  float s = 0;\n" +
               body + "  y[row * 32 + tx] = s;\n}\n"},
          {"launches", rows_problem()["reference"]["launches"]}};
}

Json lifted(const std::string& kernel_id, const Json& more = Json::object()) {
  Json arguments = {{"kernel_id", kernel_id}, {"detail", "full"}};
  arguments.update(more);
  return tools().result("lift_to_ir", arguments);
}

/// The answer of verify_ir about a kernel's lifted program, beside the kernel itself.
Json compared(const std::string& kernel_id) {
  const Json lift = lifted(kernel_id);
  REQUIRE_MESSAGE(lift["verdict"] == "lifted", lift.dump());
  return tools().result("verify_ir",
                        {{"kernel_id", kernel_id}, {"ir", lift["ir"]}, {"schedules", 2}});
}

bool has(const Json& lift, const std::string& text) {
  return lift["ir"].get<std::string>().find(text) != std::string::npos;
}

std::size_t place(const std::string& ir, const std::string& text) {
  const std::size_t at = ir.find(text);
  REQUIRE_MESSAGE(at != std::string::npos, text, "\n", ir);
  return at;
}

/// A kernel of examples/kernels with a text that is there once replaced.
std::string changed(const std::string& name, const std::string& old, const std::string& now) {
  const auto form = [](const std::string& path) {
    return Json::parse(ir::repository_file("examples/kernels/" + path + ".json"));
  };
  Json kernel = form(name);
  std::string source = kernel["source"];
  const std::size_t at = source.find(old);
  REQUIRE(at != std::string::npos);
  kernel["source"] = source.replace(at, old.size(), now);
  const std::string folder = name.substr(0, name.find('/'));
  return tools().result("compile_kernel",
                        {{"problem", form(folder + "/problem")}, {"kernel", kernel}})["kernel_id"];
}

}  // namespace

TEST_SUITE("tools.lift_order") {
  TEST_CASE("a loop that counts down stays in its row") {
    const std::string id = tools().compiled(
        rows_problem(), rows_kernel("  for (int bk = k - 32; bk >= 0; bk -= 32) {\n"
                                    "    s += a[row * k + bk + tx];\n  }\n"));
    const Json checked = compared(id);
    CHECK_MESSAGE(checked["verdict"] == "ok", checked.dump());
  }

  TEST_CASE("what a condition keeps from being read is not read") {
    const std::string id = tools().compiled(
        rows_problem(), rows_kernel("  float next = a[row * k + tx];\n"
                                    "  for (int bk = 0; bk < k; bk += 32) {\n"
                                    "    float now = next;\n"
                                    "    if (bk + 32 < k) next = a[row * k + bk + 32 + tx];\n"
                                    "    s += now;\n  }\n"));
    const Json checked = compared(id);
    CHECK_MESSAGE(checked["verdict"] == "ok", checked.dump());
  }

  TEST_CASE("the smaller of two integers, and a choice, stay integers of the program") {
    const Json smaller = lifted(changed("gemm-f16/cp_async", "const int tiles = (k + BK - 1) / BK;",
                                        "const int tiles = min((k + BK - 1) / BK, row0 / BM + 2);"),
                                {{"workload", {{"m", 128}, {"n", 256}, {"k", 640}}}});
    CHECK(smaller["verdict"] == "lifted");
    CHECK(has(smaller, "tiles = "));
    const Json choice =
        lifted(changed("attention-f16/cp_async", "const int tiles = (t + BN - 1) / BN;",
                       "const int tiles = blockIdx.x > 3 ? (t + BN - 1) / BN : 2;"),
               {{"workload", {{"heads", 2}, {"kv_heads", 1}, {"s", 128}, {"t", 700}, {"d", 64}}}});
    CHECK(choice["verdict"] == "lifted");
    CHECK(has(choice, "tiles = "));
  }

  TEST_CASE("a hole says why it is one") {
    const Json bits =
        lifted(changed("gemm-f16/cp_async", "acc[i][j][half_row * 2], acc",
                       "__uint_as_float(__float_as_uint(acc[i][j][half_row * 2]) ^ 1u), acc"),
               {{"workload", {{"m", 128}, {"n", 256}, {"k", 640}}}});
    CHECK(bits["verdict"] == "partial");
    REQUIRE(bits["holes"].size() == 1);
    CHECK(bits["holes"][0]["why"] == "`__uint_as_float` is not known");
  }

  TEST_CASE("what a kernel calls like a word of CuIR gets another name") {
    const auto form = [](const std::string& path) {
      return Json::parse(ir::repository_file("examples/kernels/gemm-f16/" + path + ".json"));
    };
    const auto verdict = [&](const std::string& source) {
      Json kernel = form("cp_async");
      kernel["source"] = source;
      const Json stored =
          tools().result("compile_kernel", {{"problem", form("problem")}, {"kernel", kernel}});
      return lifted(stored["kernel_id"],
                    {{"workload", {{"m", 128}, {"n", 256}, {"k", 640}}}})["verdict"];
    };
    const std::string source = form("cp_async")["source"];
    const std::string entry = "__global__ __launch_bounds__(256) void gemm";
    for (const char* name : {"cdiv", "load", "store", "full", "mma", "sum", "barrier", "where"}) {
      CAPTURE(std::string(name));
      const std::string helper =
          "__device__ int " + std::string(name) + "(int a, int b) { return (a + b - 1) / b; }\n\n";
      CHECK(verdict(replaced(replaced(source, entry, helper + entry), "(k + BK - 1) / BK",
                             std::string(name) + "(k, BK)")) == "lifted");
    }
    for (const char* name : {"in", "is", "lambda", "mean", "load", "self", "run"}) {
      CAPTURE(std::string(name));
      std::string renamed = source;
      for (std::size_t at = renamed.find("tiles"); at != std::string::npos;
           at = renamed.find("tiles", at + 1)) {
        renamed.replace(at, 5, name);
      }
      CHECK(verdict(renamed) == "lifted");
    }
  }

  TEST_CASE("arguments of a problem may have names of operations and keywords") {
    for (const auto& [input, output] :
         {std::pair("mean", "load"), {"in", "sum"}, {"self", "run"}, {"exp", "gridDim"}}) {
      CAPTURE(std::string(input));
      Json problem = rows_problem();
      problem["args"][0]["name"] = input;
      problem["args"][1]["name"] = output;
      problem["reference"]["launches"][0]["args"] = {input, output, "m", "k"};
      Json kernel = rows_kernel("  for (int j = tx; j < k; j += 32) s += a[row * k + j];\n");
      kernel["launches"] = problem["reference"]["launches"];
      const Json checked = compared(tools().compiled(problem, kernel));
      CHECK_MESSAGE(checked["verdict"] == "ok", checked.dump());
    }
  }

  TEST_CASE("an integer without a form is reported, and is no name without a value") {
    const Json odd = lifted(changed("gemm-f16/cp_async", "const int tiles = (k + BK - 1) / BK;",
                                    "const int tiles = (k + BK - 1) / BK - __popc(k % 2);"),
                            {{"workload", {{"m", 128}, {"n", 256}, {"k", 640}}}});
    CHECK(odd["verdict"] != "lifted");
    CHECK_FALSE(odd["not_lifted"].empty());
  }

  TEST_CASE("where threads part and meet again, what comes after stays after") {
    Json problem = rows_problem();
    problem["args"][0]["shape"] = {"m", "64"};
    problem["args"][1]["shape"] = {"m", "64"};
    problem["reference"]["source"] =
        "__global__ void rows(const float* a, float* y, int m, int k) {\n"
        "  int i = blockIdx.x * 32 + threadIdx.x;\n"
        "  for (; i < m * 64; i += gridDim.x * 32) y[i] = 2 * a[i];\n}\n";
    Json kernel = {{"name", "doubled"},
                   {"language", "cuda"},
                   {"source", ir::repository_file("tests/lift/kernels/meets_again.cu")}};
    kernel["launches"] = Json::parse(
        R"([{"entry": "doubled", "grid": ["m // 4"], "block": ["256"], "args": ["tmX", "tmY"]}])");
    kernel["tensor_maps"] = Json::parse(
        R"([{"name": "tmX", "of": "a", "box": ["64", "4"]},
            {"name": "tmY", "of": "y", "box": ["64", "4"]}])");
    const Json stored =
        tools().result("compile_kernel", {{"problem", problem}, {"kernel", kernel}});
    const Json lift = lifted(stored["kernel_id"]);
    CHECK(lift["not_lifted"].empty());
    const std::string program = lift["ir"];
    const std::size_t arrival = place(program, "arrive");
    const std::size_t wait = place(program, ".wait(");
    CHECK(place(program, "copy_async(self.tile") < arrival);
    CHECK(arrival < wait);
    CHECK(wait < place(program, "copy_async(self.y"));
    CHECK(program.find("copy_async(self.y") == program.rfind("copy_async(self.y"));
    const Json checked = tools().result("verify_ir", {{"ir", program},
                                                      {"problem_id", stored["problem_id"]},
                                                      {"mode", "race_only"},
                                                      {"schedules", 2}});
    CHECK_MESSAGE(checked["verdict"] == "ok", checked.dump());
  }
}

}  // namespace ws::test
