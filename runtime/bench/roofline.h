// The limits of a device, as measured on it, and how a kernel's time compares with them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel/dtype.h"

namespace ws {

/// Measured on the device; 0 or absent = not measured.
struct Ceilings {
  double copy_gbps = 0;  ///< Read and written, with nothing in the caches, in 1e9 bytes a second.
  double read_gbps = 0;  ///< Read only.
  /// Units of 1e12 operations a second: "f32" of fused multiply-adds; "tf32", "f16", "bf16" and
  /// "f8" of tensor cores, sums in f32.
  std::map<std::string, double> tflops;
  /// The tensor cores' instruction is the device's fastest: nothing is faster than these figures.
  bool complete = false;

  bool operator==(const Ceilings&) const = default;
};

/// The work that a workload asks for.
struct WorkloadCost {
  std::optional<double> flops;
  std::optional<double> bytes;
  double cacheable_bytes =
      0;  ///< The part of bytes that may stay in the last cache instead of in memory.
  std::vector<DType> types;  ///< The types of the arguments.
  bool hot = false;          ///< The caches held what earlier launches left.
  /// It is the work of some program, of which a kernel may leave out a part, but for the writing of
  /// the outputs; else all of it has to be done.
  bool avoidable = false;
  double written_bytes = 0;  ///< The elements of the outputs that no launch reads.
};

struct Roofline {
  double percent = 0;  ///< The share of the device's limit.
  std::string bound;   ///< The ceiling that sets the limit: "copy", or a key of Ceilings::tflops.
};

/// The closer of the two limits, memory and arithmetic. Arithmetic is compared with the slowest
/// unit that the arguments' types allow and that is fast enough: f32 may run on tensor cores.
///
/// @param us  Above 0.
/// @return    Nothing where neither limit is known: costs not given, or not measured.
std::optional<Roofline> roofline(const Ceilings& ceilings, const WorkloadCost& cost, double us);

/// A time that the device cannot reach, so that the work was not done or not timed: "takes 3.1 us,
/// less than the 120 us that moving 286 MiB takes on this device, as measured". "" when it can, or
/// nobody knows.
///
/// Memory counts for cold launches only, less what may stay in the cache; arithmetic is compared
/// with the fastest unit there is, whatever the types. Where work can be avoided only the bytes
/// that are written count. 5 % are let pass: clocks vary.
std::string below_floor(const Ceilings& ceilings, const WorkloadCost& cost, double us);

}  // namespace ws
