#include "tools/evaluate/evaluation.h"

#include "runtime/base/numbers.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/evaluate/modelled.h"

namespace ws {
namespace {

/// A stage's form without what the whole form says.
Json part_of(Json form) {
  for (const char* field : {"kernel_id", "problem_id", "parent"}) {
    form.erase(field);
  }
  return form;
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> number_of(const Json& form, const char* field) {
  const auto at = form.find(field);
  return at != form.end() && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

std::string summary_of(const Evaluation& evaluation) {
  std::string text = evaluation.kernel_id + ": " + std::string(name_of(evaluation.verdict));
  if (evaluation.speedup) {
    text += ", " + Json(*evaluation.speedup).dump() + "x against " + evaluation.baseline;
  }
  if (evaluation.modelled && evaluation.modelled->unknown.empty()) {
    text += ", modelled " + Json(rounded(evaluation.modelled->low)).dump() + " to " +
            Json(rounded(evaluation.modelled->high)).dump() + "x against " + evaluation.baseline;
  }
  text += ", " + reward_text(evaluation.reward);
  return evaluation.evaluations > 1 && evaluation.reward
             ? text + ", the least of " + std::to_string(evaluation.evaluations) + " evaluations"
             : text;
}

std::vector<Json> steps_after(const Evaluation& evaluation) {
  const std::string& id = evaluation.kernel_id;
  if (evaluation.correct()) {
    return {edit_step("evaluate", id, "try the next change")};
  }
  if (evaluation.verdict == Verdict::kSuspect) {
    return {next_step("validate", {{"kernel_id", id}, {"level", "standard"}, {"fresh", true}},
                      "find out when its results are wrong")};
  }
  const char* last = evaluation.benchmark    ? "benchmark"
                     : evaluation.validation ? "validation"
                                             : "compile";
  return {edit_step("evaluate", id, "fix what " + std::string(last) + " names")};
}

}  // namespace

void from_json(const Json& arguments, EvaluateParams& params) {
  params.common = common_params(arguments);
  params.params = arguments.value("params", Json::object());
  params.level = arguments.value("level", params.level);
  if (arguments.contains("baseline")) {
    params.baseline = arguments["baseline"].get<std::string>();
  }
  params.reward_offset = arguments.value("reward_offset", params.reward_offset);
  params.reward_from = reward_from(arguments.value("reward_from", std::string()));
  if (!arguments.contains("kernels")) {
    return;
  }
  Json shared = arguments;
  shared.erase("kernels");
  shared.erase("detail");
  shared["wait_ms"] = kLongestWait.count();
  params.kernels.emplace();
  for (const Json& kernel : arguments["kernels"]) {
    shared["kernel"] = kernel;
    params.kernels->push_back(shared.get<EvaluateParams>());
  }
}

void to_json(Json& form, const Evaluation& evaluation) {
  form = {{"verdict", name_of(evaluation.verdict)},
          {"problem_id", evaluation.problem_id},
          {"kernel_id", evaluation.kernel_id},
          {"baseline", evaluation.baseline},
          {"emulated", evaluation.emulated},
          {"compile", part_of(evaluation.compile)},
          {"correct", evaluation.correct()},
          {"speedup", number_or_null(evaluation.speedup)},
          {"reward", number_or_null(evaluation.reward)},
          {"links", kernel_links(evaluation.kernel_id)}};
  if (!evaluation.parent.empty()) {
    form["parent"] = evaluation.parent;
  }
  if (evaluation.validation) {
    form["validation"] = part_of(*evaluation.validation);
  }
  if (evaluation.benchmark) {
    form["benchmark"] = part_of(*evaluation.benchmark);
  }
  if (evaluation.modelled) {
    form["reward_from"] = name_of(RewardFrom::kModel);
    form["modelled_speedup"] = *evaluation.modelled;
  }
  if (!evaluation.withheld.empty()) {
    form["reward_withheld"] = evaluation.withheld;
  }
  if (evaluation.evaluations > 0) {
    form["evaluations"] = evaluation.evaluations;
    form["paid_speedup"] = evaluation.paid;
  }
  if (!evaluation.evidence_id.empty()) {
    form["evidence_id"] = evaluation.evidence_id;
    form["age_s"] = evaluation.age_s;
  }
}

void from_json(const Json& form, Evaluation& evaluation) {
  evaluation.verdict =
      verdict_of(form.at("verdict").get<std::string>()).value_or(Verdict::kSuspect);
  evaluation.problem_id = form.at("problem_id");
  evaluation.kernel_id = form.at("kernel_id");
  evaluation.parent = form.value("parent", "");
  evaluation.baseline = form.at("baseline");
  evaluation.emulated = form.value("emulated", false);
  evaluation.compile = form.at("compile").get<Compilation>();
  if (form.contains("validation")) {
    evaluation.validation = form["validation"].get<StoredValidation>();
    evaluation.validation->kernel_id = evaluation.kernel_id;
  }
  if (form.contains("benchmark")) {
    evaluation.benchmark = form["benchmark"].get<StoredBenchmark>();
    evaluation.benchmark->kernel_id = evaluation.kernel_id;
  }
  if (form.contains("modelled_speedup")) {
    evaluation.modelled = form["modelled_speedup"].get<ModelledSpeedup>();
  }
  evaluation.speedup = number_of(form, "speedup");
  evaluation.reward = number_of(form, "reward");
  evaluation.evaluations = form.value("evaluations", std::size_t{0});
  evaluation.paid = form.value("paid_speedup", 0.0);
  evaluation.withheld = form.value("reward_withheld", "");
  evaluation.evidence_id = form.value("evidence_id", "");
  evaluation.age_s = form.value("age_s", std::int64_t{0});
}

Answer answer_of(const Evaluation& evaluation) {
  return {
      .summary = summary_of(evaluation), .body = evaluation, .next_steps = steps_after(evaluation)};
}

std::string reward_text(const std::optional<double>& reward) {
  return reward ? "reward " + Json(*reward).dump() : "no reward";
}

}  // namespace ws
