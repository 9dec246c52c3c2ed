// Clocks and throttling, from NVIDIA's management library where there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  [[nodiscard]] double memory_clock() const;

  /// Why the clocks are lower than they could be, now: "power_cap", "thermal", ...; an idle device
  /// is none.
  [[nodiscard]] std::vector<std::string> throttle_reasons() const;

  /// Processes with a context on the device, ours among them; 0 = the library does not say.
  [[nodiscard]] std::int64_t processes() const;

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

  Table table_;
  Device device_;
};

}  // namespace ws::cuda
