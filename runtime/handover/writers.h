// The writers of the single forms; each gives the files of one.
#pragma once

#include <vector>

#include "runtime/handover/handover.h"

namespace ws {

/// @errors of all: kUnsupported: the form cannot have the kernel, and why; kInvalidArgument: the
/// plan fails.
Result<std::vector<HandoverFile>> cuda_files(const Handover& handover);
Result<std::vector<HandoverFile>> pytorch_files(const Handover& handover);
Result<std::vector<HandoverFile>> cupy_files(const Handover& handover);
Result<std::vector<HandoverFile>> triton_files(const Handover& handover);
Result<std::vector<HandoverFile>> flashinfer_files(const Handover& handover);
Result<std::vector<HandoverFile>> kernelbench_files(const Handover& handover);
Result<std::vector<HandoverFile>> kernel_tuner_files(const Handover& handover);

}  // namespace ws
