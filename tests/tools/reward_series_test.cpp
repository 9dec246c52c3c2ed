// Trying again cannot raise a reward: a kernel and its twins are one series, whose least is paid.
#include <cmath>

#include <doctest/doctest.h>

#include "runtime/archive/store/sqlite.h"
#include "tests/support/tool_bench.h"
#include "tools/evaluate/reward.h"

namespace ws::test {
namespace {

Json kernel(const std::string& line) {
  return twice_kernel("  " + line);
}

Json evaluate(ToolBench& bench, const Json& kernel, Json more = Json::object()) {
  more["problem"] = twice_problem();
  more["kernel"] = kernel;
  more["device"] = "cpu:0";
  return bench.result("evaluate", more);
}

/// As if every measurement so far had given this speed-up.
void set_speeds(ToolBench& bench, const std::string& value) {
  auto file = Connection::open((bench.folder() / "archive.db").string(), false);
  REQUIRE(file.has_value());
  REQUIRE(file->execute("UPDATE series SET value = " + value).has_value());
}

constexpr const char* kLine = "if (i < n) y[i] = 2 * x[i];";

}  // namespace

TEST_SUITE("tools.reward_series") {
  TEST_CASE("a comment, white space or other names do not buy another draw of luck") {
    ToolBench bench;
    const double slowest = std::round(1000 * reward(0, kRewardOffset)) / 1000;
    const Json first = evaluate(bench, kernel(kLine));
    CHECK(first["evaluations"] == 1);
    CHECK_FALSE(first["summary"].get<std::string>().ends_with("evaluations"));
    set_speeds(bench, "0");
    const char* const twins[] = {"if (i < n) y[i] = 2 * x[i];  // faster", "if(i<n){y[i]=2*x[i];}",
                                 "int v = 2 * x[i % n]; if (i < n) y[i] = v;",
                                 "int w = 2 * x[i % n]; if (i < n) y[i] = w;"};
    const std::size_t counts[] = {2, 1, 1, 2};  // Braces and another variable are other programs.
    for (std::size_t i = 0; i < std::size(twins); ++i) {
      CAPTURE(twins[i]);
      const Json twin = evaluate(bench, kernel(twins[i]));
      CHECK(twin["kernel_id"] != first["kernel_id"]);
      CHECK(twin["evaluations"] == counts[i]);
      if (counts[i] > 1) {
        CHECK(twin["paid_speedup"] == 0);
        CHECK(twin["reward"].get<double>() == doctest::Approx(slowest).epsilon(0.01));
        CHECK(twin["summary"].get<std::string>().ends_with(", the least of 2 evaluations"));
      }
      set_speeds(bench, "0");
    }
    const Json again = evaluate(bench, kernel(kLine));
    CHECK(again["evidence_id"] == first["evidence_id"]);
    CHECK(again["evaluations"] == 2);
    CHECK(again["reward"].get<double>() == doctest::Approx(slowest).epsilon(0.01));
  }

  TEST_CASE("a fresh evaluation, another level and another offset join the series") {
    ToolBench bench;
    evaluate(bench, kernel(kLine));
    set_speeds(bench, "0");
    std::size_t count = 1;
    for (const Json& more :
         {Json{{"fresh", true}}, Json{{"level", "standard"}}, Json{{"reward_offset", 1}}}) {
      const Json result = evaluate(bench, kernel(kLine), more);
      CHECK(result["evaluations"] == ++count);
      CHECK(result["paid_speedup"] == 0);
    }
  }

  TEST_CASE("a kernel that was suspect once earns nothing by another try") {
    ToolBench bench;
    evaluate(bench, kernel(kLine));
    set_speeds(bench, "-1");
    const Json again = evaluate(bench, kernel(std::string(kLine) + " // again"));
    CHECK(again["correct"] == true);
    CHECK(again["reward"] == 0);
    CHECK(again["reward_withheld"] ==
          "another evaluation of this kernel was suspect, and the least counts");
  }

  TEST_CASE("what was found wrong stays wrong with another comment") {
    ToolBench bench;
    const std::string wrong =
        bench.compiled(twice_problem(), kernel("if (i < n) y[i] = 3 * x[i];"));
    const Json found = bench.result("validate", {{"kernel_id", wrong}});
    CHECK(found["verdict"] == "incorrect");
    const std::string twin =
        bench.compiled(twice_problem(), kernel("if (i < n) y[i] = 3 * x[i];  // right"));
    const Json refused = bench.result("benchmark", {{"kernel_id", twin}});
    CHECK(refused["verdict"] == "invalid");
    CHECK(refused["summary"] ==
          twin + " is not timed: " + found["verdict"].get<std::string>() + ": " +
              refused["validation"]["message"].get<std::string>() + "; " +
              found["evidence_id"].get<std::string>() + " found that of " + wrong +
              ", which differs in comments and white space only: a changed program is another "
              "kernel");
    CHECK(refused["next_steps"][0]["arguments"]["kernel_id"] == wrong);
    CHECK(refused["next_steps"][0]["arguments"]["repeat"] == found["evidence_id"]);
  }
}

}  // namespace ws::test
