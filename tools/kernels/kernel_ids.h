// Ids of stored kernels by their beginning.
#pragma once

#include <string>
#include <vector>

#include "runtime/session/services.h"

namespace ws {

/// Ids that begin so: those whose words fit first, then some that have passed on a device of this
/// server. Not all there are.
std::vector<std::string> kernel_ids(Services& services, const std::string& start);

}  // namespace ws
