#include "tools/evaluate/question.h"

#include "runtime/device/library_run.h"
#include "runtime/device/module_run.h"
#include "runtime/evaluate/measure/baseline.h"
#include "runtime/kernel/form/baseline_form.h"
#include "runtime/session/reward_pins.h"
#include "tools/kernels/kernel_choice.h"

namespace ws {
namespace {

/// Whether the rewarded client may have chosen or made the baseline: all but what the problem
/// names, its reference, and a kernel that whoever runs the server has set.
bool is_own(const Services& services, const std::string& baseline) {
  const RewardPins* const pins = services.options.reward_pins.get();
  const bool by_lineage = baseline == "root" || baseline == "parent";
  const bool is_set = pins != nullptr && pins->baseline && !by_lineage;
  return baseline != "reference" && baseline != "problem" && !module_mode_of(baseline) &&
         !library_baseline_of(baseline) && !is_set;
}

/// The baseline that a call means.
Result<std::string> baseline_of(const Subject& subject, const std::optional<std::string>& asked) {
  const Problem& problem = subject.problem;
  WS_TRY(const auto named, named_baseline(problem));
  if (!named) {
    return asked.value_or(can_time_reference(subject) ? "reference" : "root");
  }
  const std::string own = named->kernel ? "problem" : "reference";
  if (asked && *asked != own) {
    return fail(ErrorCode::kInvalidArgument,
                "`baseline`: rewards of this problem are measured against the baseline that it "
                "names, `" +
                    own + "`, not against `" + *asked + "`",
                "leave `baseline` out; `benchmark` times a kernel against others");
  }
  return own;
}

}  // namespace

std::string EvaluateQuestion::key(const std::string& on) const {
  Json terms = {{"kernel", subject.kernel.id},
                {"device", on},
                {"params", params},
                {"level", level},
                {"baseline", baseline},
                {"offset", offset},
                {"paid_by", "lower end"},
                {"withheld", withheld}};
  if (from == RewardFrom::kModel) {
    terms["model"] = kModelVersion;
  }
  return terms.dump();
}

Result<EvaluateQuestion> evaluate_question(Services& services, const EvaluateParams& params,
                                           const std::stop_token& stop) {
  EvaluateQuestion question;
  question.common = params.common;
  question.params = params.params;
  question.level = params.level;
  question.offset = params.reward_offset;
  question.from = params.reward_from;
  if (params.baseline == "none") {
    return fail(ErrorCode::kInvalidArgument, "`baseline`: a reward needs one; `none` has no speed",
                "use `reference`, `parent`, `root`, or a kernel id or ref");
  }
  WS_TRY(question.device, services.device(question.common.device));
  WS_TRY(question.subject, choose_kernel(services, *params.common.asked, stop));
  WS_TRY(question.device,
         services.device_for(question.common.device, question.subject.kernel.language));
  WS_TRY(question.baseline, baseline_of(question.subject, params.baseline));
  if (question.baseline.find('@') != std::string::npos) {  // A name that may move.
    WS_TRY(question.baseline, services.archive->ref(question.baseline));
  }
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  const bool modelled = question.from == RewardFrom::kModel;
  if (modelled && !info.emulated) {
    return fail(ErrorCode::kInvalidArgument,
                "`reward_from`: `model` is for emulated devices, and " + question.device->id +
                    " is a GPU, whose times are measured",
                "leave `reward_from` out, or choose another `device`");
  }
  question.withheld = reward_withheld({.emulated = info.emulated && !modelled,
                                       .device_named = !question.common.device.empty(),
                                       .own_baseline = is_own(services, question.baseline)});
  return question;
}

}  // namespace ws
