// Looks for accesses out of bounds at sizes that no validation can run whole: with more elements
// than a 32-bit index counts. A few blocks run on inputs that are all zeros; memory that nobody
// touches takes no room.
#pragma once

#include <stop_token>

#include "runtime/evaluate/validate/validation.h"

namespace ws {

/// Adds the look at such a size to the result of a kernel that passed; nothing where no such size
/// is allowed, where a run had it, or where the blocks tell nothing.
/// @param backend  One whose sessions have modes.
/// @errors kCancelled; those of the backend.
Status look_at_large_sizes(Backend& backend, const Subject& subject,
                           const ValidationRequest& request, const std::stop_token& stop,
                           ValidationResult& result);

}  // namespace ws
