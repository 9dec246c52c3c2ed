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

namespace {

/// "; memcheck and racecheck found nothing; initcheck took longer than 60000 ms"
std::string sanitizers_text(const SanitizerResult& result) {
  std::string names;
  for (std::size_t i = 0; i < result.clean.size(); ++i) {
    names += i == 0 ? "; " : i + 1 == result.clean.size() ? " and " : ", ";
    names += name_of(result.clean[i]);
  }
  std::string text = names.empty() ? "" : names + " found nothing";
  for (const std::string& why : result.skipped) {
    text += "; " + why;
  }
  return text;
}

/// ", and 3 on the CPU engine", or why it tells nothing.
std::string engine_text(const EngineCheck& check) {
  if (check.verdict == Verdict::kPassed) {
    return ", and " + std::to_string(check.runs) + " on the CPU engine";
  }
  return "; the CPU engine says " + verdict_text(check.verdict, check.message);
}

}  // namespace

Answer answer_of(const StoredValidation& validation) {
  const ValidationResult& result = validation.result;
  const std::string& kernel = validation.kernel_id;
  const bool passed = result.verdict == Verdict::kPassed;
  Answer answer{.summary = {}, .body = validation, .next_steps = {}};
  answer.body["links"] = kernel_links(kernel);
  answer.body["links"].push_back(
      {{"rel", "report"}, {"uri", "evidence://" + validation.evidence_id}});
  if (passed) {
    answer.summary = kernel + " passed " + std::to_string(result.runs_total) + " runs";
    if (result.engine) {
      answer.summary += engine_text(*result.engine);
    }
    if (result.sanitized) {
      answer.summary += sanitizers_text(*result.sanitized);
    }
    if (!validation.weak_problem.empty()) {
      answer.summary += ", on a weak problem: " + validation.weak_problem.front();
    }
    answer.next_steps = {
        next_step("benchmark", {{"kernel_id", kernel}}, "time it against its root")};
  } else if (result.verdict == Verdict::kInvalidReference) {
    answer.summary = kernel + ": " + verdict_text(result.verdict, result.message);
    answer.next_steps = {
        advice("change the problem, not the kernel: give its inputs another `fill` or `domain`, or "
               "correct its reference, and send it with compile_kernel")};
  } else {
    answer.summary = kernel + ": " + verdict_text(result.verdict, result.message);
    answer.next_steps = {edit_step("compile_kernel", kernel,
                                   result.mismatch
                                       ? result.mismatch->pattern.hint
                                       : "fix the lines that fault or diagnostics name")};
  }
  return answer;
}

Result<ToolJob<StoredValidation>> validation_job(Services& services, const ValidateParams& params) {
  WS_TRY(const std::vector<Device*> devices, services.devices_for(params.common.device));
  WS_TRY(const Subject subject, load_subject(*services.archive, params.kernel_id));
  ToolJob<StoredValidation> job;
  job.start = {.lanes = lanes_of(devices),
               .tool = "validate",
               .key = join_key(params, subject.kernel.id),
               .common = params.common};
  job.work = [&services, subject, params](CallContext& own) -> Result<StoredValidation> {
    WS_TRY(Device* const device, services.device(own.lane));
    return validate_stored(services, *device, subject, params.question, params.common, own);
  };
  return job;
}

Result<StoredValidation> validate_kernel_stored(Services& services, const ValidateParams& params,
                                                StageSpan span, const CallContext& context) {
  WS_TRY(ToolJob<StoredValidation> job, validation_job(services, params));
  return result_of_job(services, std::move(job), span, context);
}

}  // namespace ws
