// References that are kernels: a problem's own one, which may compute in f64 what a kernel computes
// in f32.
#pragma once

#include "runtime/evaluate/validate/reference.h"

namespace ws {

/// The kernel that is the problem's reference. `backend` and `problem` must outlive it.
/// @errors those of compile_for and prepare.
Result<OpenedReference> open_own_kernel(Backend& backend, const Problem& problem,
                                        const Workload& workload, const std::stop_token& stop);

}  // namespace ws
