// Local memory lies in one pool of a context, and a launch finds there what an earlier one left:
// a timed kernel could keep its first result and only copy it from then on.
#pragma once

#include <cstdint>

#include "runtime/device/cuda/worker/context.h"
#include "runtime/device/cuda/worker/poison_keys.h"

namespace ws::cuda {

/// A kernel of our own that overwrites as much local memory of each thread as a kernel has.
class LocalPoison {
 public:
  /// Nothing to overwrite: enqueue() does nothing.
  LocalPoison() = default;

  /// @param bytes_per_thread  Of the kernel that uses most; 0: as the default. Also the default on
  ///                          a driver that does not take our PTX: AMD's.
  /// @errors as Driver::check.
  static Result<LocalPoison> create(Context& context, std::uint64_t bytes_per_thread);

  /// Launches it with as many threads as the device holds at a time. The first launch makes the
  /// driver's pool grow, which a capture must not meet. @errors as Driver::check.
  Status enqueue(Context& context, PoisonKeys keys);

 private:
  Module module_;
  CuFunction function_ = nullptr;
  std::uint32_t words_ = 0;  ///< The words of each thread.
};

}  // namespace ws::cuda
