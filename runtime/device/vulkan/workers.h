// Vulkan workers that have their device started: a driver and its instance take longer to start
// than most kernels run.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/vulkan/device_facts.h"
#include "runtime/queue/worker_pool.h"

namespace ws::vulkan {

class Workers {
 public:
  Workers(std::string executable, AttachRequest request);

  /// A worker that nobody else has, attached. Any thread.
  /// @errors as Device::start; kIo, kDeviceLost: the process could not be started or died.
  Result<WorkerProcess> take();

  /// Begins to start the next one; does not wait for its device. Any thread.
  void prepare();

  /// All devices, from a process of their own that starts none of them. @errors as take().
  Result<std::vector<DeviceFacts>> describe();

 private:
  Result<WorkerProcess> start(const AttachRequest& request);

  const AttachRequest request_;
  WorkerPool pool_;
  std::mutex mutex_;
  std::optional<WorkerProcess> spare_;  // guarded by mutex_; its answer was not read yet
};

}  // namespace ws::vulkan
