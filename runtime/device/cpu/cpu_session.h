// One worker of the CPU engine with one plan loaded.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/backend.h"
#include "runtime/device/cpu/doorbell.h"
#include "runtime/device/cpu/races/race_report.h"
#include "runtime/device/cpu/standstill.h"
#include "runtime/queue/process.h"

namespace ws::cpu {

/// The worker stands still but for run(), counters() and races(): buffers are filled and compared
/// then.
class CpuSession : public Session {
 public:
  /// @param standstill  Of the process, which stands still.
  /// @param zeros  Counters of the image and plan, all zero.
  CpuSession(WorkerProcess process, Standstill standstill, std::shared_ptr<Arena> arena,
             ProfileCounters zeros)
      : process_(std::move(process)),
        standstill_(standstill),
        arena_(std::move(arena)),
        zeros_(std::move(zeros)) {}

  /// The buffers stay where they are, so that it can be timed.
  Result<RunOutcome> run(std::uint64_t poison, std::chrono::milliseconds limit,
                         const std::stop_token& stop) override;

  [[nodiscard]] bool has_modes() const override { return true; }

  /// The buffers lie at another place in each such launch.
  Result<RunOutcome> run_as(const RunMode& mode, std::uint64_t poison,
                            std::chrono::milliseconds limit, const std::stop_token& stop) override;

  Result<TimingOutcome> time(const TimingRequest& request, std::chrono::milliseconds limit,
                             const std::stop_token& stop) override;

  Result<ProfileCounters> counters() override;

  /// The races of the last run of a watched build.
  /// @param image, plan  Those of the session. @errors kDeviceLost: no answer.
  Result<RaceReport> races(const Image& image, const RunPlan& plan);

 private:
  Result<RunOutcome> launch(const Doorbell& doorbell, std::chrono::milliseconds limit,
                            const std::stop_token& stop);
  /// The answer to a question about past runs. @errors kDeviceLost: there is none.
  Result<std::string> ask(char question);
  /// The doorbell, and how long its reply took. @errors as WorkerCall::wait().
  Result<std::string> ring(const Doorbell& doorbell, std::chrono::milliseconds limit,
                           const std::stop_token& stop, RunOutcome& outcome);
  /// After the reply. What the process still worked when it had replied counts as time: a reply
  /// that comes before the work is done gains nothing.
  Status halt(RunOutcome& outcome);
  /// Past the deadline: the worker says where its kernel is, then it is killed.
  void ask_where(RunOutcome& outcome);

  WorkerProcess process_;
  Standstill standstill_;
  std::shared_ptr<Arena> arena_;
  ProfileCounters zeros_;
  bool restless_ = false;  // It did not stand still before the last doorbell.
};

}  // namespace ws::cpu
