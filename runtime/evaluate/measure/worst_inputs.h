// Timed blocks have inputs of several distributions. A kernel that is fast on one of them only, as
// it recognises it, is as fast as it is on the others.
#pragma once

#include <span>

#include "runtime/bench/paired.h"
#include "runtime/judge/inputs.h"

namespace ws {

/// Keeps the blocks of the distribution on which the kernel does worst, if there is another one on
/// which it clearly does better: the intervals of their medians lie more than 2 % apart. A
/// distribution of few blocks is not looked at.
///
/// @param drawn  The distribution of each block of `times`.
void keep_worst_inputs(std::span<const Distribution> drawn, PairedResult& times);

}  // namespace ws
