// A kernel's plan as a T1 file of Kernel Tuner: its parameters, and one launch.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/handover/handover.h"

namespace ws {

/// The file without what is ours alone. Blocks become parameters of the names that Kernel Tuner
/// takes them from; sizes are those of the hand-over's workload.
/// @errors kUnsupported: what such a file cannot have, with its expression.
/// @source kernel_tuner/schema/T1/1.0.0/input-schema.json of Kernel Tuner 1.4.
Result<nlohmann::ordered_json> t1_of(const Handover& handover);

}  // namespace ws
