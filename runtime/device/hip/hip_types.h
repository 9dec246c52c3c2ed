// The part of the HIP runtime's C interface that this folder uses and that CUDA's lacks, declared
// here: warpsmith builds where no ROCm is installed.
// Source: hip/hip_runtime_api.h of ROCm 5.2; later versions export the same names with this ABI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ws::hip {

/// A hipDeviceProp_t of HIP 5, which `hipGetDeviceProperties` still fills in HIP 6 (newer programs
/// call another name). What lies after the architecture's name is not read.
struct HipProperties {
  std::array<char, 256> name = {};
  std::size_t memory_bytes = 0;
  std::size_t shared_bytes_per_block = 0;
  int registers_per_block = 0;
  int warp_size = 0;
  int max_threads_per_block = 0;
  std::array<int, 3> max_block = {};
  std::array<int, 3> max_grid = {};
  int clock_khz = 0;
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  std::size_t constant_bytes = 0;
  int major = 0;
  int minor = 0;
  int multiprocessors = 0;
  int l2_bytes = 0;
  int max_threads_per_multiprocessor = 0;
  int compute_mode = 0;
  int clock_instruction_khz = 0;
  unsigned feature_bits = 0;
  int concurrent_kernels = 0;
  int pci_domain = 0;
  int pci_bus = 0;
  int pci_device = 0;
  std::size_t shared_bytes_per_multiprocessor = 0;
  int multi_gpu_board = 0;
  int can_map_host_memory = 0;
  int gcn_arch = 0;
  std::array<char, 256> arch_name = {};  ///< "gfx90a:sramecc+:xnack-"
  std::array<std::byte, 4096> rest = {};
};

static_assert(offsetof(HipProperties, multiprocessors) == 336);
static_assert(offsetof(HipProperties, arch_name) == 396);

}  // namespace ws::hip
