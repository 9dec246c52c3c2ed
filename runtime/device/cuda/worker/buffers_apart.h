// Each buffer of a plan in an allocation of its own, exactly as large: a program that watches
// allocations sees an access that leaves its buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/device/cuda/driver/handles.h"
#include "runtime/device/run_plan.h"

namespace ws::cuda {

class BuffersApart {
 public:
  /// @param plan  Must outlive them. @errors as allocate().
  static Result<BuffersApart> create(Driver& driver, const RunPlan& plan);

  /// The device's address of a place in the arena, which lies in a buffer or at its end.
  [[nodiscard]] CuDevicePtr at(std::uint64_t arena_offset) const;

  /// Enqueues the copy of the buffers that are `given`. @param arena  The host's.
  /// @errors as Driver::check.
  Status upload(Driver& driver, CuStream stream, std::span<const std::byte> arena) const;

  /// In the order of RunPlan::buffers.
  [[nodiscard]] std::vector<std::uint64_t> addresses() const;

 private:
  explicit BuffersApart(const RunPlan& plan)
      : plan_(&plan) {}

  const RunPlan* plan_;
  std::vector<Memory> memory_;  // One for each buffer.
};

}  // namespace ws::cuda
