// Clocks and throttling, from NVIDIA's management library where there is one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/call_context.h"

namespace ws::cuda {

/// The library's functions and one device of it. For one thread.
class Nvml {
 public:
  /// @param library  A path, or a name that the loader looks up; "" = libnvidia-ml.so.1.
  /// @param uuid     "GPU-..." or "MIG-...".
  /// @return         Nothing where the library or the device in it is missing.
  static std::optional<Nvml> open(const std::string& library, const std::string& uuid);

  /// In MHz, now; 0 = the library does not say.
  [[nodiscard]] double sm_clock() const;

  /// The values that take the library a millisecond or more, and those that change slowly.
  struct State {
    double memory_mhz = 0;  ///< 0 = it does not say.
    /// Why the clocks are lower than they could be: "power_cap", "thermal", ...; an idle device is
    /// none.
    std::vector<std::string> throttle_reasons;
    /// With a context on the device, ours among them; 0 = it does not say.
    std::int64_t processes = 0;
  };

  /// As it is, or was at most a second ago.
  const State& state();
  /// Asks again, unless it was just asked: called while nobody waits, so that state() need not ask.
  void refresh();

 private:
  using Device = struct NvmlDeviceTag*;

  struct Table {
    int (*init)() = nullptr;
    int (*device_by_uuid)(const char*, Device*) = nullptr;
    int (*clock)(Device, int, unsigned*) = nullptr;
    int (*reasons)(Device, unsigned long long*) = nullptr;
    int (*processes)(Device, unsigned*, void*) = nullptr;
  };

  Nvml(const Table& table, Device device)
      : table_(table),
        device_(device) {}

  [[nodiscard]] double clock(int which) const;
  [[nodiscard]] std::vector<std::string> throttle_reasons() const;
  [[nodiscard]] std::int64_t processes() const;
  /// Asks if the last answer is older.
  void keep_younger_than(std::chrono::milliseconds age);

  Table table_;
  Device device_;
  State state_;
  Clock::time_point asked_;
};

}  // namespace ws::cuda
