// Aligns the lines of two programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/base/align.h"
#include "runtime/base/result.h"

namespace ws::ir {

using Pairs = AlignedPairs;

/// Pairs of indices of a longest common subsequence, in order. Of several, one with the most pairs
/// (i, preferred[i]); `preferred` may be empty.
/// @errors kUnsupported: what differs is so long that comparing it would take too long.
Result<Pairs> align_texts(const std::vector<std::string>& a, const std::vector<std::string>& b,
                          const std::vector<std::size_t>& preferred = {});

}  // namespace ws::ir
