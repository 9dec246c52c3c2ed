// The comment that an exported file begins with: which kernel it is, and what speaks for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/handover/handover.h"

namespace ws {

/// @param mark   "// " or "# ".
/// @param usage  Lines that say how the file is built and used.
std::string head_of(const Handover& handover, std::string_view mark,
                    const std::vector<std::string>& usage);

/// The option of nvcc for the architecture: the evidence's where it is NVIDIA's, else what the plan
/// and the source ask for. "-arch=sm_80", which later GPUs run as well; or, as -arch adds code
/// without the suffix, "-gencode arch=compute_90a,code=sm_90a".
std::string nvcc_target(const Handover& handover);

/// The options of nvcc besides the architecture, as the kernel has them: " --use_fast_math". Those
/// that define a macro are part of the text instead.
std::string nvcc_options(const Kernel& kernel);

}  // namespace ws
