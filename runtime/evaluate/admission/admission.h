// Whether a problem can tell a right kernel from a wrong one: asked once for each problem, before
// its first reward.
//
// Answers that need no work must fail on it; each input must matter; its reference must give the
// same results for the same inputs; its tolerance must not accept anything. A problem that fails
// one of these is weak: kernels still run on it, but a pass says little, and no reward is paid.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/store/archive.h"
#include "runtime/evaluate/subject.h"
#include "runtime/evaluate/validate/reference.h"

namespace ws {

/// Sentences that say why a problem is weak; none: it is sound.
using Weaknesses = std::vector<std::string>;

/// Runs the reference of a problem a few times on one of its workloads.
/// @param secret  All draws come from it.
/// @return  Nothing where the reference could not be used, which a validation reports.
/// @errors kCancelled; those of running the reference.
Result<std::optional<Weaknesses>> find_weaknesses(Reference& reference,
                                                  const ErrorModel& error_model,
                                                  std::uint64_t secret,
                                                  const std::stop_token& stop);

/// The weaknesses of problems, kept in the archive. All methods: any thread.
class Admissions {
 public:
  explicit Admissions(Archive& archive)
      : archive_(archive) {}

  /// Nothing when the problem was not examined yet.
  std::optional<Weaknesses> stored(const std::string& problem_id);

  /// The stored answer, or a fresh one that is then stored.
  /// @param workload  A cheap one that the device can run.
  /// @errors those of find_weaknesses, and of reading and writing the archive.
  Result<Weaknesses> get(Backend& backend, HostWorkers& hosts, const Problem& problem,
                         const Workload& workload, const std::stop_token& stop);

 private:
  Archive& archive_;
  std::mutex mutex_;
  std::map<std::string, Weaknesses> known_;  ///< guarded by mutex_
};

}  // namespace ws
