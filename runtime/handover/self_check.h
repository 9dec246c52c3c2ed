// The program of the form for nvcc, which draws inputs, runs the kernel and checks its results.
#pragma once

#include <string>

#include "runtime/handover/handover.h"

namespace ws {

/// Nothing to compare with, and why; empty: the program compares with the reference.
std::string why_not_checked(const Problem& problem);

/// `main()`. @errors kInvalidArgument: an expression.
Result<std::string> self_check_text(const Handover& handover);

}  // namespace ws
