// Candidate and baseline on one workload: timed in turns on the same fresh inputs, in different
// workers, with every timed launch's output checked. On an emulated device the baseline has a twin.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/bench/paired.h"
#include "runtime/evaluate/measure/timed_kernel.h"
#include "runtime/evaluate/measure/timed_outputs.h"

namespace ws {

/// The state of a measurement that goes on.
struct TimedSoFar {
  std::size_t samples = 0;  ///< The kernel's.
  double kernel_us = 0;     ///< Their median.
  double noise = 0;         ///< The median distance from that, as a share of it.
  double spent_ms = 0;
};

struct PairedMeasurementOptions {
  std::uint64_t secret = 0;  ///< Inputs, poison and order.
  bool hot = false;          ///< Do not walk over the caches before each launch.
  PairedOptions paired;
  std::chrono::milliseconds limit{10'000};  ///< The limit of one launch.
  std::string batch;                        ///< The kernel's batch, as RunPlan::batch.
  std::optional<LibraryCall> library = {};  ///< The baseline, if it is a library.
  /// Called between two launches: after the first one, then once a second. May be empty.
  std::function<void(const TimedSoFar&)> progress{};
};

struct PairedMeasurementResult {
  std::string problem_found;  ///< "" = every launch was correct; else why the times are invalid.
  std::optional<Fault> fault;
  PairedResult times;
  Clocks clocks;
  std::optional<LibraryFacts> library = {};  ///< The code behind the baseline, if it is a library.
};

class PairedMeasurement {
 public:
  /// `kernel` and `baseline` are compiled for the same workload of `problem`.
  /// @errors as prepare().
  static Result<std::unique_ptr<PairedMeasurement>> start(Backend& backend, const Problem& problem,
                                                          const Workload& workload,
                                                          const Compiled& kernel,
                                                          const Compiled& baseline,
                                                          const PairedMeasurementOptions& options,
                                                          const std::stop_token& stop = {});

  /// @errors kCancelled; those of filling the inputs.
  Result<PairedMeasurementResult> run(const std::stop_token& stop);

  /// Says that the kernel and its times were found correct.
  void mark_verified() { kernel_.timed.mark_verified(); }

 private:
  struct Arm {
    TimedKernel timed;
    std::uint64_t blocks = 0;           ///< Measured so far.
    std::vector<OutputDigest> digests;  ///< The last block's.
  };

  PairedMeasurement(const Problem& problem, PairedMeasurementOptions options, bool emulated)
      : problem_(problem),
        options_(std::move(options)),
        emulated_(emulated),
        mixtures_(takes_mixtures(problem)),
        cold_(emulated && !options_.hot) {}

  Result<PairedResult> measure_both(const std::stop_token& stop);
  /// Opens the workers; with a twin in an order that the secret draws.
  Status open_arms(Backend& backend, const Compiled& kernel, const Compiled& baseline,
                   const std::stop_token& stop);
  [[nodiscard]] std::vector<Arm*> arms();
  Arm& arm_of(Side side);
  /// Else the result says what went wrong, and the error ends the measurement.
  Status was_fair(const std::optional<Violation>& violation, const Arm& arm);
  Result<double> measure(Side side, const std::stop_token& stop);
  /// Reports what there is, where it is time.
  void tell(double kernel_us);
  /// The inputs of a new block, the same for both sides.
  Status fresh_inputs(std::uint64_t block);
  /// Compares the outputs of kernel and baseline after both have run the block; an input
  /// distribution for which the problem has no answer is not drawn again.
  Status compare_outputs();

  const Problem& problem_;
  PairedMeasurementOptions options_;
  bool emulated_;
  bool mixtures_;            ///< Inputs are drawn from several distributions,
  std::uint64_t draws_ = 0;  ///< so many times so far,
  Distribution distribution_ = Distribution::kDeclared;  ///< from this one the last time.
  std::vector<Distribution> drawn_;  ///< For each block of the kernel, the warm-up first.
  Arm kernel_;
  Arm baseline_;
  Arm twin_;                             ///< Only with options_.paired.twin.
  std::uint64_t launches_ = 0;           ///< The launches of all sides.
  std::uint64_t filled_ = 0;             ///< Blocks that have had their inputs.
  std::optional<TimedOutputs> outputs_;  ///< From when the workers are open.
  ColdWalk cold_;
  ClockLog log_;
  std::vector<double> kernel_us_;  ///< So far; only where somebody wants to know.
  Clock::time_point began_ = Clock::now();
  std::optional<Clock::time_point> told_at_;
  PairedMeasurementResult result_;
};

}  // namespace ws
