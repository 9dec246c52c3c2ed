// The part of a tuning's result that its summary and its next steps rest on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/tune/session.h"

namespace ws {

/// Points, by how they ended.
struct TuneCounts {
  std::uint64_t timed = 0;
  std::uint64_t failed = 0;
  std::uint64_t by_constraints = 0;  ///< Pruned before they were compiled.
  std::uint64_t by_device = 0;       ///< Pruned, as the device has not enough for them.
  std::uint64_t by_kernel = 0;       ///< Pruned by the kernel itself.

  [[nodiscard]] std::uint64_t pruned() const { return by_constraints + by_device + by_kernel; }
};

/// One kind of failure.
struct TuneFailure {
  Verdict verdict = Verdict::kIncorrect;
  std::size_t count = 0;
  Params params;  ///< The first point that failed so.
  std::string message;
};

struct TuneConclusion {
  std::string kernel_id;
  Verdict verdict = Verdict::kNone;  ///< As of FinalsResult.
  std::string message;               ///< Why it is kSuspect, kResolutionLimited or kNoBaseline.
  std::optional<Params> best;
  std::optional<double>
      ratio;          ///< The defaults' time over that of the best, where it was measured.
  Interval ratio_ci;  ///< Where there is a ratio.
  std::size_t ties = 0;
  TuneCounts counts;
  std::vector<TuneFailure> failures;  ///< The most frequent kinds first.
  bool emulated = false;
  bool out_of_budget = false;  ///< The search ended when its time was over.
};

TuneConclusion conclusion_of(const TuneQuestion& question, const TuneOutcome& outcome,
                             const DeviceInfo& device);

/// Reads it from a result in the form of tune_body(), which may show fewer failures than there
/// were. Throws what nlohmann throws where the form is another one.
void from_json(const Json& body, TuneConclusion& conclusion);

}  // namespace ws
