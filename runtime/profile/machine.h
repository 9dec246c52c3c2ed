// The GPU that the CPU engine's counts are interpreted for. Its times are a model: docs/profile.md
// says how far they are off.
#pragma once

#include <array>

#include "runtime/compile/gpu_latency.h"
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
  double registers;                        ///< Those of an SM, of 32 bits.
  double shared_passes;
  double lines;       ///< Lines of 128 bytes that global requests touch.
  double sectors;     ///< Between the SM and the L2 cache.
  double dram_bytes;  ///< The SM's part of the memory's bandwidth.
  // The whole GPU.
  double l2_bytes_per_cycle;
  double l2_bytes;     ///< The size of the L2 cache.
  double updates;      ///< Atomic updates of one sector in a cycle, by threads.
  GpuLatency latency;  ///< In cycles.
  double launch_us;    ///< From one launch to the next when a kernel does nothing.
};

/// H100 SXM. Rates: CUDA programming guide, throughput of native arithmetic instructions, compute
/// capability 9.0 (results per cycle, over 32); dense products of 16-bit numbers are the 989 TFLOPS
/// of its data sheet over 132 SMs at 1.83 GHz, 4096 operations a cycle; 64 bytes a cycle for an SM
/// and 3.35 TB/s from memory are NVIDIA's, 5120 bytes a cycle from all of L2 too (A100 whitepaper;
/// for the H100 the same number times its clock, 8986 GB/s, is in table 3 of PMC10448217). A line
/// of a global request takes a cycle: docs/measurements/0016-modelled-times.md has the products of
/// matrices that show it, and the histogram that an update of a sector takes 15. The cost of a
/// launch is what tests/bench/gpu.sh measures.
inline constexpr Machine kHopper = {
    .name = "sm_90",
    .sms = 132,
    .ghz = kHopperCyclesPerNs,
    .warps = 64,
    .issue = 4,
    //       f16 f32 f64 integer special convert memory control barrier warp other tensor
    .rate = {4, 4, 2, 2, 0.5, 2, 1, 2, 0.5, 1, 4, 1},
    .registers = 65536,
    .shared_passes = 1,
    .lines = 1,
    .sectors = 2,
    .dram_bytes = 14.5,
    .l2_bytes_per_cycle = 5120,
    .l2_bytes = 50e6,
    .updates = 1.0 / 15,
    .latency = kHopperLatency,
    .launch_us = 2.5,
};

/// The least that caches and memory hand out.
inline constexpr double kSectorBytes = 32;

}  // namespace ws
