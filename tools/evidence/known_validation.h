// The evidence about a kernel that counts before it is timed.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/evaluate/subject.h"
#include "tools/answer/envelope.h"

namespace ws {

/// The validations of a kernel on a device and those like it, with exactly the parameters that were
/// asked for.
struct ValidationHistory {
  /// The newest evidence that its results were wrong, on any workload and at any level, whatever
  /// passed since. Where its own evidence does not prove it wrong, that of a kernel does whose text
  /// is the same but for comments and white space: the row names that kernel.
  std::optional<EvidenceRow> wrong;
  std::optional<EvidenceRow> passed;  ///< The newest pass of all listed workloads, at any level.
};

/// @param params  As sent.
Result<ValidationHistory> validation_history(Services& services, Device& device,
                                             const Subject& subject, const Json& params);

/// The evidence that decides before the kernel is timed: what proves it wrong, else its pass;
/// nothing when neither is there.
Result<std::optional<EvidenceRow>> known_validation(Services& services, Device& device,
                                                    const Subject& subject, const Json& params);

/// How many validations the kernel passed there, with any parameters.
Result<std::int64_t> count_passes(Services& services, Device& device, const std::string& kernel_id);

/// The arguments that `validate` repeats this evidence with, but the kernel.
Json repetition(const EvidenceRow& row);

}  // namespace ws
