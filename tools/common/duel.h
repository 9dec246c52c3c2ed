// Candidate and baseline on one workload: timed in turns on the same fresh inputs, in different
// workers, and every timed launch's output looked at.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/bench/paired.h"
#include "runtime/judge/tolerance.h"
#include "tools/common/prepared.h"
#include "tools/common/trial.h"

namespace ws {

struct DuelOptions {
  std::uint64_t secret = 0;  ///< Inputs, poison and order.
  bool hot = false;          ///< Do not walk over the caches before each launch.
  PairedOptions paired;
  std::chrono::milliseconds limit{10'000};  ///< Of one launch.
};

struct DuelResult {
  std::string problem_found;  ///< "" = every launch was fine; else why the times mean nothing.
  std::optional<Fault> fault;
  PairedResult times;
};

class Duel {
 public:
  /// `kernel` and `baseline` are compiled for the same workload of `problem`.
  /// @errors as prepare().
  static Result<std::unique_ptr<Duel>> start(Backend& backend, const Problem& problem,
                                             const Workload& workload, const Compiled& kernel,
                                             const Compiled& baseline, const DuelOptions& options);

  /// @errors kCancelled; those of filling the inputs.
  Result<DuelResult> run(const std::stop_token& stop);

 private:
  struct Fighter {
    Prepared prepared;
    double overhead_us = 0;  ///< Of a doorbell that launches nothing.
    std::uint64_t launches = 0;
  };

  Duel(const Problem& problem, DuelOptions options)
      : problem_(problem),
        options_(std::move(options)) {}

  Status calibrate(Fighter& fighter, const std::stop_token& stop);
  Result<double> measure(Side side, const std::stop_token& stop);
  Status fresh_inputs(std::uint64_t block);
  void cool_caches();
  void compare_outputs();

  const Problem& problem_;
  DuelOptions options_;
  Fighter kernel_;
  Fighter baseline_;
  double reduction_length_ = 1;
  std::vector<std::pair<std::size_t, ErrorBound>>
      outputs_;                  ///< Buffer and how far they may differ.
  std::vector<std::byte> cold_;  ///< Larger than the last cache level.
  DuelResult result_;
};

}  // namespace ws
