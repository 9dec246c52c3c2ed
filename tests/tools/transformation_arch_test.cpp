// apply_transformation for an architecture whose device is not here.
#include <fstream>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/compile/toolkit.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

constexpr const char* kHopperOnly = R"(---
name: hopper-only
summary: One pass for Hopper.
applies_to:
  languages: [cuda]
requires:
  - text: a Hopper GPU, sm_90a
    arch: sm_90a
passes:
  - name: only
    region: source
---
## 1. only
Use {{device}}.
### Keep
- All.
### Check
It runs.
)";

struct HopperOnly {
  HopperOnly() {
    std::ofstream(folder.path() / "hopper-only.md") << kHopperOnly;
    tools().services().options.skills = {folder.path()};
  }

  ~HopperOnly() { tools().services().options.skills.clear(); }

  HopperOnly(const HopperOnly&) = delete;
  HopperOnly& operator=(const HopperOnly&) = delete;

  TestFolder folder;
};

Json with_line(const std::string& kernel, const std::string& line) {
  return {{"kernel_id", kernel},
          {"transformation", "hopper-only"},
          {"arch", "sm_90a"},
          {"edits", {{{"op", "insert"}, {"from", 3}, {"text", line}}}}};
}

}  // namespace

TEST_SUITE("tools.transformation_arch") {
  TEST_CASE(
      "a pass for a GPU that is not here is compiled for it, and run where that is possible") {
    if (const auto toolkit = find_toolkit({}); !toolkit) {
      MESSAGE("left out: compiling for NVIDIA GPUs (" << toolkit.error().message << ")");
      return;
    }
    const HopperOnly skills;
    const std::string kernel = tools().compiled(twice_problem(), good_kernel());
    const std::string own = tools().services().devices.back().backend->info()->arch;
    CHECK(tools().refusal("apply_transformation",
                          {{"kernel_id", kernel}, {"transformation", "hopper-only"}}) ==
          "invalid_argument: `hopper-only` does not apply to " + kernel + " on cpu:0 (" + own +
              "): it needs a Hopper GPU, sm_90a; call it without `transformation` to see those "
              "that apply");
    const Json list =
        tools().result("apply_transformation", {{"kernel_id", kernel}, {"arch", "sm_90a"}});
    CHECK(list["next_steps"][0]["arguments"]["arch"] == "sm_90a");
    CHECK_FALSE(list["others"].contains("hopper-only"));
    const Json told = tools().result(
        "apply_transformation",
        {{"kernel_id", kernel}, {"transformation", "hopper-only"}, {"arch", "sm_90a"}});
    CHECK(told["instruction"].get<std::string>().starts_with("Use sm_90a.\n"));
    CHECK(told["next_steps"][0]["arguments"] == Json{{"kernel_id", kernel},
                                                     {"transformation", "hopper-only"},
                                                     {"pass", 1},
                                                     {"arch", "sm_90a"}});

    const Json run = tools().result("apply_transformation", with_line(kernel, "  // Nothing."));
    CHECK(run["applied"] == true);
    CHECK(run["validation"]["verdict"] == "passed");
    CHECK_FALSE(run.contains("not_validated"));

    const Json compiled = tools().result(
        "apply_transformation",
        with_line(kernel, "  asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");"));
    CHECK(compiled["applied"] == true);
    CHECK_FALSE(compiled.contains("validation"));
    const std::string made = compiled["kernel_id"];
    CHECK(compiled["summary"] == "pass 1 of 1 of `hopper-only` (only) made " + made +
                                     ", compiled for sm_90a and not run: no device here can");
    CHECK(compiled["not_validated"] ==
          "no device here runs it; validate it on one before it is used");
    CHECK(compiled["next_steps"].size() == 1);

    const Json wrong = tools().result("apply_transformation", with_line(kernel, "  none();"));
    CHECK(wrong["applied"] == false);
    CHECK(wrong["compile"]["verdict"] == "compile_error");
  }

  TEST_CASE("an architecture that nobody compiles for is refused") {
    const std::string kernel = tools().compiled(twice_problem(), good_kernel());
    const std::string own = tools().services().devices.back().backend->info()->arch;
    CHECK(tools().refusal("apply_transformation", {{"kernel_id", kernel}, {"arch", "hopper"}}) ==
          "unsupported: cpu:0 compiles for " + own +
              ", not for `hopper`; leave `arch` out, or name a GPU's architecture such as sm_90a "
              "or gfx90a");
  }
}

}  // namespace ws::test
