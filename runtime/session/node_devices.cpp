#include "runtime/session/node_devices.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ws {
namespace {

constexpr std::string_view kGpuLane = "cuda";
constexpr std::string_view kCpuLane = "cpu";
constexpr std::array<std::string_view, 4> kLanes = {kGpuLane, "hip", "vulkan", kCpuLane};

std::string_view lane_in(std::string_view device) {
  return device.substr(0, device.find(':'));
}

bool has_lane(const std::vector<OfferedDevice>& devices, std::string_view lane) {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const OfferedDevice& device) { return lane_in(device.id) == lane; });
}

bool has(const std::vector<OfferedDevice>& devices, std::string_view id) {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const OfferedDevice& device) { return device.id == id; });
}

/// Whether a device could have that name: "cuda:0".
bool is_device_name(std::string_view device) {
  const std::string_view lane = lane_in(device);
  const std::string_view number = device.substr(std::min(lane.size() + 1, device.size()));
  return std::find(kLanes.begin(), kLanes.end(), lane) != kLanes.end() && !number.empty() &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

Error no_such_device(const std::string& id, const std::vector<OfferedDevice>& devices) {
  std::string known;
  for (const OfferedDevice& device : devices) {
    known += (known.empty() ? "" : ", ") + device.id;
  }
  return {ErrorCode::kNotFound,
          "no device `" + id + "`",
          known.empty() ? "no node lives now; devices are named like cuda:0 and cpu:0"
                        : "the devices of nodes are " + known + "; see list_devices",
          {}};
}

}  // namespace

Result<std::vector<OfferedDevice>> NodeDevices::ask() {
  WS_TRY(std::vector<OfferedDevice> devices, broker_.devices());
  const std::lock_guard lock(mutex_);
  devices_ = devices;
  known_until_ = Clock::now() + kNodeBeat;
  return devices;
}

Result<std::vector<OfferedDevice>> NodeDevices::known() {
  {
    const std::lock_guard lock(mutex_);
    if (Clock::now() < known_until_) {
      return devices_;
    }
  }
  return ask();
}

Result<std::string> NodeDevices::lane_of(const std::string& device) {
  WS_TRY(std::vector<OfferedDevice> devices, known());
  if (device.empty()) {
    return std::string(has_lane(devices, kGpuLane) ? kGpuLane : kCpuLane);
  }
  const std::string_view lane = lane_in(device);
  if (!has(devices, device)) {
    WS_TRY(devices, ask());  // Its node may have come since.
    if (!is_device_name(device) || (has_lane(devices, lane) && !has(devices, device))) {
      return fail(no_such_device(device, devices));
    }
  }
  return std::string(lane);
}

}  // namespace ws
