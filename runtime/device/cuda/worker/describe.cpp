#include "runtime/device/cuda/worker/describe.h"

#include <array>

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"

namespace ws::cuda {

// nlohmann finds it by argument-dependent look-up.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CudaDevice, name, uuid, arch, sm_count, max_threads_per_block,
                                   max_threads_per_sm, max_block_z, max_grid_x, max_grid_yz,
                                   max_shared_bytes, warp_size, memory_bytes, l2_bytes,
                                   sm_clock_mhz, memory_clock_mhz, driver, mps, mig)

namespace {

/// From this compute capability on a device has instructions of its own architecture only
/// (wgmma, tcgen05), which the target's suffix `a` allows.
constexpr int kFirstWithOwnTarget = 9;

constexpr std::int64_t kKhzPerMhz = 1000;

std::string uuid_text(const CuUuid& uuid, bool mig) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = mig ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    text += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
    text += kHex[uuid.bytes.at(i) >> 4U];
    text += kHex[uuid.bytes.at(i) & 15U];
  }
  return text;
}

Result<std::int64_t> attribute(Driver& driver, CuDevice device, CuAttribute which) {
  int value = 0;
  WS_CHECK(WS_CU_CALL(driver, cuDeviceGetAttribute, &value, which, device));
  return value;
}

/// Every plain number, from one table.
Status read_attributes(Driver& driver, CuDevice device, CudaDevice& into) {
  struct Row {
    CuAttribute which;
    std::int64_t* value;
    std::int64_t divisor;
  };

  const Row rows[] = {
      {kCuMultiprocessorCount, &into.sm_count, 1},
      {kCuMaxThreadsPerBlock, &into.max_threads_per_block, 1},
      {kCuMaxThreadsPerMultiprocessor, &into.max_threads_per_sm, 1},
      {kCuMaxBlockDimZ, &into.max_block_z, 1},
      {kCuMaxGridDimX, &into.max_grid_x, 1},
      {kCuMaxGridDimY, &into.max_grid_yz, 1},
      {kCuMaxSharedMemoryPerBlockOptin, &into.max_shared_bytes, 1},
      {kCuWarpSize, &into.warp_size, 1},
      {kCuClockRateKhz, &into.sm_clock_mhz, kKhzPerMhz},
      {kCuMemoryClockRateKhz, &into.memory_clock_mhz, kKhzPerMhz},
  };
  for (const Row& row : rows) {
    WS_TRY(*row.value, attribute(driver, device, row.which));
    *row.value /= row.divisor;
  }
  WS_TRY(const std::int64_t l2, attribute(driver, device, kCuL2CacheSize));
  into.l2_bytes = static_cast<std::uint64_t>(l2);
  return {};
}

Result<std::string> arch_of(Driver& driver, CuDevice device) {
  if (const auto name_arch = driver.dialect().arch) {
    std::array<char, 256> name{};
    WS_CHECK(
        driver.check(name_arch(name.data(), name.size(), device), "the device's architecture"));
    return std::string(name.data());
  }
  WS_TRY(const std::int64_t major, attribute(driver, device, kCuComputeCapabilityMajor));
  WS_TRY(const std::int64_t minor, attribute(driver, device, kCuComputeCapabilityMinor));
  return "sm_" + std::to_string(major) + std::to_string(minor) +
         (major >= kFirstWithOwnTarget ? "a" : "");
}

}  // namespace

Result<CudaDevice> describe_device(Driver& driver, int index) {
  int count = 0;
  WS_CHECK(WS_CU_CALL(driver, cuDeviceGetCount, &count));
  if (index < 0 || index >= count) {
    return fail(ErrorCode::kNotFound,
                "there is no device " + std::to_string(index) + "; the " + driver.dialect().name +
                    " has " + std::to_string(count),
                "call list_devices");
  }
  CuDevice device = 0;
  WS_CHECK(WS_CU_CALL(driver, cuDeviceGet, &device, index));
  CudaDevice info;
  std::array<char, 256> name{};
  WS_CHECK(WS_CU_CALL(driver, cuDeviceGetName, name.data(), name.size() - 1, device));
  info.name = name.data();
  info.mig = info.name.find(" MIG ") != std::string::npos;
  CuUuid uuid{};
  WS_CHECK(WS_CU_CALL(driver, cuDeviceGetUuid, &uuid, device));
  info.uuid = uuid_text(uuid, info.mig);
  WS_TRY(info.arch, arch_of(driver, device));
  WS_CHECK(read_attributes(driver, device, info));
  std::size_t memory = 0;
  WS_CHECK(WS_CU_CALL(driver, cuDeviceTotalMem, &memory, device));
  info.memory_bytes = memory;
  int version = 0;
  WS_CHECK(WS_CU_CALL(driver, cuDriverGetVersion, &version));
  info.driver = (driver.dialect().maker == DriverMaker::kHip ? "HIP " : "CUDA ") +
                std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  // Drivers before 12.0's last do not know the question; they cannot share that way unseen.
  int shared = 0;
  info.mps = driver.api().cuDeviceGetAttribute(&shared, kCuMpsEnabled, device) == kCuSuccess &&
             shared != 0;
  return info;
}

Result<std::vector<CudaDevice>> describe_devices(Driver& driver) {
  int count = 0;
  WS_CHECK(WS_CU_CALL(driver, cuDeviceGetCount, &count));
  std::vector<CudaDevice> devices;
  for (int i = 0; i < count; ++i) {
    WS_TRY(CudaDevice device, describe_device(driver, i));
    devices.push_back(std::move(device));
  }
  return devices;
}

std::string encode_devices(const std::vector<CudaDevice>& devices) {
  return json_line(devices);
}

Result<std::vector<CudaDevice>> decode_devices(std::string_view text) {
  return parse_value<std::vector<CudaDevice>>(text, "list of devices");
}

}  // namespace ws::cuda
