#include "tools/apply_transformation/listing.h"

#include <algorithm>
#include <utility>

#include "runtime/session/skills.h"
#include "tools/apply_transformation/step.h"

namespace ws {
namespace {

/// By transformation.
Result<std::map<std::string, TryCounts>> tries_of_all(Archive& archive) {
  WS_TRY(const std::vector<PassStatistic> rows, archive.pass_statistics(""));
  std::map<std::string, TryCounts> tries;
  for (const PassStatistic& row : rows) {
    TryCounts& counts = tries[row.transformation];
    counts.tries += row.tries;
    const bool failed = row.verdict != Verdict::kPassed && row.verdict != Verdict::kSkipped;
    counts.failed += failed ? row.tries : 0;
  }
  return tries;
}

Json row_form(const ApplicableTransformation& row) {
  Json form = {{"name", row.name}, {"summary", row.summary}};
  if (row.counts) {
    form["tries"] = row.counts->tries;
    form["failed"] = row.counts->failed;
  }
  return form;
}

}  // namespace

Result<TransformationList> list_transformations(Services& services, const TransformParams& params) {
  WS_TRY(Step step, begin_step(services, params));
  WS_TRY(const auto tries, tries_of_all(*services.archive));
  TransformationList list;
  list.kernel_id = step.subject.kernel.id;
  list.arch = step.arch;
  for (const auto& [name, transformation] : current_skills(services.options).transformations) {
    const auto states = judge_requirements(transformation, step.facts());
    const auto broken = std::find_if(states.begin(), states.end(),
                                     [](const auto& state) { return state.holds == false; });
    if (broken == states.end()) {
      const auto counts = tries.find(name);
      list.applicable.push_back(
          {.name = name,
           .summary = transformation.summary,
           .counts = counts == tries.end() ? std::nullopt : std::optional(counts->second)});
    } else {
      list.others[name] = "needs " + broken->text;
    }
  }
  list.history = std::move(step.history);
  return list;
}

Answer answer_of(const TransformationList& list) {
  Answer answer;
  answer.summary =
      std::to_string(list.applicable.size()) + " transformations may apply to " + list.kernel_id;
  Json applicable = Json::array();
  for (const ApplicableTransformation& row : list.applicable) {
    applicable.push_back(row_form(row));
  }
  answer.body = {{"kernel_id", list.kernel_id},
                 {"transformations", std::move(applicable)},
                 {"others", list.others}};
  for (const PassTry& done : list.history) {
    answer.body["history"].push_back({{"transformation", done.transformation},
                                      {"pass", done.pass},
                                      {"of", done.passes},
                                      {"verdict", name_of(done.verdict)},
                                      {"kernel_id", done.kernel_id}});
  }
  if (!list.applicable.empty()) {
    Json first = {{"kernel_id", list.kernel_id}, {"transformation", list.applicable.front().name}};
    if (!list.arch.empty()) {
      first["arch"] = list.arch;
    }
    answer.next_steps.push_back(next_step("apply_transformation", std::move(first),
                                          "read the first pass of the one that suits"));
  }
  return answer;
}

}  // namespace ws
