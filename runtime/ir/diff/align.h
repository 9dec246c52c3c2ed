// Which elements of two sequences belong together.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"

namespace ws::ir {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Pairs of indices of a longest common subsequence, in order. Of several, one with the most pairs
/// (i, preferred[i]); `preferred` may be empty.
/// @errors kUnsupported: what differs is so long that comparing it would take too much memory.
Result<Pairs> align(const std::vector<std::string>& a, const std::vector<std::string>& b,
                    const std::vector<std::size_t>& preferred = {});

}  // namespace ws::ir
