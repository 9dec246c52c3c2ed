// How much faster a kernel is than its baseline by the model of a GPU, and how sure that is.
#pragma once

#include <string>
#include <vector>

#include "runtime/profile/model.h"

namespace ws {

/// The factor by which a ratio of two modelled times may be off, either way. The largest that was
/// seen is in docs/measurements/0016-modelled-times.md; this is more.
inline constexpr double kModelError = 12;

/// Changes whenever the model does: rewards of two versions are not compared.
inline constexpr int kModelVersion = 3;

/// The baseline's time over the kernel's.
struct ModelledSpeedup {
  double value = 1;
  double low = 1;
  double high = 1;
  std::string unknown;  ///< Why the model cannot say; then the numbers mean nothing.
};

/// A kernel and its baseline, counted on one workload.
struct CountedPair {
  ProfileInput kernel;
  ProfileInput baseline;
};

/// By the geometric mean over all workloads. The model cannot say anything of kernels that do in
/// blocks which were not counted something else than in those that were, that need more registers
/// or instructions than a GPU keeps, or where launching takes longer than both work.
/// @param pairs  By workload; at least one. `scale` 1: of the workload that was asked about.
ModelledSpeedup modelled_speedup(const std::vector<CountedPair>& pairs);

}  // namespace ws
