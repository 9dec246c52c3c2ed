// The facts that a backend knows about its device: asked once of a worker, and remembered.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/worker_source.h"

namespace ws::cuda {

class Described {
 public:
  /// @param id  "cuda:0", for the message.
  Described(std::shared_ptr<WorkerSource> workers, std::string id, int index)
      : workers_(std::move(workers)),
        id_(std::move(id)),
        index_(index) {}

  /// From a process that starts no device. Any thread.
  /// @errors as WorkerSource::describe, again only after a while; kNotFound: no such device.
  Result<CudaDevice> get();

 private:
  const std::shared_ptr<WorkerSource> workers_;
  const std::string id_;
  const int index_;
  std::mutex mutex_;
  std::optional<CudaDevice> device_;  // guarded by mutex_
  /// The error of the last try, and until when it is not repeated.
  std::optional<std::pair<Error, Clock::time_point>> failure_;  // guarded by mutex_
};

/// The description of a device that runs kernels: all but the backend's name, its languages and
/// features.
DeviceInfo device_info(const CudaDevice& device, const std::string& id, const std::string& toolkit);

}  // namespace ws::cuda
