#include "tools/evidence/validation_job.h"

#include <utility>

#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"

namespace ws {

void from_json(const Json& arguments, ValidateParams& params) {
  params.common = common_params(arguments);
  params.kernel_id = arguments.at("kernel_id");
  params.question.level = arguments.value("level", params.question.level);
  params.question.workloads = arguments.value("workloads", Json::array());
  params.question.params = arguments.value("params", Json::object());
  params.question.param_samples = arguments.value("param_samples", std::size_t{0});
  params.question.repeat = arguments.value("repeat", "");
}

void to_json(Json& arguments, const ValidateParams& params) {
  const ValidationQuestion defaults;
  const ValidationQuestion& asked = params.question;
  arguments = common_arguments(params.common);
  arguments["kernel_id"] = params.kernel_id;
  if (asked.level != defaults.level) {
    arguments["level"] = asked.level;
  }
  if (!asked.workloads.empty()) {
    arguments["workloads"] = asked.workloads;
  }
  if (!asked.params.empty()) {
    arguments["params"] = asked.params;
  }
  if (asked.param_samples != 0) {
    arguments["param_samples"] = asked.param_samples;
  }
  if (!asked.repeat.empty()) {
    arguments["repeat"] = asked.repeat;
  }
}

Result<ToolJob<ShownValidation>> validation_job(Services& services, const ValidateParams& params) {
  WS_TRY(const Subject subject, load_subject(*services.archive, params.kernel_id));
  WS_TRY(const std::vector<Device*> devices,
         services.devices_for(params.common.device, subject.kernel.language));
  ToolJob<ShownValidation> job;
  job.start = {.lanes = lanes_of(devices),
               .tool = "validate",
               .key = join_key(params, subject.kernel.id),
               .common = params.common};
  job.work = [&services, subject, params](CallContext& own) -> Result<ShownValidation> {
    WS_TRY(Device* const device, services.device(own.lane));
    WS_TRY(StoredValidation found,
           validate_stored(services, *device, subject, params.question, params.common, own));
    WS_TRY(ShownValidation answer, shown(subject, std::move(found)));
    WS_TRY(const ValidationHistory history,
           validation_history(services, *device, subject, params.question.params));
    WS_TRY(const std::int64_t passes, count_passes(services, *device, subject.kernel.id));
    add_history(history, passes, answer);
    return answer;
  };
  return job;
}

Result<StoredValidation> validate_kernel_stored(Services& services, const ValidateParams& params,
                                                StageSpan span, const CallContext& context) {
  WS_TRY(ToolJob<ShownValidation> job, validation_job(services, params));
  WS_TRY(ShownValidation shown, result_of_job(services, std::move(job), span, context));
  return std::move(shown.validation);
}

}  // namespace ws
