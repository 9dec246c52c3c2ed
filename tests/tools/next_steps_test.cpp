// The steps that answers suggest; tests/support/step_check.h looks at all that the suites meet.
#include <doctest/doctest.h>

#include "tests/support/step_check.h"

namespace ws::test {
namespace {

Json steps(const std::string& tool, const Json& arguments) {
  return tools().result(tool, arguments)["next_steps"];
}

}  // namespace

TEST_SUITE("tools.next_steps") {
  TEST_CASE("where the next call needs what only the caller can write, words say what to send") {
    CHECK(steps("list_devices", Json::object()) ==
          Json::parse(R"([{"why": "send compile_kernel a `problem` and a `kernel`"}])"));
    const Json broken = tools().result(
        "compile_kernel", {{"problem", twice_problem()}, {"kernel", twice_kernel("  y[i] = ;")}});
    const std::string id = broken["kernel_id"];
    CHECK(broken["next_steps"] ==
          Json::array({{{"read", "kernel://" + id + "/source"},
                        {"why",
                         "fix the lines that the diagnostics name: send compile_kernel "
                         "`base` " +
                             id + " and `edits`"}}}));
    const Json wrong = tools().judge(twice_problem(), twice_kernel("  y[i] = x[i + 70000];"));
    CHECK(wrong["next_steps"][0]["read"] ==
          "kernel://" + wrong["kernel_id"].get<std::string>() + "/source");
    const Json found = tools().result("search_prior_kernels",
                                      {{"query", "nothingofthatname"}, {"include_failures", true}});
    CHECK(found["next_steps"] ==
          Json::parse(R"([{"why": "write the first one, and send it to compile_kernel"}])"));
  }

  TEST_CASE("a step that cannot be taken is found") {
    const auto fault = [](const char* step) {
      return step_fault(tools(), Json::parse(step), true);
    };
    CHECK(fault(R"({"tool": "compile_kernel", "arguments": {}, "why": "x"})") ==
          "invalid_argument: no kernel: give one of `kernel`, `kernel_id` and `base`");
    CHECK(fault(R"({"tool": "benchmark", "arguments": {}, "why": "x"})") ==
          "invalid_argument: missing field `kernel_id`");
    CHECK(fault(R"({"tool": "none", "arguments": {}, "why": "x"})") == "no such tool");
    CHECK(fault(R"({"tool": "list_devices", "arguments": {}, "why": "x"})").empty());
    CHECK(fault(R"({"tool": "list_devices", "arguments": {}})") == "it does not say why");
    CHECK(fault(R"({"read": "kernel://krn_none/source", "why": "x"})") ==
          "not_found: no kernel `krn_none`; ids come from compile_kernel");
    CHECK(fault(R"({"why": "x", "arguments": {}})") == "neither a call nor something to read");
  }
}

}  // namespace ws::test
