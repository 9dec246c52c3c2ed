// The files that every form of a handover has.
#pragma once

#include <string>
#include <vector>

#include "runtime/handover/handover.h"

namespace ws {

/// The name of the kernel's namespace, library and folder: "warpsmith_tiled16".
std::string handover_name(const Kernel& kernel);

/// Says where the kernel comes from, line by line after `mark`: "// " or "# ".
std::string provenance_comment(const Handover& handover, const std::string& mark);

/// kernel.h, kernel.cu, the kernel's headers, and where the problem's reference is a kernel
/// reference.h and reference.cu. @errors As hand_over().
Result<std::vector<HandedFile>> common_files(const Handover& handover);

/// The options that nvcc needs: the kernel's own, and the language's version.
std::vector<std::string> nvcc_options(const Kernel& kernel);

/// Whether the code runs on Hopper only.
bool needs_hopper(const Kernel& kernel);

/// The relative error that an output may have: what the problem says, or some roundings of its
/// type.
double relative_tolerance(const Problem& problem, const ArgSpec& arg);

/// As hand_over(). @errors the same.
Result<std::vector<HandedFile>> cuda_files(const Handover& handover);
Result<std::vector<HandedFile>> torch_files(const Handover& handover);

}  // namespace ws
