// The measured difference between equal kernels on a GPU: found once per device by timing a fixed
// kernel against itself, and kept in the archive for a day.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/archive/store/archive.h"
#include "runtime/base/fair_semaphore.h"
#include "runtime/bench/paired.h"
#include "runtime/device/backend.h"

namespace ws {

/// All methods: any thread.
class NoiseFloors {
 public:
  explicit NoiseFloors(Archive& archive)
      : archive_(archive) {}

  /// Nothing when it was not measured yet, or too long ago.
  /// As a ratio: of times that are not short.
  std::optional<double> stored(const DeviceInfo& device);

  /// Zero for an emulated device, which measures its floor beside each comparison. Else the stored
  /// one, or a fresh measurement (about two seconds) that is then stored; a call that asks
  /// meanwhile waits for it.
  /// @errors those of compiling, running and storing; kCancelled.
  Result<NoiseFloor> get(Backend& backend, const std::stop_token& stop);

 private:
  struct Entry {
    double floor = 0;
    std::int64_t at_ms = 0;  ///< Since the epoch.
  };

  FairSemaphore& turn_of(const std::string& key);

  Archive& archive_;
  std::mutex mutex_;
  std::map<std::string, FairSemaphore>
      turns_;                           // guarded by mutex_, not what is in it; who measures
  std::map<std::string, Entry> known_;  // guarded by mutex_; read from the archive once
};

}  // namespace ws
