// Whether a reference's own formula rounds, whatever its inputs are.
#pragma once

#include "runtime/kernel/problem.h"

namespace ws {

/// The reference calls a function that no device computes exactly, such as pow or tgamma, or it is
/// in Python and divides. A whole result of whole numbers is then no sum of products that must be
/// met bit for bit: another right way to compute it rounds elsewhere.
bool reference_rounds(const Problem& problem);

}  // namespace ws
