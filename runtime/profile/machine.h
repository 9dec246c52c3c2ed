// The GPU that the CPU engine's counts are interpreted for. Its times are a model: good for
// comparing the weights of two causes, not for predicting how long a kernel takes.
#pragma once

#include <array>

#include "runtime/compile/profile_map.h"

namespace ws {

/// Rates are of one SM in one clock cycle.
struct Machine {
  const char* name;
  double sms;
  double ghz;
  double warps;                            ///< The most warps that an SM holds.
  double issue;                            ///< Warp instructions.
  std::array<double, kInstrClasses> rate;  ///< Warp instructions of each class.
  double shared_passes;
  double sectors;     ///< Between the SM and the L2 cache.
  double dram_bytes;  ///< The SM's part of the memory's bandwidth.
  // Cycles.
  double instruction_latency;  ///< From an instruction to one that needs its result.
  double shared_latency;
  double global_latency;
  double barrier_latency;
  double launch_us;  ///< From one launch to the next when a kernel does nothing.
};

/// H100 SXM. Rates: CUDA programming guide, throughput of native arithmetic instructions, compute
/// capability 9.0 (results per cycle, over 32); 64 bytes a cycle from L2 and 3.35 TB/s from memory
/// are NVIDIA's. Latencies: microbenchmarks (Luo et al. 2024, "Benchmarking and Dissecting the
/// Nvidia Hopper GPU Architecture"). The cost of a launch is what tests/bench/gpu.sh measures.
inline constexpr Machine kHopper = {
    .name = "sm_90",
    .sms = 132,
    .ghz = 1.755,
    .warps = 64,
    .issue = 4,
    //       f16 f32 f64 integer special convert memory control barrier warp other
    .rate = {4, 4, 2, 2, 0.5, 2, 1, 2, 0.5, 1, 4},
    .shared_passes = 1,
    .sectors = 2,
    .dram_bytes = 14.5,
    .instruction_latency = 4,
    .shared_latency = 30,
    .global_latency = 500,
    .barrier_latency = 20,
    .launch_us = 2.5,
};

/// The least that caches and memory hand out.
inline constexpr double kSectorBytes = 32;

}  // namespace ws
