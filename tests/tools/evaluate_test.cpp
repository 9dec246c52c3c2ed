// evaluate: each stage's end, the reward, and what comes from the archive.
#include <cmath>

#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"
#include "tools/evaluate/reward.h"

namespace ws::test {
namespace {

/// Makes a launch take longer than starting one: the speed of a shorter one cannot be measured.
constexpr const char* kWork =
    "  volatile int work = 0;\n  for (int k = 0; k < 4000; ++k) work = k;\n";

Json long_problem() {
  return twice_problem(std::string(kWork) + "  if (i < n) y[i] = 2 * x[i];");
}

/// On the CPU engine by its name: times on an emulated device give no reward unless it is named.
Json evaluate(const Json& kernel, Json more = {{"device", "cpu:0"}}) {
  more["problem"] = long_problem();
  more["kernel"] = kernel;
  return tools().result("evaluate", more);
}

Json twice_with_note(const std::string& note) {
  return twice_kernel(std::string(kWork) + "  if (i < n) y[i] = 2 * x[i];  // " + note);
}

/// Whether an answer's verdict says that the kernel was right whenever it was timed.
bool right_when_timed(const Json& verdict) {
  const std::optional<Verdict> known = verdict_of(verdict.get<std::string>());
  return known && facts_of(*known).right_when_timed;
}

}  // namespace

TEST_SUITE("tools.evaluate") {
  TEST_CASE("a right kernel has a speed-up against the reference, and the reward of it") {
    const Json result = evaluate(twice_with_note("right"));
    CHECK(right_when_timed(result["verdict"]));
    CHECK(result["correct"] == true);
    CHECK(result["baseline"] == "reference");
    CHECK(result["speedup"] == result["benchmark"]["ratio"]);
    CHECK(result["speedup"].get<double>() > 0);
    const Json& interval = result["benchmark"]["ratio_ci"];
    const double paid = paid_speedup(verdict_of(result["verdict"].get<std::string>()).value(),
                                     {.low = interval[0], .high = interval[1]});
    CHECK(std::fabs(result["reward"].get<double>() - reward(paid, kRewardOffset)) < 1e-3);
    CHECK_FALSE(result.contains("reward_withheld"));
    CHECK(result["compile"]["verdict"] == "compiled");
    CHECK(result["validation"]["verdict"] == "passed");
    CHECK(result["validation"]["runs_total"].get<int>() > 0);
    CHECK(result["emulated"] == true);
    CHECK(result["summary"] == result["kernel_id"].get<std::string>() + ": " +
                                   result["verdict"].get<std::string>() + ", " +
                                   result["speedup"].dump() + "x against reference, reward " +
                                   result["reward"].dump());
    const std::string id = result["kernel_id"];
    CHECK(result["next_steps"][0] ==
          Json{{"read", "kernel://" + id + "/source"},
               {"why", "try the next change: send evaluate `base` " + id + " and `edits`"}});
    CHECK_FALSE(result["compile"].contains("summary"));
  }

  TEST_CASE("a correct kernel gets no reward if its speed is unknown or its author's own word") {
    const Json unasked = evaluate(twice_with_note("right"), Json::object());
    CHECK(unasked["correct"] == true);
    CHECK(unasked["reward"].is_null());
    CHECK(unasked["reward_withheld"] ==
          "times on an emulated device say little about a GPU; name the device to get a reward for "
          "them");
    CHECK(unasked["summary"].get<std::string>().ends_with("x against reference, no reward"));
    const Json own =
        evaluate(twice_with_note("right"), {{"device", "cpu:0"}, {"baseline", "root"}});
    CHECK(own["correct"] == true);
    CHECK(own["reward"].is_null());
    CHECK(
        own["reward_withheld"] ==
        "the baseline is a kernel of the archive, which the rewarded client may have chosen; give "
        "the problem a reference kernel to get a reward");
    const Json wrong = evaluate(twice_kernel("  if (i < n) y[i] = 5 * x[i];"), Json::object());
    CHECK(wrong["reward"] == 0);
  }

  TEST_CASE("the first stage that fails ends it with reward 0 and what to fix") {
    const Json broken = evaluate(twice_kernel("  y[i] = z;"));
    CHECK(broken["verdict"] == "compile_error");
    CHECK(broken["reward"] == 0);
    CHECK(broken["speedup"].is_null());
    CHECK(broken["correct"] == false);
    CHECK(broken["compile"]["diagnostics"][0]["message"] == "use of undeclared identifier 'z'");
    CHECK_FALSE(broken.contains("validation"));
    CHECK(broken["next_steps"][0]["why"].get<std::string>().starts_with("fix what compile names"));
    const Json wrong = evaluate(twice_kernel("  if (i < n) y[i] = 3 * x[i];"));
    CHECK(wrong["verdict"] == "incorrect");
    CHECK(wrong["reward"] == 0);
    CHECK(wrong["validation"]["mismatch"]["pattern_code"] == "constant_ratio");
    CHECK_FALSE(wrong.contains("benchmark"));
    CHECK(
        wrong["next_steps"][0]["why"].get<std::string>().starts_with("fix what validation names"));
    CHECK(wrong["summary"] == wrong["kernel_id"].get<std::string>() + ": incorrect, reward 0.0");
  }

  TEST_CASE("the same question is answered from the archive, another one is not") {
    const Json kernel = twice_with_note("asked twice");
    const Json first = evaluate(kernel);
    CHECK(first["age_s"] == 0);
    const Json again = evaluate(kernel);
    CHECK(again["evidence_id"] == first["evidence_id"]);
    CHECK(again["reward"] == first["reward"]);
    CHECK(again["summary"] == first["summary"]);
    CHECK(evaluate(kernel, {{"device", "cpu:0"}, {"fresh", true}})["evidence_id"] !=
          first["evidence_id"]);
    const Json other = evaluate(kernel, {{"device", "cpu:0"}, {"reward_offset", 1}});
    CHECK(other["evidence_id"] != first["evidence_id"]);
    CHECK(std::fabs(other["reward"].get<double>() - reward(other["paid_speedup"], 1)) < 1e-3);
    CHECK(evaluate(kernel, {{"baseline", "root"}})["baseline"] == "root");
  }

  TEST_CASE("a change of a stored kernel is evaluated as one call") {
    const Json first = evaluate(twice_with_note("to be changed"));
    const Json changed =
        tools().result("evaluate", {{"base", first["kernel_id"]},
                                    {"baseline", "parent"},
                                    {"edits", Json::parse(R"([{"op": "insert", "from": 1,
                                                               "text": "// changed\n"}])")}});
    CHECK(changed["parent"] == first["kernel_id"]);
    CHECK(changed["kernel_id"] != first["kernel_id"]);
    CHECK(right_when_timed(changed["verdict"]));
  }

  TEST_CASE("many kernels are evaluated in one call, and a bad one does not spoil the others") {
    const Json kernels = {twice_with_note("one of many"), twice_kernel("  y[i] = z;"),
                          Json::object(), twice_kernel("  if (i < n) y[i] = 7 * x[i];")};
    const Json result = tools().result("evaluate", {{"problem", twice_problem()},
                                                    {"kernels", kernels},
                                                    {"device", "cpu:0"},
                                                    {"detail", "full"}});
    CHECK(result["kernels_total"] == 4);
    CHECK(result["valid"] == 1);
    REQUIRE(result["results"].size() == 4);
    CHECK(right_when_timed(result["results"][0]["verdict"]));
    CHECK(result["results"][0]["reward"].get<double>() > 0);
    CHECK(result["results"][1]["verdict"] == "compile_error");
    CHECK(result["results"][2]["verdict"] == "invalid_argument");
    CHECK(result["results"][2]["message"] ==
          "invalid_argument: 2 mistakes:\n- missing field `kernel.source`\n"
          "- missing field `kernel.launches`");
    CHECK(result["results"][3]["verdict"] == "incorrect");
    CHECK(result["results"][3]["reward"] == 0);
  }

  TEST_CASE("what cannot be evaluated is refused with the way out") {
    const Json kernel = twice_with_note("refused");
    const auto refusal = [&](Json more) {
      more["problem"] = twice_problem();
      more["kernel"] = kernel;
      return tools().refusal("evaluate", more);
    };
    CHECK(refusal({{"baseline", "none"}}) ==
          "invalid_argument: `baseline`: a reward needs one; `none` has no speed; use `reference`, "
          "`parent`, `root`, or a kernel id or ref");
    CHECK(refusal({{"level", "strict"}}) ==
          "invalid_argument: `level` must be one of \"quick\", \"standard\", got a string "
          "\"strict\"");
    CHECK(refusal({{"kernels", Json::array({kernel})}}) ==
          "invalid_argument: give only one of `kernels` and `kernel`");
    CHECK(refusal({{"kernel_id", "krn_k_0123456789abcdef0123456789abcdef"}}) ==
          "invalid_argument: several kernels: give only one of `kernel`, `kernel_id` and `base`");
  }
}

}  // namespace ws::test
