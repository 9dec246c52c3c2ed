#include "runtime/evaluate/validate/sanitized_check.h"

#include <algorithm>

#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kToolLimit{60'000};
/// The CPU engine's own look ends by itself before, unless blocks wait for each other.
constexpr std::chrono::milliseconds kEngineLimit{5'000};

/// One workload's plan and arena, ready for every tool.
struct SanitizedSubject {
  Compiled compiled;
  RunPlan plan;
  std::shared_ptr<Arena> arena;
};

/// Without a plan where the kernel cannot run on the workload: the plain runs say why.
Result<SanitizedSubject> make_ready(Backend& backend, const Subject& subject,
                                    const Workload& workload, const Params& params, Build build,
                                    std::uint64_t secret, const std::stop_token& stop) {
  SanitizedSubject ready;
  WS_TRY(ready.compiled, compile_for(backend, subject.problem, subject.kernel, workload, params,
                                     {.build = build}, stop));
  if (!ready.compiled.ok()) {
    return ready;
  }
  WS_TRY(const DeviceInfo device, backend.info());
  WS_TRY(ready.arena, Arena::create(ready.compiled.plan.buffers, device.limits.max_buffer_bytes));
  WS_CHECK(fill_inputs(subject.problem, ready.compiled.plan, Distribution::kDeclared, secret, 1,
                       *ready.arena));
  WS_TRY(ready.plan, bind_plan(ready.compiled.plan, ready.compiled.image(), *ready.arena));
  return ready;
}

bool is_known(const std::vector<SanitizerFinding>& findings, const SanitizerFinding& finding) {
  return std::ranges::any_of(findings, [&](const SanitizerFinding& each) {
    return each.tool == finding.tool && each.fault.kind == finding.fault.kind &&
           each.fault.file == finding.fault.file && each.fault.line == finding.fault.line &&
           each.other.has_value() == finding.other.has_value() &&
           (!each.other || each.other->line == finding.other->line);
  });
}

}  // namespace

Result<Sanitizes*> sanitizer_of(Backend& backend, const DeviceInfo& device) {
  auto* const sanitizer = dynamic_cast<Sanitizes*>(&backend);
  if (sanitizer == nullptr) {
    const bool shaders = std::ranges::any_of(device.languages, is_shader_language);
    return fail(ErrorCode::kUnsupported,
                "level `sanitize` needs a sanitizer, and " + device.id + " has none",
                shaders ? "use level `standard`, which checks each access of a shader"
                        : "use level `standard` there, and `sanitize` on cpu:0 or an NVIDIA GPU");
  }
  if (std::optional<Error> refusal = sanitizer->no_sanitizer()) {
    return fail(*std::move(refusal));
  }
  return sanitizer;
}

Result<SanitizerResult> sanitize_kernel(Backend& backend, Sanitizes& sanitizer,
                                        const Subject& subject,
                                        const std::vector<Workload>& workloads,
                                        const Params& params, std::uint64_t secret,
                                        const CallContext& context) {
  std::vector<SanitizedSubject> ready;
  for (const Workload& workload : workloads) {
    WS_TRY(SanitizedSubject one,
           make_ready(backend, subject, workload, params, sanitizer.build(), secret, context.stop));
    if (one.compiled.ok()) {
      ready.push_back(std::move(one));
    }
  }
  SanitizerResult result;
  const std::vector<SanitizerTool> tools = sanitizer.tools();
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const SanitizerTool tool = tools[i];
    context.report(static_cast<double>(i) / static_cast<double>(tools.size()),
                   tool == SanitizerTool::kEngine ? "looking for races"
                                                  : "running " + std::string(name_of(tool)));
    bool clean = true;
    for (const SanitizedSubject& one : ready) {
      const auto records = sanitizer.sanitize(
          one.compiled.image(), one.plan, one.arena, tool,
          tool == SanitizerTool::kEngine ? kEngineLimit : kToolLimit, context.stop);
      if (!records && (records.error().code == ErrorCode::kTimeout ||
                       records.error().code == ErrorCode::kUnsupported)) {
        const std::string& why = records.error().message;
        if (std::ranges::find(result.skipped, why) == result.skipped.end()) {
          result.skipped.push_back(why);
        }
        clean = false;
        if (tool == SanitizerTool::kEngine) {
          continue;  // The next workload may be smaller.
        }
        break;
      }
      WS_CHECK(records);
      clean = clean && records->empty();
      for (const SanitizerRecord& record : *records) {
        SanitizerFinding finding = describe(record, one.compiled.plan);
        if (!is_known(result.findings, finding)) {
          result.findings.push_back(std::move(finding));
        }
      }
    }
    if (clean) {
      result.clean.push_back(tool);
    }
  }
  return result;
}

}  // namespace ws
