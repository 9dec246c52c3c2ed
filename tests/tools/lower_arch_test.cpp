// apply_transformation with a target program and an architecture that no device here has: the
// edited kernel is compiled for it, and the program that it lifts to is run in its place.
#include <doctest/doctest.h>

#include "tests/support/lower_bench.h"

namespace ws::test {
namespace {

const LoweredFrom& hopper() {
  static const LoweredFrom from = lifted_for_arch("attention-f16", "tma");
  return from;
}

/// The expert kernel, whose mask stands in a function that knows neither queries nor tiles.
const LoweredFrom& ping_pong() {
  static const LoweredFrom from = lifted_for_arch("attention-f16", "ping_pong");
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

/// ping_pong's program with a causal mask.
std::string causal() {
  const std::string queries = "arange(64)[:, None] + blockIdx.x * 128 + (wg - 1) * 64";
  return with_line(
      with_line(ping_pong().ir, "        first_1 = where(self.t < 128,",
                "        first_1 = where(arange(128)[None, :] <= " + queries + ", first_1, -inf)"),
      "            x_1 = where(self.t - j * 128 < 128,",
      "            x_1 = where(arange(128)[None, :] + j * 128 <= " + queries + ", x_1, -inf)");
}

/// The number of a thread's key in its tile, which is unsigned, and that of its query from there.
const std::string kKey = "i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2";
const std::string kQuery = "ahead + i / 2 % 2 * 8";

/// @param statement  For each score `x[i]`.
Json causal_by(const std::string& statement) {
  const std::string row = "row0 + (group - 1) * 64 + tid % 128 / 32 * 16 + tid % 32 / 4";
  const LoweredFrom& from = ping_pong();
  const Json edits = {
      from.replace(
          49, "                                        float (&fix)[2], int left, int ahead) {"),
      {{"op", "insert"},
       {"from", 56},
       {"text", "#pragma unroll\n  for (int i = 0; i < BN / 2; ++i) { " + statement + " }"}},
      from.replace(191, "    softmax(first, most, total, fix, t, " + row + ");"),
      from.replace(208, "      softmax(x, most, total, fix, t - j * BN, " + row + " - j * BN);")};
  return tools().result(
      "apply_transformation",
      {{"kernel_id", from.kernel_id}, {"target_ir", causal()}, {"edits", edits}, {"arch", kArch}});
}

}  // namespace

TEST_SUITE("tools.lower_arch") {
  TEST_CASE("a kernel that no device here runs is lowered by its program") {
    if (!toolkit_is_here("lowering for an architecture")) {
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
    const auto stored =
        tools().resources().read("problem://" + output["problem_id"].get<std::string>());
    REQUIRE(stored.has_value());
    CHECK(Json::parse(stored->text)["dims"]["d"] == Json{64});  // The program was lifted at that.
    CHECK(output["not_validated"] ==
          "no device here runs it; validate it on one before it is used");
    CHECK_FALSE(output.contains("validation"));
    CHECK(output["next_steps"] ==
          Json{{{"why", "validate " + id + " on a device that runs it before it is used"}}});
  }

  TEST_CASE("a program that computes something else than the target is not applied") {
    if (!toolkit_is_here("lowering for an architecture")) {
      return;
    }
    const Json output = lowered_by("0.25f");
    CHECK(output["verdict"] == "incorrect");
    CHECK(output["applied"] == false);
    CHECK(output["kernel_id"] == hopper().kernel_id);
    CHECK(output["reason"].get<std::string>().starts_with("output `O`: "));
    CHECK(output["verification"]["verdict"] == "incorrect");
  }

  TEST_CASE("a kernel that the engine runs is validated there") {
    if (!toolkit_is_here("lowering for an architecture")) {
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

  TEST_CASE("a mask that needs rows and tiles reaches a function by its parameters and calls") {
    if (!toolkit_is_here("lowering for an architecture")) {
      return;
    }
    const Json windows =
        tools().result("apply_transformation", {{"kernel_id", ping_pong().kernel_id},
                                                {"target_ir", causal()},
                                                {"arch", kArch}})["editable"];
    REQUIRE(windows.size() == 3);
    CHECK(windows[0]["from"] == 48);  // The parameters of softmax(), and its loop over keys.
    CHECK(windows[0]["to"] == 55);
    CHECK(windows[0]["becomes"].size() == 2);
    CHECK(windows[1]["lines"][0]["text"] == "    softmax(first, most, total, fix, t);");
    CHECK(windows[2]["lines"][0]["text"] == "      softmax(x, most, total, fix, t - j * BN);");
    const Json output =
        causal_by("const int key = " + kKey + "; x[i] = key <= " + kQuery + " ? x[i] : -INFINITY;");
    CHECK(output["verdict"] == "passed");
    CHECK(output["verification"]["verdict"] == "ok");
  }

  TEST_CASE("an edit that compares unsigned numbers is judged as a GPU computes it") {
    if (!toolkit_is_here("lowering for an architecture")) {
      return;
    }
    // In tiles behind a query its distance is less than zero, and no key is hidden.
    const Json shown = causal_by("x[i] = " + kKey + " <= " + kQuery + " ? x[i] : -INFINITY;");
    CHECK(shown["verdict"] == "incorrect");
    const Json sloped = causal_by("x[i] += (" + kKey + " - (" + kQuery + ")) * 0.25f;");
    CHECK(sloped["verdict"] == "not_lifted");
    CHECK(sloped["reason"] ==
          "the edited kernel is not lifted completely: line 193: an unsigned number that may have "
          "wrapped becomes a float");
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
