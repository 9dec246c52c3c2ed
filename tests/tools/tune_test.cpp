// tune, end to end on the CPU engine: what it finds, excludes, respects and refuses.
#include <set>

#include <doctest/doctest.h>

#include "runtime/base/clock.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// y = 2 x, after as many useless additions as the parameter says: the fewest are the fastest.
/// WORK 1 is fast and wrong, 3 is refused by the kernel, 5 does not compile, 6 writes outside,
/// 7 asks for more threads than there are. The first value is the default.
Json planted_kernel(const std::string& note, Json values) {
  const int fallback = values.front();
  Json kernel = with_source(R"(// )" + note + R"(
#define WORK @WORK@
static_assert(WORK != 3, "ws_invalid: three is odd here");
__global__ void k(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if WORK == 5
  this_is_not_declared();
#endif
  volatile int sum = 0;
  for (int r = 0; r < WORK; ++r) sum = sum + 1;
  if (i < n) y[i] = (WORK == 1 ? 3 : 2) * x[i];
  if (WORK == 6 && i == 0) y[n + 100000] = 1;
}
)");
  kernel["launches"][0]["block"] = {"64 if WORK != 7 else 4096"};
  kernel["params"] = {{"WORK", std::move(values)}};
  kernel["defaults"] = {{"WORK", fallback}};
  return kernel;
}

Json tuned(const std::string& kernel_id, Json more) {
  more["kernel_id"] = kernel_id;
  return tools().result("tune", more);
}

std::string refusal(const Json& kernel, Json more = Json::object()) {
  more["kernel_id"] = tools().compiled(twice_problem(), kernel);
  return tools().refusal("tune", more);
}

}  // namespace

TEST_SUITE("tools.tune") {
  TEST_CASE("the planted best is found, and what is wrong, pruned or broken is left out") {
    // Milliseconds against microseconds: that shows on a busy machine, too, though its noise may
    // leave the verdict open (tune.answer tests what follows from each).
    const std::string id = tools().compiled(
        twice_problem(), planted_kernel("found", {20000, 80000, 1, 3, 4, 5, 6, 7, 40}));
    const Json result = tuned(id, {{"budget_s", 60}, {"strategy", "exhaustive"}});
    CAPTURE(result.dump());
    CHECK(result["kernel_id"] == id);
    CHECK((result["verdict"] == "faster" || result["verdict"] == "inconclusive"));
    CHECK(result["ended_by"] == "exhausted");
    // 4 and 40 additions are nothing beside 20000: the faster may be either, and the other ties.
    CHECK(result["best_params"]["WORK"].get<int>() <= 40);
    CHECK(result["best_params"]["WORK"].get<int>() >= 4);
    CHECK(result["ratio"].get<double>() > 1.2);
    CHECK(result["points_total"] == 9);
    CHECK(result["pruned"] == 2);
    CHECK(result["pruned_by"] == Json{{"constraints", 0}, {"device", 1}, {"kernel", 1}});
    // 1 is wrong, which only shows when a busy machine does not make it look slow.
    CHECK(result["evaluated"].get<int>() + result["failed"].get<int>() == 7);
    CHECK(result["failed"].get<int>() >= 2);
    std::set<std::string> verdicts;
    for (const Json& failure : result["failures"]) {
      verdicts.insert(failure["verdict"]);
    }
    CHECK(verdicts.contains("compile_error"));
    // Where there is memory beyond the buffer, only validation can find it.
    CHECK((verdicts.contains("runtime_error") || verdicts.contains("out_of_bounds")));
    CHECK(result["validation"]["verdict"] == "passed");
    CHECK(result["validation"]["level"] == "standard");
    CHECK(result["emulated"] == true);
    REQUIRE(result["convergence"].size() >= 2);
    CHECK(result["convergence"].back()["best_us"].get<double>() <
          result["convergence"].front()["best_us"].get<double>());
    const Json& pace = result["pace"];
    CHECK(pace["builds"].get<int>() >= 8);
    CHECK(pace["trials"].get<int>() >= 5);
    CHECK(pace["measuring_s"].get<double>() <= pace["search_s"].get<double>());
    CHECK(pace["overlap"].get<double>() < 0.2);  // Kernels run on the cores that compile.
    CHECK(result["links"].back()["rel"] == "report");
    CHECK(result["links"].back()["uri"] ==
          "evidence://" + result["evidence_id"].get<std::string>());
    CHECK_FALSE(result["next_steps"].empty());
    CHECK(result.dump().size() <= 4096);
    // The winner is a choice of parameters of the same kernel: what judges kernels takes it.
    const Json again = tools().result(
        "validate", {{"kernel_id", id}, {"params", result["best_params"]}, {"level", "standard"}});
    CHECK(again["verdict"] == "passed");
    CHECK(again["evidence_id"] == result["validation"]["evidence_id"]);
    const Json changed = tools().result(
        "compile_kernel", {{"base", id}, {"set", {{"defaults", result["best_params"]}}}});
    CHECK(changed["verdict"] == "compiled");
  }

  TEST_CASE("a fast point with wrong results never becomes the best, and says why") {
    const std::string id = tools().compiled(twice_problem(), planted_kernel("wrong", {2000, 1}));
    const Json result = tuned(id, {{"budget_s", 30}});
    CAPTURE(result.dump());
    CHECK(result["best_params"] == Json{{"WORK", 2000}});
    CHECK(result["verdict"] == "unchanged");
    CHECK(result["ratio"] == 1);
    // Raced, it is a failure; where a busy machine made it look slow, the sample shows it.
    const Json& found = result["failures"].empty() ? result["rejected"] : result["failures"];
    REQUIRE(found.size() == 1);
    CHECK(found[0]["verdict"] == "incorrect");
    CHECK(found[0]["params"] == Json{{"WORK", 1}});
    CHECK(result["summary"].get<std::string>().starts_with(
        id + ": nothing is faster than the defaults {\"WORK\":2000} (emulated); "));
  }

  TEST_CASE("where no point is correct the verdict is none, and the failures say why") {
    const std::string id = tools().compiled(twice_problem(), planted_kernel("none", {1}));
    const Json result = tuned(id, {{"budget_s", 20}});
    CAPTURE(result.dump());
    CHECK(result["verdict"] == "none");
    CHECK(result["best_params"].is_null());
    CHECK(result["ratio"].is_null());
    CHECK(result["summary"] ==
          id + ": no correct point was timed (emulated); 0 timed, 0 pruned, 1 failed");
    CHECK(result["next_steps"][0]["tool"] == "validate");
    CHECK(result["next_steps"][0]["arguments"]["params"] == Json{{"WORK", 1}});
  }

  TEST_CASE("the budgets are respected, and a larger one goes on where the smaller one ended") {
    Json values = Json::array();
    for (int i = 100; i < 160; ++i) {
      values.push_back(20 * i);
    }
    Json kernel = planted_kernel("budget", values);
    const std::string id = tools().compiled(twice_problem(), kernel);
    const Json few = tuned(id, {{"budget_s", 60}, {"max_evaluations", 5}});
    CHECK(few["ended_by"] == "evaluations");
    CHECK(few["evaluated"].get<int>() + few["failed"].get<int>() == 5);
    CHECK(few["resumed"] == 0);
    const Json timed = tuned(id, {{"time_budget_ms", 4000}});
    CHECK(timed["resumed"] == 5);
    CHECK(timed["evaluated"].get<int>() >= 5);
    if (timed["ended_by"] == "budget") {
      CHECK(timed["next_steps"].back()["tool"] == "tune");
      CHECK(timed["next_steps"].back()["arguments"]["time_budget_ms"] == 16000);
    }
    const Json same = tuned(id, {{"budget_s", 60}, {"max_evaluations", 5}});
    CHECK(same["evidence_id"] == few["evidence_id"]);
    const Json fresh = tuned(id, {{"budget_s", 60}, {"max_evaluations", 2}, {"fresh", true}});
    CHECK(fresh["resumed"] == 0);
    CHECK(fresh["evaluated"] == 2);
  }

  TEST_CASE("a long tuning is a job that tells the best so far, and goes on after a cancel") {
    Json values = Json::array();
    for (int i = 0; i < 200; ++i) {
      values.push_back(1000 + 10 * i);
    }
    const std::string id =
        tools().compiled(twice_problem(), planted_kernel("job", std::move(values)));
    const Json arguments = {
        {"kernel_id", id}, {"budget_s", 300}, {"strategy", "random"}, {"wait_ms", 6000}};
    const Json begun = tools().result("tune", arguments);
    CAPTURE(begun.dump());
    REQUIRE(begun["status"] == "running");
    const std::string message = begun["progress"]["message"];
    CHECK(message.find(" points, best ") != std::string::npos);
    CHECK(message.find(" us with WORK = ") != std::string::npos);
    tools().result("job", {{"job_id", begun["job_id"]}, {"action", "cancel"}});
    CHECK(tools()
              .refusal("job", {{"job_id", begun["job_id"]}, {"action", "wait"}})
              .starts_with("cancelled: "));
    const Json after = tuned(id, {{"budget_s", 10}, {"max_evaluations", 3}});
    CHECK(after["resumed"].get<int>() >= 1);
  }

  TEST_CASE("what cannot be tuned is refused with the reason and the way out") {
    CHECK(refusal(good_kernel())
              .ends_with(" has no `params` to tune; send it with params, for example {\"TILE\": "
                         "[8, 16, 32]}, and "
                         "@TILE@ in its text"));
    Json kernel = planted_kernel("no point", {2000, 4});
    kernel["constraints"] = {"n == 1000"};
    const std::string id = tools().compiled(twice_problem(), kernel);
    const Json elsewhere = {{"kernel_id", id}, {"workloads", {{{"n", 999}}}}};
    CHECK(tools().refusal("tune", elsewhere) ==
          "invalid_argument: the constraints leave none of the 2 points of the search space; "
          "weaken a constraint or list more values");
    CHECK(tools().refusal("tune", {{"kernel_id", id}, {"strategy", "best"}}) ==
          "invalid_argument: `strategy` must be one of \"portfolio\", \"exhaustive\", \"random\", "
          "\"greedy\", \"genetic\", \"evolution\", \"surrogate\", got a string \"best\"");
    CHECK(tools().refusal("tune", {{"kernel_id", id}, {"budget_s", 0}}) ==
          "invalid_argument: `budget_s` must be 1 to 86400, got the number 0");
    CHECK(tools()
              .refusal("tune", {{"kernel_id", "krn_x_0123456789abcdef0123456789abcdef"}})
              .starts_with("not_found: "));
  }

  TEST_CASE("a constraint that divides by zero names itself and the point") {
    Json kernel = planted_kernel("zero", {2000, 4});
    kernel["constraints"] = {"n % (WORK - 4) >= 0"};
    CHECK(refusal(kernel) ==
          "invalid_argument: constraints[0]: expression `n % (WORK - 4) >= 0`: division by zero at "
          "column 3, with WORK = 4; here:\n  n % (WORK - 4) >= 0\n    ^");
  }

  TEST_CASE("a billion points are sampled, and not taken by exhaustive") {
    Json kernel = planted_kernel("billion", {2000, 4});
    Json ten = Json::array();
    for (int i = 0; i < 10; ++i) {
      ten.push_back(i);
    }
    for (int i = 0; i < 9; ++i) {
      kernel["params"]["P" + std::to_string(i)] = ten;
    }
    kernel["constraints"] = {"P0 + P1 == P2"};
    kernel["defaults"] = {{"WORK", 2000}};
    const std::string id = tools().compiled(twice_problem(), kernel);
    CHECK(tools().refusal("tune", {{"kernel_id", id}, {"strategy", "exhaustive"}}) ==
          "invalid_argument: the search space has 2000000000 points; `exhaustive` takes at most "
          "262144; use strategy `portfolio`, or list fewer values");
    kernel["constraints"] = {"P0 + P1 == P2", "n == 1000"};
    const std::string none = tools().compiled(twice_problem(), kernel);
    CHECK(tools().refusal("tune", {{"kernel_id", none}, {"workloads", {{{"n", 999}}}}}) ==
          "invalid_argument: none of 20000 points drawn from the search space meets the "
          "constraints; weaken a constraint, or list fewer values that break it");
    const Json result = tuned(id, {{"budget_s", 30}, {"max_evaluations", 6}});
    CAPTURE(result.dump());
    CHECK(result["evaluated"] == 6);
    CHECK(result["points_total"] == 2'000'000'000);
    CHECK(result["pruned"].get<int>() > 0);
  }
}

}  // namespace ws::test
