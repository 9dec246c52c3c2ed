#include "tools/profile/profile.h"

#include <cmath>

#include "tools/answer/fault_json.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/passed_first.h"
#include "tools/evidence/record.h"
#include "tools/profile/collect.h"
#include "tools/profile/profile_schema.h"
#include "tools/profile/report.h"
#include "tools/profile/roofline_chart.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

std::string summary_of(const Subject& subject, const Profile& profile) {
  std::string text = subject.kernel.id + ": limited by " + profile.model.limiter;
  if (profile.findings.empty()) {
    return text + "; no finding weighs enough to name";
  }
  const Finding& first = profile.findings.front();
  return text + "; first: " + first.cause + ", may explain up to " +
         std::to_string(std::lround(100 * first.may_explain)) + " % of the time";
}

std::vector<Json> steps_after(const Subject& subject, const Profile& profile) {
  const std::string id = subject.kernel.id;
  if (profile.findings.empty()) {
    return {next_step("apply_transformation", {{"kernel_id", id}}, "see what else may apply")};
  }
  return {next_step("apply_transformation", {{"kernel_id", id}}, "a guided change for the cause"),
          edit_step("compile_kernel", id, profile.findings.front().advice)};
}

/// A kernel that passed and fails now: there is nothing to see.
Json failed_body(const Subject& subject, const Collected& run) {
  Json body = {{"verdict", name_of(run.verdict)},
               {"kernel_id", subject.kernel.id},
               {"message", quoted(run.message)},
               {"findings", Json::array()},
               {"links", kernel_links(subject.kernel.id)}};
  if (run.fault) {
    body["fault"] = to_json(*run.fault);
  }
  return body;
}

Json profiled_body(const Subject& subject, const Collected& run, const Json& groups, bool full) {
  const Profile& profile = run.profile;
  Json body = {{"verdict", name_of(Verdict::kProfiled)},     {"kernel_id", subject.kernel.id},
               {"workload", to_json(run.question.workload)}, {"limiter", profile.model.limiter},
               {"findings", findings_form(profile)},         {"roofline", roofline_form(profile)},
               {"links", kernel_links(subject.kernel.id)}};
  if (run.question.shrunk_from) {
    body["shrunk_from"] = to_json(*run.question.shrunk_from);
  }
  if (profile.input.measured_us) {
    body["median_us"] = rounded(*profile.input.measured_us);
    body["counters"] = profile.hardware ? Json("hardware") : Json("software");
    if (!profile.hardware) {
      body["no_hardware_counters"] = quoted(profile.no_hardware);
    }
  }
  for (const Json& name : groups) {
    body[name.get<std::string>()] = group_form(profile, name, full);
  }
  return body;
}

std::string chart_of(const Subject& subject, const Profile& profile) {
  const Model& model = profile.model;
  constexpr double kFlopsPerCycle = 256;  // Multiply-adds of f32 on 128 lanes.
  return roofline_chart(subject.kernel.id + " on " + kHopper.name + " (model)",
                        {.intensity = model.bytes > 0 ? model.flops / model.bytes : 0,
                         .gflops = model.total_us > 0 ? model.flops / model.total_us / 1e3 : 0,
                         .peak_gflops = kHopper.sms * kHopper.ghz * kFlopsPerCycle,
                         .peak_gbps = kHopper.sms * kHopper.ghz * kHopper.dram_bytes});
}

Json with_links(Json body, const std::string& evidence_id) {
  body["evidence_id"] = evidence_id;
  for (const char* part : {"report", "roofline"}) {
    body["links"].push_back({{"rel", part}, {"uri", "profile://" + evidence_id + "/" + part}});
  }
  return body;
}

}  // namespace

ProfileTool::ProfileTool(Services& services)
    : spec_(parse_spec(profile_schema())),
      services_(services) {}

Result<Json> ProfileTool::run(Device& device, const Subject& subject, const Json& arguments,
                              const CommonParams& common, const CallContext& context) {
  WS_TRY(const DeviceInfo info, device.backend->info());
  context.report(0.1, "looking whether it is right");
  WS_TRY(const std::optional<Refusal> refused,
         refuse_invalid(services_, device, subject, arguments.value("params", Json::object()),
                        common, context));
  if (refused) {
    return framed(refusal_answer(subject.kernel.id, *refused, "profiled"));
  }
  context.report(0.3, "running it, counting");
  WS_TRY(const Collected run,
         collect(services_, device, subject, arguments, common.fresh, context));
  if (run.verdict != Verdict::kProfiled) {
    return finished(
        subject.kernel.id + " is not profiled: " + verdict_text(run.verdict, quoted(run.message)),
        failed_body(subject, run),
        {next_step("validate", {{"kernel_id", subject.kernel.id}, {"fresh", true}},
                   "see what is wrong")});
  }
  Json body = profiled_body(subject, run, arguments.value("groups", Json::array()), common.full);
  body["emulated"] = info.emulated;
  const std::string what = to_json_text(run.question.workload) + " on " + device.id;
  WS_TRY(const std::string evidence_id,
         record_evidence(
             *services_.archive,
             {.subject = subject, .device = info, .kind = "profile", .key = arguments.dump()},
             Verdict::kProfiled,
             {{"output", body},
              {"seed", run.question.secret},
              {"arguments", arguments},
              {"device", device_form(info)},
              {"report", profile_report(subject, run.profile, what)},
              {"roofline", chart_of(subject, run.profile)}}));
  return finished(summary_of(subject, run.profile), with_links(std::move(body), evidence_id),
                  steps_after(subject, run.profile));
}

Result<Json> ProfileTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    const CommonParams common = common_params(arguments);
    WS_TRY(Device* const device, services_.device(common.device));
    WS_TRY(const Subject subject,
           load_subject(*services_.archive, arguments.at("kernel_id").get<std::string>()));
    Json question = arguments;
    for (const char* name : {"wait_ms", "fresh"}) {
      question.erase(name);
    }
    question["kernel_id"] = subject.kernel.id;
    return run_as_job(services_, device->id, spec_.name, question.dump(), common, context,
                      [this, device, subject, question, common](CallContext& own) {
                        return run(*device, subject, question, common, own);
                      });
  });
}

}  // namespace ws
