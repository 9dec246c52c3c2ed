// verify_ir with programs that cannot run, and with input that cannot be used.
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/support/cuir_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
TEST_SUITE("tools.verify_ir") {
  TEST_CASE("a program that cannot run is a verdict with places") {
    struct Case {
      const char* name;
      std::string ir;
      const char* verdict;
      const char* message;
      Json diagnostics;
    };

    const Case cases[] = {
        {"syntax", "class K(KernelBase):\n    def __init__(self, A\n", "syntax_error",
         "3:1: expected `)`, got the end of the line",
         Json::array({{{"line", 3},
                       {"column", 1},
                       {"message", "expected `)`, got the end of the line"},
                       {"snippet", "\n^"}}})},
        {"five megabytes", std::string(5'000'000, 'x'), "syntax_error",
         "1:1: the program has 5000000 bytes: at most 1048576 are allowed",
         Json::array({{{"line", 1},
                       {"column", 1},
                       {"message", "the program has 5000000 bytes: at most 1048576 are allowed"},
                       {"snippet", std::string(160, 'x') + "\n^"}}})},
        {"a name", replaced(kDoubling, "x * 2.0", "z * 2.0"), "check_error",
         "9:40: unknown name `z`",
         Json::array({{{"line", 9},
                       {"column", 40},
                       {"message", "unknown name `z`"},
                       {"hint", "known: x, blockIdx, gridDim, inf"},
                       {"snippet",
                        "        store(self.Y, (blockIdx.x, 0), z * 2.0)\n                        "
                        "               ^"}}})},
        {"no sizes", replaced(kDoubling, "X: f32[64, 32]", "X"), "check_error",
         "parameter `X` of __init__ has no type and sizes of its own", nullptr},
        {"sizes by name", replaced(kDoubling, "X: f32[64, 32]", "X: f32[M, 32]"), "check_error",
         "size 1 of parameter `X` of __init__ is not a number", nullptr},
        {"a grid without end", replaced(kDoubling, "(2, 1, 1)", "(100000, 1, 1)"), "executor_limit",
         "a grid of (100000, 1, 1) blocks: the executor runs 1 to 4096", nullptr},
        {"a tensor without end", replaced(kDoubling, "X: f32[64, 32]", "X: f32[99999999999, 32]"),
         "executor_limit", "`X` of shape (99999999999, 32) has no or more than 16777216 elements",
         nullptr},
        {"a loop without end",
         replaced(kDoubling, "        x = ",
                  "        while True:\n            "
                  "pass\n        x = "),
         "step_budget", "the program runs more statements than allowed, most likely in this loop",
         nullptr},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.name));
#if defined(__SANITIZE_ADDRESS__)
      if (std::string_view(c.verdict) == "step_budget") {
        MESSAGE("left out: five million statements, which take minutes under sanitizers");
        continue;
      }
#endif
      const Json output = tools().result("verify_ir", {{"ir", c.ir}, {"wait_ms", 300'000}});
      CHECK(output["verdict"] == c.verdict);
      CHECK(output["message"] == c.message);
      CHECK(output.value("diagnostics", Json()) == c.diagnostics);
    }
  }

  TEST_CASE("a cancelled verification ends at once") {
    const std::string slow = replaced(
        kDoubling,
        "        x = ", "        for i in range(4000000):\n            pass\n        x = ");
    const Json begun = tools().result("verify_ir", {{"ir", slow}, {"wait_ms", 0}});
    REQUIRE(begun["status"] != "done");
    const auto start = Clock::now();
    tools().result("job", {{"job_id", begun["job_id"]}, {"action", "cancel"}});
    const std::string after =
        tools().refusal("job", {{"job_id", begun["job_id"]}, {"action", "wait"}});
    CHECK(after.starts_with("cancelled: "));
    CHECK(Clock::now() - start < std::chrono::seconds(5));
  }

  TEST_CASE("bad input is refused with what to send instead") {
    struct Case {
      const char* name;
      Json arguments;
      const char* message;
    };

    const Case cases[] = {
        {"both",
         {{"ir", "x"}, {"kernel_id", "a"}, {"problem_id", "b"}},
         "invalid_argument: give only one of `problem_id` and `kernel_id`; a kernel already has a "
         "problem"},
        {"a new problem and a stored one",
         {{"ir", "x"}, {"problem", Json::object()}, {"problem_id", "b"}},
         "invalid_argument: give only one of `problem` and `problem_id`; `problem` is a new one, "
         "whose reference has the outputs"},
        {"a new problem and a kernel",
         {{"ir", "x"}, {"problem", Json::object()}, {"kernel_id", "a"}},
         "invalid_argument: give only one of `problem` and `kernel_id`; `problem` is a new one, "
         "whose reference has the outputs"},
        {"a workload of nothing",
         {{"ir", "x"}, {"workload", {{"n", 1}}}},
         "invalid_argument: `workload` needs a `problem_id` or a `kernel_id`; without one, the "
         "program's annotations give the sizes"},
        {"unknown problem",
         {{"ir", "x"}, {"problem_id", "prb_none_0123456789abcdef0123456789abcdef"}},
         "not_found: no problem `prb_none_0123456789abcdef0123456789abcdef`; ids come from "
         "compile_kernel"},
        {"unknown kernel",
         {{"ir", "x"}, {"kernel_id", "krn_none_0123456789abcdef0123456789abcdef"}},
         "not_found: no kernel `krn_none_0123456789abcdef0123456789abcdef`; ids come from "
         "compile_kernel"},
        {"no program", Json::object(),
         "invalid_argument: `ir` is missing; `ir` is a program; without it, `kernel_id` is a "
         "kernel "
         "and `against` another one"},
        {"an empty one",
         {{"ir", ""}},
         "invalid_argument: `ir` must have at least 1 characters, got 0"},
        {"too many schedules",
         {{"ir", "x"}, {"schedules", 65}},
         "invalid_argument: `schedules` must be 1 to 64, got the number 65"},
        {"another mode",
         {{"ir", "x"}, {"mode", "f16"}},
         "invalid_argument: `mode` must be one of \"f64\", \"f32\", \"typed\", \"race_only\", got "
         "a string \"f16\""},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.name));
      CHECK(tools().refusal("verify_ir", c.arguments) == c.message);
    }
  }
}

}  // namespace ws::test
