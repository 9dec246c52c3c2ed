#include "tools/evidence/checked_baseline.h"

#include <utility>

#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "runtime/evaluate/validate/validation.h"

namespace ws {
namespace {

/// Why a kernel is no baseline; empty where it is one.
std::string complaint(const ValidationResult& result) {
  // Workloads that its constraints exclude are refused when they are to be timed. A kernel that is
  // the problem's reference as well is right by definition.
  const bool in_part = result.verdict == Verdict::kUnsupported && result.unsupported > 0;
  const bool is_reference = result.finding == FindingCode::kSelfReference;
  return result.verdict == Verdict::kPassed || in_part || is_reference
             ? std::string()
             : ws::quoted(verdict_text(result.verdict, result.message));
}

Result<ValidationResult> validated(Services& services, Device& device, const Subject& subject,
                                   const Baseline& baseline, const CallContext& context) {
  const Subject own{.problem = subject.problem, .kernel = baseline.kernel};
  ValidationRequest request;
  request.level = ValidationLevel::kStandard;
  request.params = {baseline.kernel.defaults};
  request.secret = random_u64();
  return validate_kernel(*device.backend, *services.host_workers, own, request, context);
}

}  // namespace

Status check_outside(const Services& services, const DeviceInfo& device, const Baseline& baseline) {
  if (!baseline.module && !baseline.library) {
    return {};
  }
  if (baseline.module && !services.options.python_references) {
    return fail(ErrorCode::kUnsupported,
                "`" + baseline.id + "` runs Python code, which is off in this server",
                "start it with --allow-python-reference, or choose another baseline");
  }
  if (device.emulated) {
    return fail(ErrorCode::kUnsupported,
                device.id + " is emulated: its times say nothing about " +
                    (baseline.library ? std::string(name_of(baseline.library->library))
                                      : std::string("PyTorch")) +
                    " on a GPU",
                "name a GPU as `device`, or choose another baseline");
  }
  return {};
}

Status check_baseline(Services& services, Device& device, const Subject& subject,
                      const Baseline& baseline, const CallContext& context) {
  if (baseline.id != "problem") {
    return {};
  }
  WS_TRY(const DeviceInfo info, device.backend->info());
  const std::string key = "baseline/1/" + subject.problem.id + "/" + info.key();
  WS_TRY(std::optional<std::string> why, services.archive->setting(key));
  if (!why) {
    WS_TRY(const ValidationResult result, validated(services, device, subject, baseline, context));
    why = complaint(result);
    if (why->empty() || facts_of(result.verdict).proves_wrong) {
      WS_CHECK(services.archive->set_setting(key, *why));
    }
  }
  if (why->empty()) {
    return {};
  }
  return fail(ErrorCode::kConflict,
              "the baseline that " + subject.problem.id + " names did not pass: " + *why,
              "send the problem with a right kernel as its `baseline`; until then nothing is timed "
              "against this one");
}

}  // namespace ws
