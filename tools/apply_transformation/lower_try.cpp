// A try at a lowering: the edits that it may make, and its record.
#include <algorithm>
#include <utility>

#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/apply_transformation/lower.h"

namespace ws {
namespace {

void refuse_outside_windows(const lift::Lowering& lowering, Change& change) {
  for (std::size_t i = 0; change.edits.is_array() && i < change.edits.size(); ++i) {
    const Json& edit = change.edits[i];
    const Json region = edit.value("region", Json("source"));
    const Json from = edit.value("from", Json());
    const bool inserts = edit.value("op", Json("replace")) == "insert";
    const Json to = edit.value("to", from);
    if (!region.is_string() || !from.is_number_integer() || !to.is_number_integer()) {
      continue;  // edit_kernel's to name.
    }
    const auto first = from.get<std::int64_t>();
    const std::string why =
        lift::outside(lowering, region, first, inserts ? first - 1 : to.get<std::int64_t>());
    if (!why.empty()) {
      change.refuse("edits[" + std::to_string(i) + "]", one_line(why, kReasonBytes));
    }
  }
}

void refuse_plan(const lift::Lowering& lowering, Change& change) {
  const bool open = lowering.arguments || lowering.changes_plan();
  for (const auto& field : change.set.items()) {
    if (!open) {
      change.refuse("set", "the target does not change the plan");
      return;
    }
    if (field.key() != "launches") {
      change.refuse("set." + one_line(field.key(), kShownName), "a lowering may set only launches");
    }
  }
}

Change change_of(const LowerStep& step, const TransformParams& params) {
  Change change;
  change.edits = params.edits;
  if (change.edits.empty()) {
    change.edits = nullptr;  // Other parameters alone may do.
  }
  change.set = params.set.is_null() ? Json::object() : params.set;
  refuse_outside_windows(step.lowering, change);
  refuse_plan(step.lowering, change);
  if (step.other_tiles()) {
    change.set["defaults"] = to_json(step.params);
  }
  if (change.set.empty()) {
    change.set = nullptr;
  }
  return change;
}

std::vector<Json> steps_after_lowering(const ConcludedTry& tried) {
  const std::string& id = tried.kernel_id();
  if (!tried.applied()) {
    return {advice("send the same call with corrected edits; they refer to the lines of " + id)};
  }
  if (tried.made.unchecked) {
    return {advice("validate " + id + " on a device that runs it before it is used")};
  }
  return {
      next_step("validate", {{"kernel_id", id}, {"level", "standard"}}, "check it on more inputs"),
      next_step("benchmark", {{"kernel_id", id}, {"baseline", "none"}}, "see how fast it is")};
}

std::string summary_of_lowering(const ConcludedTry& tried, const std::string& arch) {
  if (tried.applied() && tried.made.unchecked) {
    return "lowered, not run: " + tried.kernel_id() + " compiles for " + arch +
           ", and its program computes what the target does (" +
           answer_of(*tried.made.verified).summary + ")";
  }
  if (tried.applied()) {
    return "lowered: " + tried.kernel_id() + " computes what the target does";
  }
  return std::string(name_of(tried.made.verdict)) + ", attempt " + std::to_string(tried.attempt) +
         ": " + ws::quoted(tried.made.reason, kReasonBytes);
}

}  // namespace

Result<TriedLowering> apply_lowering(Services& services, LowerStep step,
                                     const TransformParams& params, CallContext& context) {
  const Change change = change_of(step, params);
  WS_TRY(Try made, attempt_lowering(services, step, change, params.common.fresh, context));
  WS_TRY(ConcludedTry tried,
         conclude(services, step.subject.kernel, change, std::move(made),
                  {.transformation = kLowering, .pass = 1, .passes = 1}, params.ref));
  return TriedLowering{.step = std::move(step), .tried = std::move(tried)};
}

Answer answer_of(const TriedLowering& done) {
  Json body = form_of(done.tried);
  body["rules"] = done.step.lowering.rules;
  if (done.tried.applied()) {
    body["problem_id"] = done.step.problem.id;
  }
  return {.summary = summary_of_lowering(done.tried, done.step.arch),
          .body = std::move(body),
          .next_steps = steps_after_lowering(done.tried)};
}

}  // namespace ws
