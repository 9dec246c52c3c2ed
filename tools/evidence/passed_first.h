// A kernel that is wrong is not measured: what benchmark and profile ask before they begin.
#pragma once

#include <optional>
#include <string>

#include "runtime/evaluate/subject.h"
#include "tools/answer/envelope.h"

namespace ws {

/// Validates quick unless known_validation() says that the kernel passed on the device. One that is
/// known to be wrong is refused without another try, however often it passed since.
///
/// @param params  As sent.
/// @param done    What is not done to a wrong kernel, for the summary: "timed".
/// @return  Nothing when it has passed; else the finished answer with verdict invalid.
/// @errors  Those of validate_stored.
Result<std::optional<Json>> refuse_invalid(Services& services, Device& device,
                                           const Subject& subject, const Json& params,
                                           const CommonParams& common, const CallContext& context,
                                           const std::string& done);

}  // namespace ws
