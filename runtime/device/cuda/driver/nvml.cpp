#include "runtime/device/cuda/driver/nvml.h"

#include <array>

#include <dlfcn.h>

namespace ws::cuda {
namespace {

// Numbers of nvml.h's ABI.
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
/// The size of one nvmlProcessInfo_t, second version, in bytes.
constexpr std::size_t kProcessInfoBytes = 24;
constexpr unsigned kMaxProcesses = 64;

struct Reason {
  unsigned long long bit;
  const char* name;
};

constexpr std::array kReasons = {
    Reason{0x2, "application_clocks"},
    Reason{0x4, "power_cap"},
    Reason{0x8, "hardware_slowdown"},
    Reason{0x10, "sync_boost"},
    Reason{0x20, "thermal"},
    Reason{0x40, "hardware_thermal"},
    Reason{0x80, "hardware_power_brake"},
};

template <typename Function>
bool find(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  return into != nullptr;
}

}  // namespace

std::optional<Nvml> Nvml::open(const std::string& library, const std::string& uuid) {
  constexpr const char* kLibrary = "libnvidia-ml.so.1";
  constexpr const char* kMounted = "/usr/local/nvidia/lib64/libnvidia-ml.so.1";
  void* opened = ::dlopen(library.empty() ? kLibrary : library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr && library.empty()) {
    opened = ::dlopen(kMounted, RTLD_NOW | RTLD_LOCAL);
  }
  Table table;
  Device device = nullptr;
  const bool ready = opened != nullptr && find(opened, "nvmlInit_v2", table.init) &&
                     find(opened, "nvmlDeviceGetHandleByUUID", table.device_by_uuid) &&
                     find(opened, "nvmlDeviceGetClockInfo", table.clock) &&
                     find(opened, "nvmlDeviceGetCurrentClocksThrottleReasons", table.reasons) &&
                     find(opened, "nvmlDeviceGetComputeRunningProcesses_v2", table.processes) &&
                     table.init() == 0 && table.device_by_uuid(uuid.c_str(), &device) == 0;
  return ready ? std::optional(Nvml(table, device)) : std::nullopt;
}

double Nvml::clock(int which) const {
  unsigned mhz = 0;
  return table_.clock(device_, which, &mhz) == 0 ? mhz : 0;
}

double Nvml::sm_clock() const {
  return clock(kSmClock);
}

std::vector<std::string> Nvml::throttle_reasons() const {
  unsigned long long bits = 0;
  std::vector<std::string> names;
  if (table_.reasons(device_, &bits) == 0) {
    for (const Reason& reason : kReasons) {
      if ((bits & reason.bit) != 0) {
        names.emplace_back(reason.name);
      }
    }
  }
  return names;
}

std::int64_t Nvml::processes() const {
  alignas(8) std::array<char, kMaxProcesses * kProcessInfoBytes> infos{};
  unsigned count = kMaxProcesses;
  return table_.processes(device_, &count, infos.data()) == 0 ? count : 0;
}

void Nvml::keep_younger_than(std::chrono::milliseconds age) {
  if (const auto now = Clock::now(); now - asked_ > age) {
    asked_ = now;
    state_ = {clock(kMemoryClock), throttle_reasons(), processes()};
  }
}

const Nvml::State& Nvml::state() {
  keep_younger_than(std::chrono::seconds(1));
  return state_;
}

void Nvml::refresh() {
  keep_younger_than(std::chrono::milliseconds(50));
}

}  // namespace ws::cuda
