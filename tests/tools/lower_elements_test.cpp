// Lowerings of kernels for tensor cores that a machine makes: loops over the registers of a tile.
#include <doctest/doctest.h>

#include "tests/support/lower_bench.h"

namespace ws::test {
namespace {

constexpr const char* kLeftOut = "lowering of tiles in registers";

const LoweredFrom& tma() {
  static const LoweredFrom from = lifted_for_arch("attention-f16", "tma");
  return from;
}

const LoweredFrom& gemm() {
  static const LoweredFrom from = lifted_for_arch("gemm-f16", "warp_specialized");
  return from;
}

/// The answer to a target, and to what it proposes if `sends`.
Json lowered(const LoweredFrom& from, const std::string& target, const Json& more, bool sends) {
  Json arguments = {{"kernel_id", from.kernel_id}, {"target_ir", target}, {"arch", kArch}};
  arguments.update(more);
  Json asked = tools().result("apply_transformation", arguments);
  if (!sends) {
    return asked;
  }
  REQUIRE_MESSAGE(asked.contains("proposal"), asked.value("no_proposal", ""));
  arguments.update(asked["proposal"]);
  return tools().result("apply_transformation", arguments);
}

Json asked(const LoweredFrom& from, const std::string& target, const Json& more = Json::object()) {
  return lowered(from, target, more, false);
}

std::string sent_verdict(const LoweredFrom& from, const std::string& target,
                         const Json& more = Json::object()) {
  const Json output = lowered(from, target, more, true);
  return output["verdict"].get<std::string>() + " " + output.value("reason", "");
}

std::string no_proposal(const LoweredFrom& from, const std::string& target) {
  return asked(from, target).value("no_proposal", "");
}

/// The attention kernel's program with a statement behind its mask.
std::string behind_mask(const std::string& statement) {
  return with_line(tma().ir, "            x_1 = where(self.t - j * 128 < 128,",
                   "            " + statement);
}

const std::string kCausal =
    "x_1 = where(arange(128)[None, :] + j * 128 <= arange(64)[:, None] + blockIdx.x * 128 + wg * "
    "64, x_1, -inf)";

/// The GEMM's program with an argument more, and what its sums become by it.
std::string with_input(const std::string& name, const std::string& value) {
  return with_text(with_text(with_text(gemm().ir, "B, C, k", "B, C, " + name + ", k"), "self.C = C",
                             "self.C = C\n        self." + name + " = " + name),
                   "to(acc, \"f16\")", "to(" + value + ", \"f16\")");
}

Json problem_with(const std::string& target, const Json& argument) {
  Json problem = example_form("gemm-f16/problem");
  problem["name"] = "gemm_with_input";
  problem["args"].push_back(argument);
  problem["reference"] = {{"kind", "cuir"}, {"source", target}};
  return {{"problem", problem}};
}

}  // namespace

TEST_SUITE("tools.lower_elements") {
  TEST_CASE("an operation on sums is a loop over their registers, before the loops that store") {
    if (!toolkit_is_here(kLeftOut)) {
      return;
    }
    const std::string target = with_text(gemm().ir, "to(acc, \"f16\")", "to(relu(acc), \"f16\")");
    const Json edits = asked(gemm(), target)["proposal"]["edits"];
    CHECK(edits == Json{{{"region", "source"},
                         {"op", "insert"},
                         {"from", 68},
                         {"text",
                          "#pragma unroll\n"
                          "    for (int e = 0; e < BN / 128; ++e) {\n"
                          "#pragma unroll\n"
                          "      for (int f = 0; f < 64; ++f) {\n"
                          "        acc[e][f] = fmaxf(acc[e][f], 0.0f);\n"
                          "      }\n"
                          "    }"}}});
    CHECK(sent_verdict(gemm(), target) == "passed ");
  }

  TEST_CASE("a mask stands before the call that has the other one, with rows and columns") {
    if (!toolkit_is_here(kLeftOut)) {
      return;
    }
    const Json edits = asked(tma(), behind_mask(kCausal))["proposal"]["edits"];
    REQUIRE(edits.size() == 1);
    CHECK(edits[0]["from"] == 164);
    CHECK(edits[0]["text"] ==
          "#pragma unroll\n"
          "    for (int e = 0; e < BN / 2; ++e) {\n"
          "      const int row = e / 2 % 2 * 8 + threadIdx.x / 4 % 8 + threadIdx.x / 32 % 4 * 16;\n"
          "      const int col = e % 2 + e / 4 * 8 + threadIdx.x % 4 * 2;\n"
          "      x[e] = col + j * 128 <= row0 + row + (int)(threadIdx.x / 128) * 64 ? x[e] : "
          "-INFINITY;\n"
          "    }");
    CHECK(sent_verdict(tma(), behind_mask(kCausal)) == "passed ");
  }

  TEST_CASE("tiles that a mask hides are left out by the bound of the loop") {
    if (!toolkit_is_here(kLeftOut)) {
      return;
    }
    const std::string bound = "tiles = (self.t + 128 - 1) // 128";
    const std::string target =
        with_text(behind_mask(kCausal), bound,
                  "tiles = minimum((self.t + 128 - 1) // 128, (row0 + 128 + 128 - 1) // 128)");
    const Json edits = asked(tma(), target)["proposal"]["edits"];
    REQUIRE(edits.size() == 2);
    CHECK(edits[0]["text"] ==
          "  const int tiles = min((t + BN - 1) / BN, (row0 + 128 + 128 - 1) / 128);");
    CHECK(sent_verdict(tma(), target) == "passed ");
    // One tile less leaves out keys that weigh something.
    const auto verdict_of = [&](const std::string& program) {
      Json problem = example_form("attention-f16/problem");
      problem["name"] = "attention_causal";
      problem["dims"]["d"] = Json::array({64});
      problem["reference"] = {{"kind", "cuir"}, {"source", behind_mask(kCausal)}};
      return tools().result("verify_ir", {{"ir", program}, {"problem", problem}})["verdict"];
    };
    CHECK(verdict_of(target) == "ok");
    CHECK(verdict_of(with_text(target, "(row0 + 128 + 128 - 1) // 128",
                               "(row0 + 128 - 1) // 128")) == "incorrect_nan");
  }

  TEST_CASE("an expression that no variable holds is changed where it stands") {
    if (!toolkit_is_here(kLeftOut)) {
      return;
    }
    const std::string target = with_text(tma().ir, "to(acc / total, ", "to(relu(acc / total), ");
    const Json edits = asked(tma(), target)["proposal"]["edits"];
    REQUIRE(edits.size() == 2);
    CHECK(edits[1]["old"].get<std::string>().ends_with(" acc[4 * i + 2 * r + 1] / total[r]);"));
    CHECK(edits[1]["text"].get<std::string>().ends_with(
        " (fmaxf(acc[4 * i + 2 * r + 1] / total[r], 0.0f)));"));
    CHECK(sent_verdict(tma(), target) == "passed ");
  }

  TEST_CASE("a new input is a parameter, an argument of the launch and a guarded read") {
    if (!toolkit_is_here(kLeftOut)) {
      return;
    }
    const std::string target =
        with_input("bias", "acc + load(self.bias, (blockIdx.y,), (256,))[None, :]");
    const Json problem =
        problem_with(target, {{"name", "bias"}, {"type", "f32"}, {"shape", {"n"}}, {"role", "in"}});
    const Json output = asked(gemm(), target, problem);
    REQUIRE_MESSAGE(output.contains("proposal"), output.value("no_proposal", ""));
    const Json& proposal = output["proposal"];
    CHECK(proposal["set"]["launches"][0]["args"] == Json{"tmA", "tmB", "C", "m", "n", "k", "bias"});
    CHECK(proposal["edits"][0]["text"] ==
          "                                            int k, const float* bias) {");
    CHECK(proposal["edits"][1]["text"].get<std::string>().find(
              "acc[e][f] = acc[e][f] + (col0 + col_ < n ? bias[col0 + col_] : 0.0f);") !=
          std::string::npos);
    CHECK(output["next_steps"][0]["why"] ==
          "send the same call with `edits` and `set`: those of the proposal, or your own");
    CHECK(sent_verdict(gemm(), target, problem) == "passed ");
  }

  TEST_CASE("an edit that holds for the default parameters alone is not applied") {
    if (!toolkit_is_here(kLeftOut)) {
      return;
    }
    const std::string target = with_text(gemm().ir, "to(acc, \"f16\")", "to(acc * 0.5, \"f16\")");
    Json edits = asked(gemm(), target)["proposal"]["edits"];
    edits[0]["text"] = with_text(edits[0]["text"], "e < BN / 128", "e < 2");
    const Json output = asked(gemm(), target, {{"edits", edits}});
    CHECK(output["applied"] == false);
    CHECK(output["reason"].get<std::string>().find("TILE_N = 128") != std::string::npos);
  }

  TEST_CASE("a statement between loops changes the tile there, and one in a loop in it") {
    if (!toolkit_is_here(kLeftOut)) {
      return;
    }
    const std::string behind = with_text(gemm().ir, "        scatter(self.C",
                                         "        acc[:] = relu(acc)\n        scatter(self.C");
    CHECK(asked(gemm(), behind)["proposal"]["edits"][0]["from"] == 68);
    CHECK(sent_verdict(gemm(), behind) == "passed ");
    const std::string first =
        with_text(tma().ir, "            stage = j % 2",
                  "            acc[:] = acc * 0.5\n            stage = j % 2");
    CHECK(asked(tma(), first)["proposal"]["edits"][0]["from"] == 159);
  }

  TEST_CASE("what has no form is no proposal, with its reason") {
    if (!toolkit_is_here(kLeftOut)) {
      return;
    }
    CHECK(no_proposal(tma(), behind_mask("x_1 = 2.0 * x_1")) ==
          "the change of `x_1` stands in the middle of `softmax`; let it come before the first "
          "statement of that function");
    CHECK(no_proposal(tma(), with_text(tma().ir, "y = exp2((most - next) * 0.18033688)",
                                       "y = exp2((most - next) * 0.25)")) ==
          "`y` changes neither by its elements nor is it an integer that is declared with its "
          "value");
    CHECK(no_proposal(tma(), behind_mask("x_1 = x_1 + most")) ==
          "the kernel has nothing for `most`");
    const std::string doubles =
        with_input("bias", "acc + to(load(self.bias, (blockIdx.y,), (256,))[None, :], \"f32\")");
    const Json of_doubles = problem_with(
        doubles, {{"name", "bias"}, {"type", "f64"}, {"shape", {"n"}}, {"role", "in"}});
    CHECK(asked(gemm(), doubles, of_doubles)["no_proposal"] ==
          "there is no form for `load(self.bias, (blockIdx.y,), (256,))[None, :]` in the kernel");
  }
}

}  // namespace ws::test
