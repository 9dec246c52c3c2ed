// A race: samples of one point are taken until it is clear that it cannot beat the best so far.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/base/result.h"

namespace ws::tune {

/// So many samples in all, and how far above the best so far the fastest of them (in the last stage
/// their median) may lie to go on.
struct RaceStage {
  int samples = 1;
  double margin = 1;
};

/// One sample shows a point that is far off; the last stage is what others are compared with.
std::span<const RaceStage> race_stages();

struct RaceResult {
  double us = 0;                ///< Median of the samples.
  std::vector<double> samples;  ///< In microseconds, in order.
  bool finished = false;        ///< All stages; else it was given up.
};

/// Each stage compares with the best's median of as many first samples, or of all where that is
/// slower: a device that was idle is slow at first, and would lose every race.
///
/// @param sample  One more, in microseconds.
/// @param best    The samples of the best so far, in order; empty: there is none yet.
/// @errors those of `sample`.
Result<RaceResult> race(const std::function<Result<double>()>& sample,
                        const std::vector<double>& best);

}  // namespace ws::tune
