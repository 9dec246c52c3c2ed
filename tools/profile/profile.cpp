#include "tools/profile/profile.h"

#include <cmath>

#include "runtime/kernel/language.h"
#include "tools/answer/fault_json.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/record.h"
#include "tools/profile/line_counters.h"
#include "tools/profile/profile_schema.h"
#include "tools/profile/report.h"
#include "tools/profile/roofline_chart.h"

namespace ws {
namespace {

std::string summary_of(const KernelProfile& told) {
  const Profile& profile = told.run.profile;
  std::string text = told.kernel_id + ": limited by " + profile.model.limiter;
  if (profile.findings.empty()) {
    return text + "; no finding weighs enough to name";
  }
  const Finding& first = profile.findings.front();
  return text + "; first: " + first.cause + ", may explain up to " +
         std::to_string(std::lround(100 * first.may_explain)) + " % of the time";
}

std::vector<Json> steps_after(const KernelProfile& told) {
  const std::string& id = told.kernel_id;
  const Profile& profile = told.run.profile;
  if (profile.findings.empty()) {
    return {next_step("apply_transformation", {{"kernel_id", id}}, "see what else may apply")};
  }
  return {next_step("apply_transformation", {{"kernel_id", id}}, "a guided change for the cause"),
          edit_step("compile_kernel", id, profile.findings.front().advice)};
}

/// A kernel that passed and fails now: there is nothing to see.
Answer failed_answer(const KernelProfile& told) {
  const std::string message = quoted(told.run.message);
  Answer answer{
      .summary = told.kernel_id + " is not profiled: " + verdict_text(told.run.verdict, message),
      .body = {{"verdict", name_of(told.run.verdict)},
               {"kernel_id", told.kernel_id},
               {"message", message},
               {"findings", Json::array()},
               {"links", kernel_links(told.kernel_id)}},
      .next_steps = {next_step("validate", {{"kernel_id", told.kernel_id}, {"fresh", true}},
                               "see what is wrong")}};
  if (told.run.fault) {
    answer.body["fault"] = to_json(*told.run.fault);
  }
  return answer;
}

std::string chart_of(const Subject& subject, const Profile& profile) {
  const Model& model = profile.model;
  return roofline_chart(subject.kernel.id + " on " + kHopper.name + " (model)",
                        {.intensity = model.bytes > 0 ? model.flops / model.bytes : 0,
                         .gflops = model.total_us > 0 ? model.flops / model.total_us / 1e3 : 0,
                         .peak_gflops = model.peak_gflops,
                         .peak_gbps = kHopper.sms * kHopper.ghz * kHopper.dram_bytes});
}

/// The call's question, as its evidence keeps it.
Json question_form(const ProfileParams& params, const std::string& kernel_id) {
  Json question = *params.common.asked;
  question.erase("fresh");
  question["kernel_id"] = kernel_id;
  return question;
}

Result<KernelProfile> profile_stored(Services& services, Device& device, const Subject& subject,
                                     const ProfileParams& params, const CallContext& context) {
  WS_TRY(const DeviceInfo info, device.backend->info());
  KernelProfile told;
  told.kernel_id = subject.kernel.id;
  told.groups = params.groups;
  told.full = params.common.full;
  told.emulated = info.emulated;
  context.report(0.1, "checking whether it is correct");
  WS_TRY(told.refusal,
         refuse_invalid(services, device, subject, params.params, params.common, context));
  if (told.refusal) {
    return told;
  }
  context.report(0.3, "running it, counting");
  WS_TRY(told.run, collect(services, device, subject, params, context));
  if (told.run.verdict != Verdict::kProfiled) {
    return told;
  }
  Json output = told;
  output["links"] = kernel_links(subject.kernel.id);
  const Json question = question_form(params, subject.kernel.id);
  const std::string what = to_json_text(told.run.question.workload) + " on " + device.id;
  WS_TRY(told.evidence_id,
         record_evidence(
             *services.archive,
             {.subject = subject, .device = info, .kind = "profile", .key = question.dump()},
             Verdict::kProfiled,
             {{"output", std::move(output)},
              {"seed", told.run.question.secret},
              {"arguments", question},
              {"device", device_form(info)},
              {"lines", line_counters(told.run.profile)},
              {"report", profile_report(subject, told.run.profile, what)},
              {"roofline", chart_of(subject, told.run.profile)}}));
  return told;
}

}  // namespace

void from_json(const Json& arguments, ProfileParams& params) {
  params.common = common_params(arguments);
  params.kernel_id = arguments.at("kernel_id");
  params.groups = arguments.value("groups", std::vector<std::string>());
  params.workload = arguments.value("workload", Json());
  params.params = arguments.value("params", Json::object());
}

void to_json(Json& form, const KernelProfile& told) {
  const Profile& profile = told.run.profile;
  form = {{"verdict", name_of(told.run.verdict)},
          {"kernel_id", told.kernel_id},
          {"workload", to_json(told.run.question.workload)},
          {"limiter", profile.model.limiter},
          {"findings", findings_form(profile)},
          {"roofline", roofline_form(profile)},
          {"emulated", told.emulated}};
  if (told.run.question.shrunk_from) {
    form["shrunk_from"] = to_json(*told.run.question.shrunk_from);
  }
  if (profile.input.measured_us) {
    form["median_us"] = rounded(*profile.input.measured_us);
    form["counters"] = profile.hardware ? Json("hardware") : Json("software");
    if (!profile.hardware) {
      form["no_hardware_counters"] = quoted(profile.no_hardware);
    }
  }
  for (const std::string& group : told.groups) {
    form[group] = group_form(profile, group, told.full);
  }
  if (!told.evidence_id.empty()) {
    form["evidence_id"] = told.evidence_id;
  }
}

Answer answer_of(const KernelProfile& told) {
  if (told.refusal) {
    return refusal_answer(told.kernel_id, *told.refusal, "profiled");
  }
  if (told.run.verdict != Verdict::kProfiled) {
    return failed_answer(told);
  }
  Answer answer{.summary = summary_of(told), .body = told, .next_steps = steps_after(told)};
  answer.body["links"] = kernel_links(told.kernel_id);
  for (const std::string part : {"report", "roofline"}) {
    answer.body["links"].push_back(
        {{"rel", part}, {"uri", "profile://" + told.evidence_id + "/" + part}});
  }
  return answer;
}

ProfileTool::ProfileTool(Services& services)
    : TypedJobTool(profile_schema(), services) {}

Result<ToolJob<KernelProfile>> ProfileTool::job_of(Services& services, const ProfileParams& params,
                                                   const std::stop_token& /*stop*/) {
  WS_TRY(const Subject subject, load_subject(*services.archive, params.kernel_id));
  if (is_shader_language(subject.kernel.language)) {
    return fail(ErrorCode::kUnsupported,
                "the kernel's language is `" + subject.kernel.language +
                    "`, and nothing counts what shaders do",
                "profile the kernel in CUDA C++");
  }
  WS_TRY(Device* const device, services.device(params.common.device));
  ToolJob<KernelProfile> job;
  job.start = {.lanes = {device->id},
               .tool = spec().name,
               .key = join_key(question_form(params, subject.kernel.id)),
               .common = params.common};
  job.work = [&services, device, subject, params](CallContext& own) {
    return profile_stored(services, *device, subject, params, own);
  };
  return job;
}

}  // namespace ws
