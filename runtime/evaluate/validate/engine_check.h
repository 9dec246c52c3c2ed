// The CPU engine's look at a kernel that a GPU runs: it sees each access, and runs blocks and
// threads in other orders.
#pragma once

#include "runtime/evaluate/validate/validation.h"

namespace ws {

/// validate_kernel() on `gpu`, and meanwhile a quick one of the first choice of parameters on
/// `engine`. What the engine alone can see decides: an access out of bounds, a result that depends
/// on the order of threads or blocks, on a launch before or on memory that it has not written, a
/// barrier that not all threads reach.
/// Its other verdicts are only told in `engine`: it lacks some of a GPU's instructions.
/// @errors as validate_kernel() on `gpu`.
Result<ValidationResult> validate_with_engine(Backend& gpu, Backend& engine, HostWorkers& hosts,
                                              const Subject& subject,
                                              const ValidationRequest& request,
                                              const CallContext& context);

}  // namespace ws
