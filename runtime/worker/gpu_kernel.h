// One kernel in a GPU worker: the plan and the buffers it came with, its module on the device, and
// the answers to the doorbells that ring it. Gives back to the device and the system all it holds.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "runtime/device/cuda/driver/nvml.h"
#include "runtime/device/cuda/measure/timer.h"
#include "runtime/device/cuda/worker/output_capture.h"
#include "runtime/device/cuda/worker/plan_runner.h"
#include "runtime/queue/frame.h"

namespace ws {

/// The things that a worker has once, for all kernels that it runs one after the other.
struct GpuPlace {
  cuda::Context& context;
  cuda::OutputCapture& output;
  cuda::Nvml* nvml;  ///< May be null.
  cuda::PlanRunner::Placement placement = cuda::PlanRunner::Placement::kMirror;
};

class GpuKernel {
 public:
  /// @param frame  encode_load(), with the arena's descriptor.
  /// @param library  Called in the place of launches; null: the frame has a kernel.
  /// @errors kInternal: not such a frame; those of PlanRunner::create and create_library.
  static Result<std::unique_ptr<GpuKernel>> load(const GpuPlace& place, const Received& frame,
                                                 const cuda::LibraryJob* library);

  GpuKernel(const GpuKernel&) = delete;
  GpuKernel& operator=(const GpuKernel&) = delete;
  GpuKernel(GpuKernel&&) = delete;
  GpuKernel& operator=(GpuKernel&&) = delete;
  ~GpuKernel();

  /// @param doorbell  8 bytes, the poison, or a TimingRequest.
  /// @param turn      Of the device, for this doorbell.
  /// @return The reply; its status says whether the worker may go on. An error is the device's or
  /// the server's doing, not the kernel's.
  Result<TimingOutcome> answer(std::string_view doorbell, cuda::DeviceTurn& turn);

  [[nodiscard]] cuda::PlanRunner& runner() { return *runner_; }

 private:
  explicit GpuKernel(const GpuPlace& place)
      : place_(place) {}

  Result<TimingOutcome> act(std::string_view doorbell, cuda::DeviceTurn& turn);

  const GpuPlace place_;
  Load load_;
  std::span<std::byte> arena_;
  std::unique_ptr<cuda::PlanRunner> runner_;
  std::unique_ptr<cuda::Timer> timer_;
};

}  // namespace ws
