// A lifted program that came back with its holes filled.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws::lift {

/// Holes that are still empty.
///
/// @param lifted  As lift_to_ir wrote it. @param filled  As it came back.
/// @errors kInvalidArgument: it does not parse; anything but the body of a hole was changed; a hole
/// synchronises, copies, or touches memory that it was not given.
Result<std::vector<std::string>> check_filled(const std::string& lifted, const std::string& filled);

}  // namespace ws::lift
