#include "runtime/device/timing_checks.h"

namespace ws {

Status check_launches(const TimingRequest& request) {
  if (request.launches == 0 || request.launches > TimingRequest::kMaxLaunches) {
    return fail(ErrorCode::kInvalidArgument, "launches must be 1 to " +
                                                 std::to_string(TimingRequest::kMaxLaunches) +
                                                 ", got " + std::to_string(request.launches));
  }
  return {};
}

Status check_samples(const TimingOutcome& outcome, const TimingRequest& request,
                     const std::string& who) {
  if (outcome.run.ok() && outcome.samples.size() != request.launches) {
    return fail(ErrorCode::kInternal, who + " took " + std::to_string(outcome.samples.size()) +
                                          " samples of " + std::to_string(request.launches));
  }
  return {};
}

}  // namespace ws
