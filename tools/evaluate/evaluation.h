// The result of evaluating a kernel, and its JSON form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/profile/modelled_speedup.h"
#include "tools/answer/typed_job.h"
#include "tools/evaluate/reward.h"
#include "tools/evidence/benchmark_job.h"
#include "tools/evidence/validation_job.h"
#include "tools/kernels/compile_job.h"

namespace ws {

/// The arguments of `evaluate`. The kernel is chosen by those in `common.asked`.
struct EvaluateParams {
  CommonParams common;
  Json params = Json::object();  ///< As sent.
  std::string level = "quick";
  std::optional<std::string> baseline;
  double reward_offset = kRewardOffset;
  RewardFrom reward_from = RewardFrom::kTime;
  /// For many kernels: the same arguments with each of them, and without an end to the wait.
  std::optional<std::vector<EvaluateParams>> kernels;
};

void from_json(const Json& arguments, EvaluateParams& params);

struct Evaluation {
  Verdict verdict = Verdict::kCompiled;  ///< The last stage's.
  std::string problem_id;
  std::string kernel_id;
  std::string parent;  ///< Empty for a kernel without one.
  std::string baseline;
  bool emulated = false;
  Compilation compile;
  std::optional<StoredValidation> validation;
  std::optional<StoredBenchmark> benchmark;
  std::optional<ModelledSpeedup> modelled;  ///< In place of a benchmark.
  std::optional<double> speedup;
  std::optional<double> reward;
  std::size_t evaluations = 0;  ///< The reward stands on so many; 0: it was not timed.
  double paid = 0;              ///< The least speed-up of these, which is paid; kUntrusted: none.
  std::string withheld;         ///< Why there is no reward for a speed-up.
  std::string evidence_id;
  std::int64_t age_s = 0;

  /// The kernel was right whenever it was timed.
  [[nodiscard]] bool correct() const { return facts_of(verdict).right_when_timed; }
};

/// {verdict, problem_id, kernel_id, parent, baseline, emulated, compile, validation, benchmark,
/// reward_from and modelled_speedup where it was modelled, correct, speedup, evaluations,
/// paid_speedup, reward, reward_withheld, links}, and evidence_id and age_s where there is
/// evidence. Fields that do not apply are left out.
void to_json(Json& form, const Evaluation& evaluation);

/// Reads that form. Throws nlohmann's exception if the form is another one.
void from_json(const Json& form, Evaluation& evaluation);

/// The answer that shows an evaluation to a client.
Answer answer_of(const Evaluation& evaluation);

/// "reward 0.55", or "no reward".
std::string reward_text(const std::optional<double>& reward);

}  // namespace ws
