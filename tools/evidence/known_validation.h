// The evidence about a kernel that counts before it is timed.
#pragma once

#include <optional>

#include "runtime/evaluate/subject.h"
#include "tools/answer/envelope.h"

namespace ws {

/// The evidence about the kernel on the device and those like it, with exactly these parameters:
/// the newest evidence that its results were wrong, on any workload and at any level, whatever
/// passed since; else that it passed all listed workloads at `quick` or `standard`; nothing when
/// neither.
/// @param params  As sent.
Result<std::optional<EvidenceRow>> known_validation(Services& services, Device& device,
                                                    const Subject& subject, const Json& params);

}  // namespace ws
