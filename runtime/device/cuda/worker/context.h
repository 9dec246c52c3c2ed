// One device, ready to load a kernel: its primary context with our limits, a stream, and our own
// kernels, tried once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "runtime/device/cuda/driver/handles.h"
#include "runtime/device/cuda/worker/describe.h"
#include "runtime/device/cuda/worker/poison_keys.h"

namespace ws::cuda {

class Context {
 public:
  /// Starts the device and launches one kernel of our own: a GPU that an earlier kernel left broken
  /// is found here, not by the next kernel.
  ///
  /// @param helpers  Code of our own kernels for a driver that does not take our PTX.
  /// @errors as Driver::check; kNotFound: no such device.
  static Result<std::unique_ptr<Context>> attach(const Driver& driver, int index,
                                                 const std::string& helpers);

  Driver& driver() { return driver_; }

  [[nodiscard]] const CudaDevice& device() const { return device_; }

  /// Current on the thread that attached.
  [[nodiscard]] CuContext handle() const { return handle_; }

  /// As the driver counts.
  [[nodiscard]] int index() const { return index_; }

  [[nodiscard]] CuStream stream() const { return stream_.get(); }

  /// Waits for all that was launched. @errors as Driver::check: what a kernel did wrong.
  Status synchronize();

  /// Reloads our own kernels before the next kernel of a client: one that overwrote the old code
  /// gains nothing. @errors as Driver::check.
  Status renew_helpers();

  /// Launches what overwrites the shared memory of every multiprocessor. @errors as Driver::check.
  Status poison_shared(PoisonKeys keys);

  /// Launches what gives the cache's ordinary priority back to all lines of a range of the device's
  /// memory. Does nothing where the GPU has no such priorities. @errors as Driver::check.
  Status make_evictable(CuDevicePtr address, std::uint64_t bytes);

  /// The machine code of PTX of ours, compiled once for as long as the process lives: kernels of
  /// clients come and go. @param name  Of that PTX and no other. @errors as Driver::check.
  Result<std::string> compiled(const std::string& name, const std::string& ptx);

 private:
  explicit Context(Driver driver)
      : driver_(driver) {}

  Status start(int index, const std::string& helpers);

  Driver driver_;  // Before what it gives out.
  CudaDevice device_;
  CuContext handle_ = nullptr;  ///< The primary one: the driver's.
  int index_ = 0;
  Stream stream_;
  std::string helpers_code_;
  std::map<std::string, std::string> compiled_;
  Module helpers_;
  CuFunction poison_shared_ = nullptr;
  bool has_priorities_ = false;  ///< Whether cache lines have priorities.
  CuFunction make_evictable_ = nullptr;
};

}  // namespace ws::cuda
