#include "runtime/handover/stored.h"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/verdict.h"
#include "runtime/evaluate/subject.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// The newest validation that was passed; an error where there is none, or a newer one that says
/// the kernel is wrong.
Result<Provenance> provenance_of(Archive& archive, const std::string& kernel_id,
                                 bool allow_unverified) {
  WS_TRY(const auto newest, archive.latest_evidence(kernel_id, {}, "validate"));
  if (newest && facts_of(newest->verdict).proves_wrong) {
    return fail(ErrorCode::kConflict,
                kernel_id + " is wrong: its newest validation " + newest->id + " says " +
                    std::string(name_of(newest->verdict)),
                "export another version; `log` shows them");
  }
  WS_TRY(const auto passed,
         archive.latest_evidence(kernel_id, {}, "validate", {}, Verdict::kPassed));
  if (!passed && !allow_unverified) {
    return fail(ErrorCode::kConflict, kernel_id + " has no passed validation",
                "validate it first, or say \"allow_unverified\": true");
  }
  if (!passed) {
    return Provenance{};
  }
  const Json key = Json::parse(passed->key, nullptr, /*allow_exceptions=*/false);
  const std::string level =
      key.is_object() && key.contains("level") && key["level"].is_string() ? key["level"] : "quick";
  return Provenance{.evidence_id = passed->id, .level = level, .device = passed->device};
}

}  // namespace

Result<HandedKernel> hand_over_stored(Archive& archive, const std::string& ref, HandoverForm form,
                                      bool allow_unverified) {
  WS_TRY(const Subject subject, load_subject(archive, ref));
  const Kernel& kernel = subject.kernel;
  WS_TRY(Provenance provenance, provenance_of(archive, kernel.id, allow_unverified));
  const Handover handover{subject.problem, kernel, kernel.defaults, provenance};
  WS_TRY(std::vector<HandedFile> files, hand_over(handover, form));
  return HandedKernel{kernel.id, std::move(files), std::move(provenance)};
}

}  // namespace ws
