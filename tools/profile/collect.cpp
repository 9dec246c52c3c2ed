#include "tools/profile/collect.h"

#include "runtime/base/hash.h"
#include "runtime/base/retry.h"
#include "runtime/evaluate/measure/measurement.h"
#include "runtime/evaluate/modelled/gpu_shape.h"
#include "tools/answer/subject_form.h"
#include "tools/profile/hardware_run.h"

namespace ws {
namespace {

/// Where there is a CUDA toolkit it compiles for the GPU that counts are read for, too.
constexpr const char* kRegistersArch = "sm_90";

/// The workload of the call, else the costliest of those that a benchmark would time; as the CPU
/// engine runs it.
Result<ProfileQuestion> question_of(const Subject& subject, const ProfileParams& params) {
  ProfileQuestion question;
  WS_TRY(question.params, requested_params(subject.kernel, {{"params", params.params}}));
  std::vector<Workload> asked;
  if (!params.workload.is_null()) {
    WS_TRY(Workload workload, workload_from_json(params.workload, subject.problem, "workload"));
    asked.push_back(std::move(workload));
  }
  WS_TRY(const std::vector<TimedWorkload> all,
         timed_workloads(subject, asked, question.params, /*emulated=*/true));
  std::int64_t most = -1;
  for (const TimedWorkload& one : all) {
    WS_TRY(const std::int64_t cost,
           cost_of(subject.problem, one.shrunk_from.value_or(one.workload)));
    if (cost > most) {
      most = cost;
      question.workload = one.workload;
      question.shrunk_from = one.shrunk_from;
    }
  }
  question.secret = random_u64();
  return question;
}

/// Nothing where the GPU did not count it.
std::optional<MemoryCounts> memory_counts(const std::optional<HardwareCounters>& hardware) {
  if (!hardware || !hardware->values.contains("memory_percent")) {
    return std::nullopt;
  }
  const auto counted = [&](const char* name) {
    const auto at = hardware->values.find(name);
    return at == hardware->values.end() ? 0 : at->second;
  };
  constexpr double kPercent = 100;
  const double local = counted("local_load_sectors") + counted("local_store_sectors");
  const double all = local + counted("load_sectors") + counted("store_sectors");
  return MemoryCounts{.busy = counted("memory_percent") / kPercent,
                      .local_share = all > 0 ? local / all : 0};
}

void fail_with(Verdict verdict, const std::string& message, const std::optional<Fault>& fault,
               Collected& into) {
  into.verdict = verdict;
  into.message = message;
  into.fault = fault;
}

Result<std::optional<Roofline>> measured_roofline(Services& services, Backend& gpu,
                                                  const Subject& subject, const Profile& profile,
                                                  const std::stop_token& stop) {
  WS_TRY(const Ceilings ceilings, services.ceilings->get(gpu, stop));
  WorkloadCost cost;
  cost.flops = profile.input.flops;
  cost.bytes = profile.input.bytes;
  for (const ArgSpec& arg : subject.problem.args) {
    cost.types.push_back(arg.type);
  }
  const double us = profile.input.measured_us.value_or(0);
  return us > 0 ? roofline(ceilings, cost, us) : std::nullopt;
}

/// Time and hardware counters. The engine's counts are in `into` already, where it could run.
Status add_gpu(Services& services, Backend& gpu, const Subject& subject,
               const std::stop_token& stop, Collected& into) {
  into.question.workload = into.question.shrunk_from.value_or(into.question.workload);
  into.question.shrunk_from.reset();
  WS_TRY(HardwareRun run,
         retry_when_lost([&] { return run_on_gpu(gpu, subject, into.question, stop); }));
  if (run.verdict != Verdict::kProfiled) {
    fail_with(run.verdict, run.message, run.fault, into);
    return {};
  }
  Profile& profile = into.profile;
  profile.input.measured_us = run.us;
  profile.hardware = std::move(run.counters);
  profile.input.memory = memory_counts(profile.hardware);
  profile.no_hardware = std::move(run.no_counters);
  WS_TRY(profile.roofline, measured_roofline(services, gpu, subject, profile, stop));
  return {};
}

}  // namespace

Result<Collected> collect(Services& services, Device& device, const Subject& subject,
                          const ProfileParams& params, const CallContext& context) {
  WS_TRY(const DeviceInfo info, device.backend->info());
  Collected collected;
  WS_TRY(collected.question, question_of(subject, params));
  collected.question.fresh = params.common.fresh;
  Profile& profile = collected.profile;
  WS_TRY(const Device* const engine, services.device(info.emulated ? device.id : kEngineDevice));
  auto run = retry_when_lost(
      [&] { return run_in_software(*engine->backend, subject, collected.question, context.stop); });
  if (run && run->verdict == Verdict::kProfiled) {
    profile.input = std::move(run->input);
  } else if (!run && (info.emulated || run.error().code == ErrorCode::kCancelled)) {
    return fail(run.error());
  } else if (info.emulated) {
    fail_with(run->verdict, run->message, run->fault, collected);
    return collected;
  } else {  // A kernel that only a GPU runs has no counts by line.
    WS_CHECK(describe_question(subject, collected.question, profile.input));
  }
  if (const auto gpu = services.compiler_for(device, info.emulated ? kRegistersArch : "")) {
    WS_CHECK(add_registers(**gpu, subject,
                           collected.question.shrunk_from.value_or(collected.question.workload),
                           collected.question.params, profile.input, context.stop));
  }
  profile.no_hardware = "the CPU engine has no pipeline that stalls; latency is modelled";
  if (!info.emulated) {
    context.report(0.6, "timing it, and counting on the GPU");
    WS_CHECK(add_gpu(services, *device.backend, subject, context.stop, collected));
  }
  profile.model = model_of(profile.input);
  profile.findings = findings_of(profile.input, profile.model);
  return collected;
}

}  // namespace ws
