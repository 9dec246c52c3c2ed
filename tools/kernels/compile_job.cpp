#include "tools/kernels/compile_job.h"

#include <algorithm>
#include <utility>

#include "runtime/base/audit.h"
#include "runtime/compile/sass.h"
#include "runtime/device/cuda/arch.h"
#include "runtime/device/plan_limits.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/kernel/plan/params.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/record.h"
#include "tools/kernels/kernel_choice.h"
#include "tools/kernels/kernel_views.h"
#include "tools/kernels/source_hints.h"

namespace ws {
namespace {

constexpr const char* kCompiling = "compiling";

/// A count of a compiler, which is below 0 where it does not say.
std::optional<std::int64_t> known(std::int64_t count) {
  return count < 0 ? std::nullopt : std::optional(count);
}

/// The occupancy at the entry's first launch; nothing where it is unknown or not launched.
std::optional<double> occupancy_of(const CompiledEntry& entry, const ResolvedPlan& plan,
                                   const std::string& arch) {
  const cuda::ArchSpec* spec = cuda::find_arch(arch);
  for (const LaunchStep& step : plan.steps) {
    if (spec != nullptr && step.entry == entry.name) {
      const auto share =
          cuda::occupancy(*spec, entry, block_threads(step, entry), step.shared_bytes);
      return share ? std::optional<double>(*share) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<EntryUse> entries_of(const Compiled& compiled, const DeviceInfo& device) {
  std::vector<EntryUse> rows;
  for (const CompiledEntry& entry : compiled.image().entries) {
    rows.push_back({.entry = entry.name,
                    .registers = known(entry.registers),  // The CPU engine has none to count.
                    .shared_bytes = entry.shared_bytes,
                    .local_bytes = known(entry.local_bytes),
                    .spill_bytes = std::max<std::int64_t>(entry.spill_bytes, 0),
                    .max_threads = entry.max_threads < 0 ? device.limits.max_threads_per_block
                                                         : entry.max_threads,
                    .occupancy = occupancy_of(entry, compiled.plan, device.arch)});
  }
  return rows;
}

/// The compiler's diagnostics, and before them a verdict that it has none for: the plan does not
/// fit.
std::vector<Diagnostic> diagnostics_of(const Compiled& compiled) {
  std::vector<Diagnostic> rows = compiled.reply.outcome->diagnostics;
  const bool explained = compiled.reply.outcome->verdict != CompileVerdict::kCompiled;
  if (!compiled.ok() && (!explained || rows.empty())) {
    Diagnostic reason;
    reason.severity = "error";
    reason.message = compiled.message;
    reason.region = explained ? "source" : "plan";
    rows.insert(rows.begin(), std::move(reason));
    if (rows.size() > kMaxDiagnostics) {
      rows.pop_back();  // A warning: errors come first, and there are none here.
    }
  }
  return rows;
}

/// Before the compiler's complaint, what it cannot know.
void put_hint_first(const Kernel& kernel, Compilation& compilation) {
  std::optional<Diagnostic> hint = source_hint(kernel);
  if (!hint) {
    return;
  }
  compilation.message = hint->message;
  compilation.diagnostics.insert(compilation.diagnostics.begin(), *std::move(hint));
  if (compilation.diagnostics.size() > kMaxDiagnostics) {
    compilation.diagnostics.pop_back();
  }
  ++compilation.diagnostics_total;
}

std::string log_text(const CompileOutcome& outcome) {
  std::string text = outcome.log;
  if (!text.empty()) {
    return text;
  }
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    text += diagnostic.region + ":" + std::to_string(diagnostic.line) + ":" +
            std::to_string(diagnostic.column) + ": " + diagnostic.severity + ": " +
            diagnostic.message + "\n" + diagnostic.snippet + "\n";
  }
  return text;
}

/// Counts the machine code's instructions on request, where it can be read; else those that the
/// compiler counted, in PTX for NVIDIA GPUs.
void add_instructions(const Services& services, const Compiled& compiled, bool full,
                      Compilation& compilation) {
  compilation.instructions = compiled.reply.outcome->instructions;
  if (compiled.reply.outcome->ptx.empty()) {
    return;
  }
  compilation.instructions_from = "ptx";
  const Result<std::string> sass =
      full ? sass_of(services, compiled.image()) : Result<std::string>(std::string());
  if (sass && !sass->empty()) {
    compilation.instructions = count_sass(*sass);
    compilation.instructions_from = "sass";
  }
}

/// Records the compile, and its PTX apart, as that may be large. @return The evidence's id.
Result<std::string> record_compile(Services& services, const Subject& subject,
                                   const DeviceInfo& device, const Params& params,
                                   const CompileOutcome& outcome, const Compilation& compilation) {
  const std::string key = "params=" + to_json(params).dump();
  WS_TRY(const auto before, services.archive->latest_evidence(subject.kernel.id, device.key(),
                                                              "compile", key, compilation.verdict));
  if (before) {
    return before->id;  // The same question with the same answer: nothing new to keep.
  }
  if (!outcome.ptx.empty()) {
    WS_CHECK(record_evidence(
        *services.archive, {.subject = subject, .device = device, .kind = "ptx", .key = key},
        compilation.verdict,
        {{"ptx", outcome.ptx}, {"arch", device.arch}, {"params", to_json(params)}}));
  }
  return record_evidence(
      *services.archive, {.subject = subject, .device = device, .kind = "compile", .key = key},
      compilation.verdict,
      {{"output", compilation}, {"params", to_json(params)}, {"log", log_text(outcome)}});
}

/// The resources of the kernel with other parameters, one compile each.
Result<std::vector<VariantUse>> variants_of(Backend& backend, const Subject& subject,
                                            const CompileParams& asked,
                                            const std::stop_token& stop) {
  WS_TRY(const DeviceInfo info, backend.info());
  std::vector<VariantUse> variants;
  for (const Json& sent : asked.variants) {
    WS_TRY(const Params params, requested_params(subject.kernel, {{"params", sent}}));
    WS_TRY(const Workload workload, compile_workload(subject, params));
    WS_TRY(const Compiled compiled,
           compile_for(backend, subject.problem, subject.kernel, workload, params,
                       {.build = Build::kFast, .fresh = asked.common.fresh}, stop));
    variants.push_back({.params = to_json(params),
                        .verdict = compiled.verdict,
                        .message = compiled.message,
                        .entries = entries_of(compiled, info)});
  }
  return variants;
}

Result<Compilation> compile_stored(Services& services, const Subject& subject,
                                   const CompileParams& asked, const std::stop_token& stop) {
  WS_TRY(Device* const device, services.device_for(asked.common.device, subject.kernel.language));
  WS_TRY(Backend* const backend, services.compiler_for(*device, asked.arch));
  WS_TRY(const DeviceInfo info, backend->info());
  WS_TRY(const Params params, requested_params(subject.kernel, {{"params", asked.params}}));
  WS_TRY(const Workload workload, compile_workload(subject, params));
  WS_TRY(const Compiled compiled,
         compile_for(*backend, subject.problem, subject.kernel, workload, params,
                     {.build = Build::kFast, .fresh = asked.common.fresh}, stop));
  const CompileOutcome& outcome = *compiled.reply.outcome;
  const bool fits = compiled.ok() || outcome.verdict != CompileVerdict::kCompiled;
  const int total = outcome.diagnostics_total + (fits ? 0 : 1);
  Compilation compilation;
  compilation.verdict = compiled.verdict;
  compilation.message = compiled.message;
  compilation.problem_id = subject.problem.id;
  compilation.kernel_id = subject.kernel.id;
  compilation.parent = subject.kernel.parent;
  compilation.entries = entries_of(compiled, info);
  compilation.diagnostics = diagnostics_of(compiled);
  compilation.diagnostics_total =
      std::max<std::size_t>(static_cast<std::size_t>(total), compilation.diagnostics.size());
  compilation.emulated = info.emulated;
  if (compiled.verdict == Verdict::kCompileError) {
    put_hint_first(subject.kernel, compilation);
  }
  add_instructions(services, compiled, asked.common.full, compilation);
  WS_TRY(compilation.evidence_id,
         record_compile(services, subject, info, params, outcome, compilation));
  compilation.cache = name_of(compiled.reply.cache);
  compilation.compile_ms = outcome.compile_ms;
  WS_TRY(compilation.variants, variants_of(*backend, subject, asked, stop));
  return compilation;
}

/// The kernel that is meant, with its ref set.
Result<Subject> chosen(Services& services, const Json& choice, const std::stop_token& stop) {
  WS_TRY(Subject subject, choose_kernel(services, choice, stop));
  if (choice.contains("ref")) {
    std::optional<std::string> expect;
    if (choice.contains("expect_ref")) {
      expect = choice["expect_ref"].get<std::string>();
    }
    const std::string ref = choice["ref"];
    WS_CHECK(services.archive->set_ref(ref, subject.kernel.id, expect));
    audit_stored(StoredKind::kRef, ref, subject.kernel.id);
  }
  return subject;
}

}  // namespace

void from_json(const Json& arguments, CompileParams& params) {
  params.common = common_params(arguments);
  params.choice = arguments;
  params.params = arguments.value("params", Json::object());
  params.arch = arguments.value("arch", "");
  params.variants = arguments.value("variants", Json::array());
}

Result<ToolJob<Compilation>> compile_job(Services& services, const CompileParams& params,
                                         const std::stop_token& stop) {
  WS_TRY(Device* const device, services.device(params.common.device));
  ToolJob<Compilation> job;
  job.start = {.lanes = {kCompileLane},
               .tool = "compile_kernel",
               .key = join_key(params.choice),
               .common = params.common};
  if (choice_takes_time(services, params.choice)) {
    job.work = [&services, params](CallContext& own) -> Result<Compilation> {
      own.report(0, "reading the kernel");
      WS_TRY(const Subject subject, chosen(services, params.choice, own.stop));
      own.report(0.1, kCompiling);
      return compile_stored(services, subject, params, own.stop);
    };
    return job;
  }
  WS_TRY(const Subject subject, chosen(services, params.choice, stop));
  job.start.key = device->id + subject.kernel.id + params.params.dump() + params.arch +
                  params.variants.dump() + (params.common.full ? " full" : "");
  job.work = [&services, subject, params](CallContext& own) {
    own.report(0, kCompiling);
    return compile_stored(services, subject, params, own.stop);
  };
  return job;
}

Result<Compilation> compile_kernel(Services& services, const CompileParams& params, StageSpan span,
                                   const CallContext& context) {
  WS_TRY(ToolJob<Compilation> job, compile_job(services, params, context.stop));
  return result_of_job(services, std::move(job), span, context);
}

}  // namespace ws
