// The devices of nodes that live, and which of them a call may name.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/broker/job_broker.h"

namespace ws {

/// Any thread.
class NodeDevices {
 public:
  explicit NodeDevices(JobBroker& broker)
      : broker_(broker) {}

  /// By name, as they are now. @errors Those of the broker.
  Result<std::vector<OfferedDevice>> ask();

  /// The lane of a call's job: the kind of its device. Jobs of a kind that no node has now wait for
  /// one.
  /// @param device  As the call names it; empty: the best that nodes have.
  /// @errors kNotFound: no kind of device has that name, or all nodes with the kind lack the
  /// number; those of the broker.
  Result<std::string> lane_of(const std::string& device);

 private:
  /// As they were no longer than kNodeBeat ago.
  Result<std::vector<OfferedDevice>> known();

  JobBroker& broker_;
  std::mutex mutex_;
  std::vector<OfferedDevice> devices_;  // guarded by mutex_
  Clock::time_point known_until_;       // guarded by mutex_
};

}  // namespace ws
