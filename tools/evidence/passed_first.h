// Checks that a kernel is correct before it is measured, for benchmark and profile.
#pragma once

#include <optional>
#include <string>

#include "runtime/base/verdict.h"
#include "runtime/evaluate/subject.h"
#include "tools/answer/typed_job.h"

namespace ws {

/// Why a kernel is not measured: a validation found it wrong.
struct Refusal {
  Verdict verdict = Verdict::kIncorrect;
  std::string message;
  std::string evidence_id;
  bool emulated = false;
  bool known_before = false;  ///< An earlier validation found it, which stands.
  std::string twin{};         ///< The kernel of that validation, where it is another text.
  Json again;                 ///< The arguments that `validate` repeats it with, but the kernel.
};

/// Validates at level quick unless known_validation() says that the kernel passed on the device. A
/// kernel that is known to be wrong is refused without another try, however often it passed since.
///
/// @param params  As sent.
/// @return  Nothing when it has passed. @errors  Those of validate_stored.
Result<std::optional<Refusal>> refuse_invalid(Services& services, Device& device,
                                              const Subject& subject, const Json& params,
                                              const CommonParams& common,
                                              const CallContext& context);

/// {verdict: invalid, kernel_id, validation, emulated}
Json refusal_form(const std::string& kernel_id, const Refusal& refusal);

/// Reads that form, which does not say whether it was known before.
Refusal refusal_of_form(const Json& form);

/// @param done  The step that a wrong kernel does not get, for the summary: "timed".
Answer refusal_answer(const std::string& kernel_id, const Refusal& refusal,
                      const std::string& done);

}  // namespace ws
