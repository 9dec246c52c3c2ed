// The server's side of a Vulkan worker with a kernel loaded.
#pragma once

#include <memory>
#include <optional>

#include "runtime/device/backend.h"
#include "runtime/device/cuda/gpu_lock.h"
#include "runtime/device/vulkan/workers.h"

namespace ws::vulkan {

class VulkanSession : public Session {
 public:
  /// @param lock     Of the GPU; nothing: the device is a processor.
  /// @param workers  Told to make the next one ready.
  VulkanSession(WorkerProcess process, std::shared_ptr<Arena> arena,
                std::optional<cuda::GpuLock> lock, std::shared_ptr<Workers> workers)
      : process_(std::move(process)),
        arena_(std::move(arena)),
        lock_(std::move(lock)),
        workers_(std::move(workers)) {}

  VulkanSession(const VulkanSession&) = delete;
  VulkanSession& operator=(const VulkanSession&) = delete;

  ~VulkanSession() override { process_.finish(); }

  Result<RunOutcome> run(std::uint64_t poison, std::chrono::milliseconds limit,
                         const std::stop_token& stop) override;

  /// Times are the device's own, between its timestamps.
  Result<TimingOutcome> time(const TimingRequest& request, std::chrono::milliseconds limit,
                             const std::stop_token& stop) override;

 private:
  Result<TimingOutcome> ring(const Doorbell& doorbell, std::chrono::milliseconds limit,
                             const std::stop_token& stop);
  /// Before the first run: how long the driver compiles says nothing about the kernel's time.
  Result<TimingOutcome> prepare(const std::stop_token& stop);
  Result<TimingOutcome> exchange(const Doorbell& doorbell, std::chrono::milliseconds limit,
                                 const std::stop_token& stop);

  WorkerProcess process_;
  std::shared_ptr<Arena> arena_;
  std::optional<cuda::GpuLock> lock_;
  std::shared_ptr<Workers> workers_;
  bool prepared_ = false;
};

/// @errors as Backend::open.
Result<std::unique_ptr<Session>> open_session(const std::shared_ptr<Workers>& workers,
                                              const DeviceFacts& device,
                                              const std::string& lock_folder, const Image& image,
                                              const RunPlan& plan, std::shared_ptr<Arena> arena);

}  // namespace ws::vulkan
