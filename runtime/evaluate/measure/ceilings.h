// The limits of each GPU: measured once, by the first benchmark on it, and kept in the archive.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "runtime/archive/store/archive.h"
#include "runtime/base/fair_semaphore.h"
#include "runtime/bench/roofline.h"
#include "runtime/device/backend.h"

namespace ws {

/// {"copy_gbps", "read_gbps", "f32_tflops", ...}; only what was measured.
nlohmann::json ceilings_form(const Ceilings& ceilings);

/// All methods: any thread.
class DeviceCeilings {
 public:
  explicit DeviceCeilings(Archive& archive)
      : archive_(archive) {}

  /// Nothing when it was not measured yet; no device is touched.
  std::optional<Ceilings> stored(const DeviceInfo& device);

  /// The stored ones, or a fresh measurement (some seconds) that is then stored; a call that asks
  /// meanwhile waits for it. What cannot be measured is left out; of an emulated device that is
  /// everything.
  /// @errors kBusy: another server times on the device; kCancelled; kDeviceLost; those of storing.
  Result<Ceilings> get(Backend& backend, const std::stop_token& stop);

 private:
  FairSemaphore& turn_of(const std::string& key);

  Archive& archive_;
  std::mutex mutex_;
  std::map<std::string, FairSemaphore>
      turns_;                              // guarded by mutex_, not what is in it; who measures
  std::map<std::string, Ceilings> known_;  // guarded by mutex_; read from the archive once
};

}  // namespace ws
