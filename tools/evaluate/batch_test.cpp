#include "tools/evaluate/batch.h"

#include <latch>

#include <doctest/doctest.h>

namespace ws {
namespace {

BatchRow row(std::size_t index, double reward) {
  BatchRow made;
  made.index = index;
  made.kernel_id = "krn_" + std::to_string(index);
  made.verdict = reward > 0 ? Verdict::kSlower : Verdict::kIncorrect;
  made.reward = reward;
  made.speedup = 1;
  made.evidence_id = "evd";
  return made;
}

Evaluation evaluated() {
  Evaluation evaluation;
  evaluation.kernel_id = "krn_7";
  evaluation.verdict = Verdict::kSlower;
  evaluation.reward = 0.5;
  evaluation.speedup = 1;
  evaluation.evidence_id = "evd";
  return evaluation;
}

/// So many kernels, the first of which has level "first".
std::vector<EvaluateParams> kernels(std::size_t count) {
  std::vector<EvaluateParams> all(count);
  all.front().level = "first";
  return all;
}

Json answer(std::vector<BatchRow> rows, bool full) {
  return framed(answer_of(BatchEvaluation{.rows = std::move(rows), .full = full}));
}

}  // namespace

TEST_SUITE("tools.batch") {
  TEST_CASE("rows keep the order of the kernels, whatever ends first") {
    std::latch last_told(1);
    std::vector<std::string> messages;
    std::string partial;
    CallContext context;
    context.progress = [&](const Progress& report) {
      messages.push_back(report.message);
      partial = report.partial;
      CHECK(report.is_result);
      if (messages.size() == 1) {
        last_told.count_down();
      }
    };
    const EvaluateOne one = [&](const EvaluateParams& asked,
                                const CallContext& /*own*/) -> Result<Evaluation> {
      if (asked.level == "first") {
        last_told.wait();
        return fail(ErrorCode::kInvalidArgument, "kernel.source: missing");
      }
      return evaluated();
    };
    const auto rows = evaluate_all(kernels(2), 2, one, context);
    REQUIRE(rows.has_value());
    CHECK(
        Json((*rows)[0]).dump() ==
        R"({"index":0,"message":"invalid_argument: kernel.source: missing","reward":0.0,"speedup":null,"verdict":"invalid_argument"})");
    CHECK(
        Json((*rows)[1]).dump() ==
        R"({"evidence_id":"evd","index":1,"kernel_id":"krn_7","reward":0.5,"speedup":1.0,"verdict":"slower"})");
    CHECK(messages == std::vector<std::string>{"1 of 2: krn_7: slower, reward 0.5",
                                               "2 of 2: kernels[0]: invalid_argument, reward 0.0"});
    const Json last = Json::parse(partial);
    CHECK(last["kernels_done"] == 2);
    CHECK(last["kernels_total"] == 2);
    CHECK(last["valid"] == 1);
    CHECK(last["results"][0]["kernel_id"] == "krn_7");
    CHECK(last["results"][1]["verdict"] == "invalid_argument");
  }

  TEST_CASE("a cancelled batch begins nothing more") {
    std::stop_source stop;
    CallContext context;
    context.stop = stop.get_token();
    int begun = 0;
    const auto rows = evaluate_all(
        kernels(3), 1,
        [&](const EvaluateParams& /*asked*/, const CallContext& /*own*/) -> Result<Evaluation> {
          ++begun;
          stop.request_stop();
          return evaluated();
        },
        context);
    REQUIRE_FALSE(rows.has_value());
    CHECK(rows.error().code == ErrorCode::kCancelled);
    CHECK(begun == 1);
  }

  TEST_CASE("an answer lists the best, and says what it left out") {
    std::vector<BatchRow> rows;
    for (std::size_t i = 0; i < 20; ++i) {
      rows.push_back(row(i, i == 11 ? 0.9 : (i < 3 ? 0.0 : 0.5)));
    }
    const Json concise = answer(rows, false);
    CHECK(concise["summary"] ==
          "17 of 20 kernels are correct; the best is krn_11: slower, reward 0.9");
    CHECK(concise["results"].size() == 16);
    CHECK(concise["results"][0]["index"] == 11);
    CHECK(concise["results"][1]["index"] == 3);
    CHECK(concise["left_out"] == 4);
    CHECK(concise["next_steps"].size() == 2);
    const Json full = answer(rows, true);
    CHECK(full["results"].size() == 20);
    CHECK(full["results"][0]["index"] == 0);
    CHECK_FALSE(full.contains("left_out"));
    BatchRow right = row(0, 0);  // So large an offset that the reward is rounded to nothing.
    right.verdict = Verdict::kEquivalent;
    CHECK(answer({right}, false)["valid"] == 1);
    CHECK(answer({row(0, 0)}, false)["summary"] == "0 of 1 kernels are correct");
  }
}

}  // namespace ws
