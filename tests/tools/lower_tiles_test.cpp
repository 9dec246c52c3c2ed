// apply_transformation with a target program of another tile size.
#include <doctest/doctest.h>

#include "tests/support/lower_bench.h"

namespace ws::test {
namespace {

/// The attention kernel's program with these parameters.
std::string program_at(int bm, int bn) {
  return tools().result("lift_to_ir", {{"kernel_id", attention().kernel_id},
                                       {"params", {{"BM", bm}, {"BN", bn}}},
                                       {"detail", "full"}})["ir"];
}

Json defaults_of(const std::string& kernel_id) {
  const auto kernel = tools().services().archive->kernel(kernel_id);
  REQUIRE(kernel.has_value());
  return Json::parse(kernel->json)["defaults"];
}

}  // namespace

TEST_SUITE("tools.lower_tiles") {
  TEST_CASE("the tiles of other parameters need no edit") {
    const std::string target = program_at(64, 16);
    const Json asked = attention().lower(target);
    CHECK(asked["summary"] ==
          "the target changes 0 windows of " + attention().kernel_id + ", with BM = 64");
    CHECK(asked["instruction"] ==
          "The target has the tiles of BM = 64, which become the new kernel's defaults by "
          "themselves. No line has to change: send `edits` as [].");
    CHECK(asked["proposal"] == Json{{"edits", Json::array()}});
    const Json output = attention().lower(target, Json::array());
    CHECK(output["verdict"] == "passed");
    CHECK(output["applied"] == true);
    CHECK(defaults_of(output["kernel_id"]) == Json{{"BM", 64}, {"BN", 16}});
  }

  TEST_CASE("another tile size and another mask are one target") {
    const std::string target = with_text(
        program_at(32, 8), "arange(8)[None, :] + k0_step * 8 < self.n",
        "(arange(8)[None, :] + k0_step * 8 < self.n) & (arange(8)[None, :] + k0_step * 8 <= "
        "arange(32)[:, None] + blockIdx.x * 32)");
    const Json asked = attention().lower(target);
    CHECK(asked["summary"] ==
          "the target changes 1 window of " + attention().kernel_id + ", with BN = 8");
    REQUIRE(asked.contains("proposal"));
    const Json output = attention().lower(target, asked["proposal"]["edits"]);
    CHECK(output["verdict"] == "passed");
    CHECK(defaults_of(output["kernel_id"]) == Json{{"BM", 32}, {"BN", 8}});
  }

  TEST_CASE("without the edits it needs, the kernel is not the target at other parameters either") {
    const std::string target =
        with_text(program_at(32, 8), "s = dot * self.scale", "s = tanh(dot * self.scale)");
    CHECK(attention().lower(target, Json::array())["verdict"] == "other_order");
  }

  TEST_CASE("tiles that no parameters give are refused") {
    std::string target = program_at(32, 8);
    for (const char* name : {"Ks", "Vs"}) {
      const std::string own = "self." + std::string(name) + " = alloc((";
      target = with_text(target, own + "8, 32)", own + "4, 32)");
    }
    CHECK(
        attention().refusal(target) ==
        "invalid_argument: `target_ir` changes the kernel's structure: `self.Ks = alloc((16, 32), "
        "\"shared\", \"f32\")` became `self.Ks = alloc((4, 32), \"shared\", \"f32\")` in "
        "`__init__`; keep copies, products, barriers and loops, or have the tiles of other "
        "parameters (tried 5); verify_ir with `ir` and `target_ir` lists what has to stay");
  }
}

}  // namespace ws::test
