// The evidence about a kernel that counts before it is timed.
#pragma once

#include <optional>

#include "runtime/evaluate/subject.h"
#include "tools/answer/envelope.h"

namespace ws {

/// The evidence about the kernel on the device and those like it, with exactly these parameters:
/// the newest evidence that its results were wrong, on any workload and at any level, whatever
/// passed since; else that it passed all listed workloads at `quick` or `standard`; nothing when
/// neither. Where the kernel's own evidence does not prove it wrong, that of a kernel does whose
/// text is the same but for comments and white space: the row names that kernel.
/// @param params  As sent.
Result<std::optional<EvidenceRow>> known_validation(Services& services, Device& device,
                                                    const Subject& subject, const Json& params);

}  // namespace ws
