// apply_transformation with a target program and an architecture that no device here has: the
// edited kernel is compiled for it, and the program that it lifts to is run in its place.
#include <doctest/doctest.h>

#include "runtime/compile/toolkit.h"
#include "tests/support/lower_bench.h"

namespace ws::test {
namespace {

constexpr const char* kArch = "sm_90a";

bool toolkit_is_here() {
  const auto toolkit = find_toolkit({});
  if (!toolkit) {
    MESSAGE("left out: lowering for an architecture (" << toolkit.error().message << ")");
  }
  return toolkit.has_value();
}

/// A kernel with tensor maps and wgmma, which the engine cannot run.
const LoweredFrom& hopper() {
  static const LoweredFrom from = [] {
    LoweredFrom made;
    made.kernel = example_form("attention-f16/tma");
    made.kernel_id =
        tools().result("compile_kernel", {{"problem", example_form("attention-f16/problem")},
                                          {"kernel", made.kernel},
                                          {"arch", kArch}})["kernel_id"];
    made.ir =
        tools().result("lift_to_ir", {{"kernel_id", made.kernel_id}, {"detail", "full"}})["ir"];
    return made;
  }();
  return from;
}

/// Outputs of half the size.
std::string halved() {
  return with_text(hopper().ir, "acc / total, \"f16\"", "acc / total * 0.5, \"f16\"");
}

/// @param factor  Of both outputs of a thread.
Json lowered_by(const std::string& factor) {
  const Json edits = {hopper().replace(115,
                                       "        *reinterpret_cast<half2*>(out + i * 8) = "
                                       "__floats2half2_rn(acc[4 * i + 2 * r] / total[r] * " +
                                           factor + ","),
                      hopper().replace(116,
                                       "                                                           "
                                       "        acc[4 * i + 2 * r + 1] / total[r] * " +
                                           factor + ");")};
  return tools().result("apply_transformation", {{"kernel_id", hopper().kernel_id},
                                                 {"target_ir", halved()},
                                                 {"edits", edits},
                                                 {"arch", kArch}});
}

}  // namespace

TEST_SUITE("tools.lower_arch") {
  TEST_CASE("a kernel that no device here runs is lowered by its program") {
    if (!toolkit_is_here()) {
      return;
    }
    const Json output = lowered_by("0.5f");
    const std::string id = output["kernel_id"];
    CHECK(output["verdict"] == "passed");
    CHECK(output["applied"] == true);
    CHECK(id != hopper().kernel_id);
    CHECK(output["summary"].get<std::string>().starts_with(
        "lowered, not run: " + id +
        " compiles for sm_90a, and its program computes what the target does (ok: no finding on "));
    CHECK(output["verification"]["verdict"] == "ok");
    CHECK(output["verification"]["other_workloads"].size() > 2);
    CHECK(output["not_validated"] ==
          "no device here runs it; validate it on one before it is used");
    CHECK_FALSE(output.contains("validation"));
    CHECK(output["next_steps"] ==
          Json{{{"why", "validate " + id + " on a device that runs it before it is used"}}});
  }

  TEST_CASE("a program that computes something else than the target is not applied") {
    if (!toolkit_is_here()) {
      return;
    }
    const Json output = lowered_by("0.25f");
    CHECK(output["verdict"] == "incorrect");
    CHECK(output["applied"] == false);
    CHECK(output["kernel_id"] == hopper().kernel_id);
    CHECK(output["reason"].get<std::string>().starts_with("incorrect: "));
    CHECK(output["verification"]["verdict"] == "incorrect");
  }

  TEST_CASE("a kernel that the engine runs is validated there") {
    if (!toolkit_is_here()) {
      return;
    }
    const Json output = tools().result(
        "apply_transformation", {{"kernel_id", attention().kernel_id},
                                 {"target_ir", with_text(attention().ir, kScore, kCausalScore)},
                                 {"edits", {attention().replace(kScoreLine, kCausalLine)}},
                                 {"arch", kArch}});
    CHECK(output["verdict"] == "passed");
    CHECK(output["validation"]["verdict"] == "passed");
    CHECK_FALSE(output.contains("verification"));
  }

  TEST_CASE("an architecture that nothing compiles for is refused") {
    CHECK(tools().refusal("apply_transformation",
                          {{"kernel_id", attention().kernel_id},
                           {"target_ir", with_text(attention().ir, kScore, kCausalScore)},
                           {"arch", "vax"}}) ==
          "unsupported: cpu:0 compiles for " +
              tools().services().default_device().backend->info()->arch +
              ", not for `vax`; leave `arch` out, or name a GPU's architecture such as sm_90a or "
              "gfx90a");
  }
}

}  // namespace ws::test
