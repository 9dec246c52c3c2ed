// The pattern of an output's mismatches, in words that an agent can act on.
//
// The largest error says that a kernel is wrong; where the errors lie, and what stands there
// instead, mostly says why. There is always an answer: at worst "everywhere" or "scattered".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/judge/compare.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

struct MismatchPattern {
  std::string_view code;  ///< One of pattern_codes().
  std::string text;       ///< "the last 3 of 67 columns are wrong and never written".
  std::string hint;       ///< The first thing to look at.
};

/// The code of outputs without order (unordered.h), whose rows are missing or surplus.
inline constexpr std::string_view kMissingRows = "missing_rows";

/// Every code that describe_mismatch can give, in the order in which they are tried, and
/// kMissingRows.
std::span<const std::string_view> pattern_codes();

/// True when errors of rounding's size are all that is wrong.
bool is_rounding(const MismatchPattern& pattern);

/// Names the pattern of a failed comparison.
///
/// @param spec     Layout of both buffers; all but the last dimension count as rows.
/// @param got      The candidate's output.
/// @param want     The reference.
/// @param result   compare() of the two, with at least one mismatch.
/// @param shape    The output's shape as written ("m", "n"), to name sizes in the hint; may be
///                 empty.
/// @threads any; a few passes over the mismatch bits and at most 4096 values.
MismatchPattern describe_mismatch(const BufferSpec& spec, std::span<const std::byte> got,
                                  std::span<const std::byte> want, const Comparison& result,
                                  const std::vector<std::string>& shape = {});

}  // namespace ws
