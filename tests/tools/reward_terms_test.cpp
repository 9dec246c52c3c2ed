// The terms of a reward: what a client may choose of them, and what the server has set.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json question() {
  return {{"problem", twice_problem()}, {"kernel", good_kernel()}};
}

Json question(const std::string& field, const Json& value) {
  Json asked = question();
  asked[field] = value;
  return asked;
}

RewardPins all_pins() {
  return {
      .device = "cpu:0", .level = "standard", .baseline = "reference", .offset = 2, .params = "{}"};
}

}  // namespace

TEST_SUITE("tools.reward_terms") {
  TEST_CASE("an offset by which anything earns the whole reward, or nothing does, is refused") {
    for (const double offset : {-1000.0, 0.99, 11.5}) {
      CHECK(tools().refusal("evaluate", question("reward_offset", offset)) ==
            "invalid_argument: `reward_offset` must be 1 to 11, got the number " +
                Json(offset).dump());
    }
  }

  TEST_CASE("an argument that differs from the server's is refused with the option's name") {
    ToolBench bench;
    bench.restart_with(all_pins());

    const struct {
      const char* field;
      Json value;
      const char* text;
    } cases[] = {
        {"device", "cuda:0",
         "`device`: this server gives rewards with \"cpu:0\" only (its option --reward-device), "
         "got \"cuda:0\"; leave `device` out"},
        {"level", "quick",
         "`level`: this server gives rewards with \"standard\" only (its option --reward-level), "
         "got \"quick\"; leave `level` out"},
        {"baseline", "root",
         "`baseline`: this server gives rewards with \"reference\" only (its option "
         "--reward-baseline), got \"root\"; leave `baseline` out"},
        {"reward_offset", 1.8,
         "`reward_offset`: this server gives rewards with 2.0 only (its option --reward-offset), "
         "got 1.8; leave `reward_offset` out"},
        {"params",
         {{"TILE", 16}},
         "`params`: this server gives rewards with {} only (its option --reward-params), got "
         "{\"TILE\":16}; leave `params` out"},
    };

    for (const auto& c : cases) {
      Json asked = question(c.field, c.value);
      CHECK(bench.refusal("evaluate", asked) == std::string("invalid_argument: ") + c.text);
      asked["kernels"] = Json::array({asked["kernel"]});
      asked.erase("kernel");
      CHECK(bench.refusal("evaluate", asked) == std::string("invalid_argument: ") + c.text);
    }
  }

  TEST_CASE("what a call leaves out is the server's, and list_devices says so") {
    ToolBench bench;
    bench.restart_with(all_pins());
    const Json result = bench.result("evaluate", question());
    CHECK(result["reward"].is_number());  // As if the call had named the device.
    const Json same = bench.result("evaluate", question("level", "standard"));
    CHECK(same["evidence_id"] == result["evidence_id"]);
    const Json devices = bench.result("list_devices", Json::object())["devices"];
    REQUIRE(devices[0].contains("rewards"));
    CHECK(devices[0]["rewards"] == Json::parse(R"({"device": "cpu:0", "level": "standard",
      "baseline": "reference", "reward_offset": 2.0, "params": {}})"));
    CHECK_FALSE(tools().result("list_devices", Json::object())["devices"][0].contains("rewards"));
  }

  TEST_CASE("a problem that names its baseline is measured against no other") {
    Json problem = twice_problem();
    problem["baseline"] = "reference";
    Json asked = {{"problem", problem}, {"kernel", good_kernel()}, {"baseline", "root"}};
    CHECK(tools().refusal("evaluate", asked) ==
          "invalid_argument: `baseline`: rewards of this problem are measured against the baseline "
          "that it names, `reference`, not against `root`; leave `baseline` out; `benchmark` times "
          "a kernel against others");
    asked["baseline"] = "reference";
    asked["device"] = "cpu:0";
    CHECK(tools().result("evaluate", asked)["reward"].is_number());
  }

  TEST_CASE(
      "a kernel that a problem names as its baseline earns rewards where a reference cannot") {
    Json problem = twice_problem();
    problem["reference"] = {
        {"kind", "python"},
        {"source", "def reference(inputs, dims):\n    return {'y': 2 * inputs['x']}\n"}};
    problem["baseline"] = good_kernel();
    Json asked = {{"problem", problem}, {"kernel", good_kernel()}, {"device", "cpu:0"}};
    const Json result = tools().result("evaluate", asked);
    CHECK(result["correct"] == true);
    CHECK(result["baseline"] == "problem");
    CHECK(result["reward"].is_number());
    asked["baseline"] = "root";
    CHECK(tools().refusal("evaluate", asked).find("that it names, `problem`") != std::string::npos);
    const Json timed = tools().result(
        "benchmark",
        {{"kernel_id", result["kernel_id"]}, {"baseline", "problem"}, {"time_budget_ms", 50}});
    // A busy machine may not be able to tell so short a kernel's time.
    CHECK((timed["verdict"] == "resolution_limited" || timed["baseline"] == "problem"));
    const std::string other = tools().compiled(twice_problem(), good_kernel());
    CHECK(tools()
              .refusal("benchmark", {{"kernel_id", other}, {"baseline", "problem"}})
              .ends_with(" has no kernel as its `baseline`; choose `reference`, `root`, `parent`, "
                         "`none` or a kernel id"));
  }

  TEST_CASE("a wrong kernel that a problem names as its baseline makes nothing fast") {
    ToolBench bench;
    Json problem = twice_problem();
    problem["baseline"] = twice_kernel("  if (i < n) y[i] = 2 * x[i] + (i == 7);");
    const Json asked = {{"problem", problem}, {"kernel", good_kernel()}, {"device", "cpu:0"}};
    const std::string id = bench.compiled(problem, good_kernel());
    const std::string problem_id = bench.services().archive->kernel(id)->problem_id;
    const std::string refused = bench.refusal("evaluate", asked);
    CHECK_MESSAGE(refused.starts_with("conflict: the baseline that " + problem_id +
                                      " names did not pass: incorrect: output `y`: "),
                  refused);
    CHECK(
        refused.ends_with("; send the problem with a right kernel as its `baseline`; until then "
                          "nothing is timed against this one"));
    bench.restart();
    CHECK(bench.refusal("evaluate", asked) == refused);
    CHECK(bench.refusal("benchmark", {{"kernel_id", id}, {"baseline", "problem"}}) == refused);
    CHECK(bench.result("benchmark", {{"kernel_id", id}, {"baseline", "none"}})["verdict"] !=
          "invalid");
  }

  TEST_CASE("a server whose rewards are for a device that is not there does not start") {
    const TestFolder folder;
    ServicesOptions options;
    options.data_dir = folder.path();
    options.gpus = false;
    options.reward_pins = std::make_shared<const RewardPins>(RewardPins{.device = "cuda:9"});
    const auto opened = open_services(options);
    REQUIRE_FALSE(opened.has_value());
    CHECK(to_text(opened.error())
              .starts_with("not_found: no device `cuda:9`; the devices here are "
                           "cpu:0"));
  }
}

}  // namespace ws::test
