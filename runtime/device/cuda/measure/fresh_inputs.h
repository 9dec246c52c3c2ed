// The buffers before and after a timed launch: restored from a pristine copy on the device, those
// that the plan allows rotated by amounts of the launch's own, and turned back on the way to the
// host.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/cuda/worker/plan_runner.h"

namespace ws::cuda {

/// For each of a plan's buffers the byte of it that a launch with these inputs finds first: 0 where
/// it is not rotated. @param seed  As ScheduledLaunch::inputs.
std::vector<std::uint64_t> rotations_of(const std::vector<RunRange>& buffers, std::uint64_t seed);

class FreshInputs {
 public:
  /// @param runner  Lives longer; its buffers lie in its mirror.
  FreshInputs(Context& context, PlanRunner& runner);

  /// Enqueues what restores all that is never rotated. @param pristine  As large as the arena.
  /// @errors as Driver::check.
  Status restore_fixed(CuDevicePtr pristine);

  /// Enqueues what restores the rest, rotated as `seed` says; 0: as it is. @errors as above.
  Status restore_rotated(CuDevicePtr pristine, std::uint64_t seed);

  /// Enqueues the copy of all buffers to the host, with the rotation of `seed` undone.
  /// @errors as above.
  Status download(std::uint64_t seed);

 private:
  struct Range {
    std::uint64_t low = 0;  ///< Offsets in the arena.
    std::uint64_t high = 0;
    std::size_t buffer = 0;  ///< Index into the plan's; of rotated ones.
  };

  Context& context_;
  PlanRunner& runner_;
  std::vector<Range> rotated_;
  std::vector<Range> fixed_;  ///< All other bytes of the arena.
};

}  // namespace ws::cuda
