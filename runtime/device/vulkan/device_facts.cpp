#include "runtime/device/vulkan/device_facts.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"
#include "runtime/device/cuda/worker/protocol.h"

namespace ws::vulkan {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceFacts, name, driver, api, uuid, processor, max_threads,
                                   max_group, max_grid, shared_bytes, subgroup_size, argument_bytes,
                                   allocation_bytes, memory_bytes, offset_alignment, capabilities)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AttachRequest, device, drivers)

namespace {

struct CapabilityRow {
  std::uint32_t number;
  const char* name;
};

constexpr CapabilityRow kCapabilities[] = {
    {9, "Float16"},
    {10, "Float64"},
    {11, "Int64"},
    {12, "Int64Atomics"},
    {22, "Int16"},
    {39, "Int8"},
    {61, "GroupNonUniform"},
    {62, "GroupNonUniformVote"},
    {63, "GroupNonUniformArithmetic"},
    {64, "GroupNonUniformBallot"},
    {65, "GroupNonUniformShuffle"},
    {66, "GroupNonUniformShuffleRelative"},
    {67, "GroupNonUniformClustered"},
    {68, "GroupNonUniformQuad"},
    {4433, "StorageBuffer16BitAccess"},
    {4434, "UniformAndStorageBuffer16BitAccess"},
    {4435, "StoragePushConstant16"},
    {4441, "VariablePointersStorageBuffer"},
    {4442, "VariablePointers"},
    {4448, "StorageBuffer8BitAccess"},
    {4449, "UniformAndStorageBuffer8BitAccess"},
    {4450, "StoragePushConstant8"},
    {5345, "VulkanMemoryModel"},
    {5347, "PhysicalStorageBufferAddresses"},
};

}  // namespace

std::string encode_attach(const AttachRequest& request) {
  return json_line(nlohmann::json(request));
}

Result<AttachRequest> decode_attach(std::string_view frame) {
  return parse_value<AttachRequest>(frame, "attach request");
}

std::string encode_attached(const Result<std::vector<DeviceFacts>>& devices) {
  return devices ? json_line(nlohmann::json(*devices)) : cuda::encode_loaded(fail(devices.error()));
}

Result<std::vector<DeviceFacts>> decode_attached(std::string_view frame) {
  WS_CHECK(cuda::refusal_in(frame));
  return parse_value<std::vector<DeviceFacts>>(frame, "description of Vulkan devices");
}

std::string capability_name(std::uint32_t capability) {
  for (const CapabilityRow& row : kCapabilities) {
    if (row.number == capability) {
      return row.name;
    }
  }
  return "capability " + std::to_string(capability);
}

}  // namespace ws::vulkan
