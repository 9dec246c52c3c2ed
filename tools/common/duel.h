// Candidate and baseline on one workload: timed in turns on the same fresh inputs, in different
// workers, and every timed launch's output looked at.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

/// How the device was while it was timed; nothing of it on the CPU engine.
struct Clocks {
  double sm_mhz = 0;           ///< Median over all launches; 0 = unknown.
  double memory_mhz = 0;       ///< 0 = unknown.
  std::int64_t launches = 0;   ///< That were timed, of both sides.
  std::int64_t throttled = 0;  ///< Of them; they are not counted.
  std::set<std::string> throttle_reasons;
  std::int64_t processes = 0;  ///< That computed on the device, ours among them.
};

struct DuelResult {
  std::string problem_found;  ///< "" = every launch was fine; else why the times mean nothing.
  std::optional<Fault> fault;
  PairedResult times;
  Clocks clocks;
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
    double overhead_us = 0;      ///< Of a doorbell that launches nothing, on the CPU engine.
    std::uint64_t blocks = 0;    ///< Measured so far.
    std::uint32_t launches = 1;  ///< Of one block.
    std::chrono::milliseconds limit{0};  ///< Of one block.
  };

  Duel(const Problem& problem, DuelOptions options, bool emulated)
      : problem_(problem),
        options_(std::move(options)),
        emulated_(emulated) {}

  void find_outputs(const Workload& workload, std::optional<double> flops);
  Status calibrate(Fighter& fighter, const std::stop_token& stop);
  Result<PairedResult> measure_both(const std::stop_token& stop);
  /// Else the result says what went wrong, and the error ends the duel.
  Status went_well(const RunOutcome& outcome, const Fighter& fighter);
  [[nodiscard]] std::string who(const Fighter& fighter) const;
  Result<double> measure(Side side, const std::stop_token& stop);
  /// The inputs of a new block, the same for both sides.
  Status fresh_inputs(std::uint64_t block);
  void cool_caches();
  /// Of one block, in microseconds.
  double time_of(const TimingOutcome& timing, Fighter& fighter);
  void compare_outputs();

  const Problem& problem_;
  DuelOptions options_;
  bool emulated_;
  Fighter kernel_;
  Fighter baseline_;
  double reduction_length_ = 1;
  std::vector<std::pair<std::size_t, ErrorBound>>
      outputs_;                  ///< Buffer and how far they may differ.
  std::vector<std::byte> cold_;  ///< Larger than the last cache level.
  std::vector<double> sm_mhz_;   ///< Of each launch that was timed.
  DuelResult result_;
};

}  // namespace ws
