// The CPU engine looks at kernels that are right on a GPU. The fake driver's `add_one` adds one
// whatever the text of the kernel is, as a GPU may hide a mistake; the engine runs the text.
#include <doctest/doctest.h>

#include "tests/support/fake_gpus.h"
#include "tests/support/tool_bench.h"
#include "tools/evidence/validation_form.h"

namespace ws::test {
namespace {

/// In line 2 and on; 64 threads of one block.
Json with_body(const std::string& body, const std::string& before = "") {
  Json kernel = bump_kernel("add_one");
  kernel["source"] = before + "__global__ void add_one(int* values, int n) {\n" + body + "\n}\n";
  return kernel;
}

constexpr const char* kLoop = "  for (int i = threadIdx.x; i < n; i += blockDim.x) ";

Json validated(ToolBench& bench, const Json& kernel, const std::string& level = "quick") {
  return bench.result("validate",
                      {{"kernel_id", bench.compiled(bump_problem(), kernel)}, {"level", level}});
}

}  // namespace

TEST_SUITE("tools.engine_check") {
  TEST_CASE("a right kernel passes on both") {
    ToolBench bench(1);
    for (const char* level : {"quick", "standard"}) {
      const Json answer = validated(bench, bump_kernel("add_one"), level);
      CHECK(answer["verdict"] == "passed");
      CHECK(answer["engine_check"]["verdict"] == "passed");
      CHECK(answer["engine_check"]["runs"] > 0);
      const std::string told =
          answer["kernel_id"].get<std::string>() + " passed " + answer["runs_total"].dump() +
          " runs, and " + answer["engine_check"]["runs"].dump() + " on the CPU engine, not tried";
      CHECK(answer["summary"].get<std::string>().starts_with(told));
    }
  }

  TEST_CASE("what the engine alone can see is the verdict") {
    const struct {
      const char* name;
      Json kernel;
      const char* verdict;
      const char* finding;
    } cases[] = {
        {"a read beyond the end",
         with_body(std::string("  int beyond = values[n];\n") + kLoop +
                   "values[i] += beyond == 123456789 ? 2 : 1;"),
         "out_of_bounds", nullptr},
        {"a missing barrier",
         with_body("  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = 1;\n"
                   "  int left = s[t == 0 ? 0 : t - 1];\n" +
                   std::string(kLoop) + "values[i] += left;"),
         nullptr, "order_dependent"},
        {"a missing barrier that is wrong in every order",
         with_body("  __shared__ int s[64];\n  int t = threadIdx.x;\n  s[t] = 1;\n"
                   "  int right = s[(t + 1) % 64];\n" +
                   std::string(kLoop) + "values[i] += right;"),
         nullptr, "order_dependent"},
        {"shared memory that is not zero by luck",
         with_body("  volatile __shared__ int s[4];\n"
                   "  int step = (s[0] | s[1] | s[2] | s[3]) != 0 ? 1 : 2;\n" +
                   std::string(kLoop) + "values[i] += step;"),
         "incorrect", "unwritten_memory"},
        {"a result that is wrong in some stretches of time",
         with_body("  int step = (clock64() >> 24) % 16 == 7 ? 2 : 1;\n" + std::string(kLoop) +
                   "values[i] += step;"),
         "incorrect", "time_dependent"},
        {"a result that is wrong in some launches, by the number of the grid",
         with_body("  unsigned long long grid;\n"
                   "  asm volatile(\"mov.u64 %0, %%gridid;\" : \"=l\"(grid));\n"
                   "  int step = grid % 64 == 7 ? 2 : 1;\n" +
                   std::string(kLoop) + "values[i] += step;"),
         "incorrect", "time_dependent"},
        {"a result that is wrong in some places of memory",
         with_body("  int step = ((unsigned long long)values >> 12) % 16 == 7 ? 2 : 1;\n" +
                   std::string(kLoop) + "values[i] += step;"),
         "incorrect", "place_dependent"},
        {"a variable that is kept",
         with_body(std::string("  int step = seen ? 2 : 1;\n  __syncthreads();\n  seen = 1;\n") +
                       kLoop + "values[i] += step;",
                   "__device__ int seen;\n"),
         "stateful", nullptr},
    };

    ToolBench bench(1);
    for (const auto& c : cases) {
      CAPTURE(c.name);
      const Json answer = validated(bench, c.kernel);
      CAPTURE(answer.dump());
      if (c.verdict != nullptr) {
        CHECK(answer["verdict"] == c.verdict);
      }
      if (c.finding != nullptr) {
        REQUIRE(!answer["findings"].empty());
        CHECK(answer["findings"][0]["kind"] == c.finding);
      }
      CHECK(answer["message"].get<std::string>().ends_with(" (found on cpu:0)"));
      CHECK(answer["runs"].back()["device"] == "cpu:0");
      CHECK(answer["engine_check"]["verdict"] == answer["verdict"]);
      const Json again = answer.get<StoredValidation>();
      CHECK(again["runs"].back()["device"] == "cpu:0");
      CHECK(again["engine_check"] == answer["engine_check"]);
      const Json paid = bench.result("evaluate", {{"kernel_id", answer["kernel_id"]}});
      CHECK(paid["reward"] == 0);
    }
  }

  TEST_CASE("a result that depends on the time is told whichever run is the wrong one") {
    ToolBench bench(1);
    // In every tenth of them or so the engine's second run is wrong, in descending order.
    for (int i = 0; i < 32; ++i) {
      const std::string stretch =
          "(clock64() >> " + std::to_string(24 + i / 16) + ") % 16 == " + std::to_string(i % 16);
      const Json answer = validated(bench, with_body("  int step = " + stretch + " ? 2 : 1;\n" +
                                                     std::string(kLoop) + "values[i] += step;"));
      CAPTURE(answer.dump());
      CHECK(answer["verdict"] == "incorrect");
      REQUIRE(!answer["findings"].empty());
      CHECK(answer["findings"][0]["kind"] == "time_dependent");
    }
  }

  TEST_CASE("an access out of bounds has its whole message") {
    ToolBench bench(1);
    const Json answer =
        validated(bench, with_body(std::string("  int beyond = values[n];\n") + kLoop +
                                   "values[i] += beyond == 123456789 ? 2 : 1;"));
    const std::string n = answer["runs"].back()["workload"]["n"].dump();
    CHECK(answer["message"] ==
          "out-of-bounds read of 4 bytes at source:2 by thread (0,0,0) of "
          "block (0,0,0): values[" +
              n + "], but it has " + n + " elements (found on cpu:0)");
    CHECK(answer["fault"]["line"] == 2);
  }

  TEST_CASE("a wrong result is the GPU's to judge, and the answer tells of it") {
    ToolBench bench(1);
    const Json answer = validated(bench, with_body(std::string(kLoop) + "values[i] += 2;"));
    CHECK(answer["verdict"] == "passed");
    CHECK(answer["engine_check"]["verdict"] == "incorrect");
    const std::string message = answer["engine_check"]["message"];
    const std::string told = answer["kernel_id"].get<std::string>() + " passed " +
                             answer["runs_total"].dump() +
                             " runs; the CPU engine says incorrect: " + message;
    CHECK(answer["summary"].get<std::string>().starts_with(told));
  }

  TEST_CASE("a kernel that the engine cannot run is judged by the GPU alone") {
    ToolBench bench(1);
    const Json answer =
        validated(bench, with_body("  asm volatile(\"wgmma.fence.sync.aligned;\");\n" +
                                   std::string(kLoop) + "values[i] += 1;"));
    CHECK(answer["verdict"] == "passed");
    CHECK(answer["engine_check"]["runs"] == 0);
    CHECK(answer["engine_check"]["verdict"] == "unsupported");
  }

  TEST_CASE("a kernel that fails on the GPU needs no second look") {
    ToolBench bench(1);
    const Json answer = validated(bench, bump_kernel("twice"));
    CHECK(answer["verdict"] == "incorrect");
    CHECK_FALSE(answer.contains("engine_check"));
  }
}

}  // namespace ws::test
