// Whether two launches on the same inputs wrote the same, within the bound of the output, as far as
// their digests tell.
#pragma once

#include "runtime/device/output_digest.h"
#include "runtime/judge/tolerance.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// False only where `got` cannot come from values that all are within `bound` of those of `want`
/// (with a chance of 1e-13: by Hoeffding's inequality a sum of errors with random signs is at most
/// eight times the root of the sum of their squares). Errors in a few elements only may pass; those
/// of a launch that did not do its work do not, unless they are in rows that are far smaller than
/// others, longer than a part, and of a coarse type. Parts where `want` is not finite say nothing.
///
/// @param spec  The output's layout, without gaps.
bool digests_agree(const BufferSpec& spec, const OutputDigest& got, const OutputDigest& want,
                   const ErrorBound& bound);

}  // namespace ws
