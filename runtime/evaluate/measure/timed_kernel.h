// A compiled kernel in a worker of its own, timed block by block on the inputs that lie in its
// arena.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/device/library_run.h"
#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/prepared.h"

namespace ws {

/// The state of the device during the timing; empty on the CPU engine.
struct Clocks {
  double sm_mhz = 0;           ///< Median over all launches; 0 = unknown.
  double memory_mhz = 0;       ///< 0 = unknown.
  std::int64_t launches = 0;   ///< The launches that were timed.
  std::int64_t throttled = 0;  ///< Those of them that were throttled, which do not count.
  std::set<std::string> throttle_reasons;
  std::int64_t processes = 0;  ///< Processes that computed on the device, including ours.
};

/// Clocks while they are collected.
struct ClockLog {
  Clocks clocks;               ///< All but sm_mhz.
  std::vector<double> sm_mhz;  ///< The clock at each launch that was timed.
};

struct TimedKernelOptions {
  RunAs as = RunAs::kCandidate;
  bool emulated = false;
  bool hot = false;                         ///< Do not walk over the caches before each launch.
  std::chrono::milliseconds limit{10'000};  ///< The limit of one launch.
  std::string batch;                        ///< As RunPlan::batch.
  std::optional<LibraryCall> library = {};  ///< Timed in the kernel's place.
};

/// A violation by the kernel that makes its times worthless.
struct Violation {
  Verdict verdict = Verdict::kRuntimeError;
  std::string message;
  std::optional<Fault> fault;  ///< Unless it only wrote where it may not.
};

/// Memory to walk over before a cold launch on an emulated device.
class ColdWalk {
 public:
  explicit ColdWalk(bool needed);
  void walk();

 private:
  std::vector<std::byte> bytes_;  ///< Larger than the last cache level.
};

class TimedKernel {
 public:
  TimedKernel() = default;

  /// @param compiled  ok(); library_side() where a library is called.
  /// @errors as prepare(), or as prepare_library().
  static Result<TimedKernel> open(Backend& backend, const Compiled& compiled,
                                  const TimedKernelOptions& options, const std::stop_token& stop);

  [[nodiscard]] const ResolvedPlan& plan() const { return prepared_.plan; }

  [[nodiscard]] const Arena& arena() const { return *prepared_.arena; }

  /// Nothing where no library is called.
  [[nodiscard]] const std::optional<LibraryFacts>& library() const { return library_; }

  /// Measures the cost of a doorbell, or finds how many launches a block takes; on inputs.
  /// @return  A violation, after which the kernel cannot be timed again. @errors kCancelled; those
  /// of Session.
  Result<std::optional<Violation>> calibrate(std::uint64_t secret, const std::stop_token& stop);

  /// The least cost of a doorbell that launches nothing, in microseconds; 0 on a GPU, whose own
  /// clock times the launches.
  [[nodiscard]] double overhead_us() const { return overhead_us_; }

  /// The inputs of a block's launches, on a GPU; an emulated device has one launch in a block.
  struct SharedInputs {
    std::uint64_t secret = 0;    ///< As TimingRequest::inputs.
    std::uint32_t launches = 0;  ///< As TimingRequest::shared; at most launches().
  };

  /// The launches of one block.
  [[nodiscard]] std::uint32_t launches() const { return launches_; }

  struct Block {
    double us = 0;  ///< Includes the cost of a doorbell.
    std::optional<Violation>
        violation;  ///< Then there is no time, and the kernel cannot be timed again.
    std::vector<OutputDigest> digests;  ///< As TimingOutcome::digests.
  };

  /// One block: outputs and guards are poisoned before it and checked after it.
  /// @param seed  Secret, another for each block. @param cold  Walked over in between. @errors as
  /// calibrate().
  Result<Block> measure(std::uint64_t seed, const SharedInputs& inputs, ColdWalk& cold,
                        ClockLog& log, const std::stop_token& stop);

  /// For the device, while others had it: since this was opened.
  [[nodiscard]] double waited_ms() const { return waited_ms_; }

  /// Says that the results of the measured kernel were correct.
  void mark_verified() { prepared_.session->mark_verified(); }

 private:
  [[nodiscard]] std::optional<Violation> violation_of(const RunOutcome& outcome) const;
  [[nodiscard]] double time_of(const TimingOutcome& timing, ClockLog& log) const;

  Prepared prepared_;
  std::optional<LibraryFacts> library_;
  TimedKernelOptions options_;
  double overhead_us_ = 0;
  std::uint32_t launches_ = 1;          ///< For one block.
  std::chrono::milliseconds limit_{0};  ///< For one block.
  double waited_ms_ = 0;
};

}  // namespace ws
