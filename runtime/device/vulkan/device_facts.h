// A Vulkan device as a worker describes it, and the frames between the backend and its workers.
//
//   1. attach: AttachRequest -> the devices, or an error. After a describe the worker ends.
//   2. load: encode_load(), with the arena's descriptor -> empty, or an error.
//   3. any number of Doorbells -> cuda::encode_reply(). After one that is not well the worker ends.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace ws::vulkan {

struct DeviceFacts {
  std::string name;    ///< "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string driver;  ///< "llvmpipe, Mesa 22.3.6 (LLVM 15.0.6)"
  std::string api;     ///< "1.3.230"
  std::string uuid;    ///< Empty for a processor.
  bool processor = false;
  std::int64_t max_threads = 0;  ///< The limit of a group.
  std::array<std::int64_t, 3> max_group = {0, 0, 0};
  std::array<std::int64_t, 3> max_grid = {0, 0, 0};
  std::int64_t shared_bytes = 0;
  std::int64_t subgroup_size = 0;
  std::uint64_t argument_bytes = 0;    ///< The limit for one storage buffer.
  std::uint64_t allocation_bytes = 0;  ///< The limit for all buffers: one piece of memory.
  std::uint64_t memory_bytes = 0;
  std::int64_t offset_alignment = 1;
  std::vector<std::uint32_t> capabilities;  ///< SPIR-V's numbers.
};

struct AttachRequest {
  int device = -1;      ///< -1: only describe all devices; nothing is started.
  std::string drivers;  ///< VK_DRIVER_FILES; "" = those that are installed.
};

std::string encode_attach(const AttachRequest& request);
/// @errors kInternal: not what encode_attach() writes.
Result<AttachRequest> decode_attach(std::string_view frame);

/// The answer to an attach.
std::string encode_attached(const Result<std::vector<DeviceFacts>>& devices);
/// @errors what the worker sent; kInternal: neither devices nor an error.
Result<std::vector<DeviceFacts>> decode_attached(std::string_view frame);

/// Asks for one run of the plan or, where `launches` is not 0, for so many timed ones.
struct Doorbell {
  std::uint32_t launches = 0;
  std::uint32_t hot = 0;      ///< 1: the caches are not flushed before a timed launch.
  std::uint32_t prepare = 0;  ///< 1: no run; the driver compiles the shaders, where it has not yet.
};

/// SPIR-V's name of a capability that a kernel may need, or its number.
std::string capability_name(std::uint32_t capability);

}  // namespace ws::vulkan
