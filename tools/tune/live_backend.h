// A device with its compilers as the backend of a tuning: builds are jobs of the compilers' lane,
// trials are jobs of the device's lane, so that other calls get their turns in between.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "runtime/session/services.h"
#include "tools/tune/pace.h"
#include "tools/tune/point_runs.h"

namespace ws {

struct LiveLabSetup {
  Services& services;
  Device& device;
  std::shared_ptr<const TuneTarget> target;
  const tune::Space& space;
  /// Whether the point gives correct results. Runs on the device's lane.
  /// @errors kCancelled; errors that make the device unusable.
  std::function<Result<PointVerdict>(const Params& params, const CallContext& context)> verify;
  Caller caller;
  std::stop_token stop;
  bool emulated = false;
};

/// A job of a tuning: in the background of the caller that asked for it.
JobRequest backend_job(const Caller& caller, const std::string& lane);

class LiveEvaluationBackend : public tune::EvaluationBackend {
 public:
  /// The objects that the setup refers to must outlive the queue's jobs that the backend began.
  explicit LiveEvaluationBackend(LiveLabSetup setup);
  /// Asks running jobs to stop, and does not wait for them.
  ~LiveEvaluationBackend() override;
  LiveEvaluationBackend(const LiveEvaluationBackend&) = delete;
  LiveEvaluationBackend& operator=(const LiveEvaluationBackend&) = delete;

  double now_s() override;
  [[nodiscard]] std::size_t workers() const override;

  /// The CPU engine runs kernels on the cores that compile.
  [[nodiscard]] bool shares_cores() const override { return setup_.emulated; }

  Status begin_build(const tune::Point& point) override;
  Status begin_trial(const tune::Point& point, const std::vector<double>& best) override;
  Result<std::optional<tune::LabEvent>> next(double until_s) override;

  /// Since the lab was made.
  [[nodiscard]] Pace pace() const;

 private:
  /// The state that the jobs share with the backend; they may outlive it.
  struct Board;

  Status submit(const std::string& lane, JobWork work);

  const LiveLabSetup setup_;
  const Clock::time_point start_;
  std::shared_ptr<Board> board_;
  std::set<std::string> jobs_;  ///< Begun and not ended, as far as the lab has heard.
};

}  // namespace ws
