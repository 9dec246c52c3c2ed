#include "runtime/worker/gpu_kernel.h"

#include <cstring>

#include <sys/mman.h>

#include "runtime/device/driver_fault.h"

namespace ws {

Result<std::unique_ptr<GpuKernel>> GpuKernel::load(const GpuPlace& place, const Received& frame,
                                                   const cuda::LibraryJob* library) {
  std::unique_ptr<GpuKernel> kernel(new GpuKernel(place));
  WS_TRY(kernel->load_, decode_load(frame.payload));
  const std::uint64_t bytes = kernel->load_.plan.arena_bytes;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, frame.fd.get(), 0);
  if (memory == MAP_FAILED) {
    return fail_errno("mmap", "the worker cannot map the buffers");
  }
  kernel->arena_ = {static_cast<std::byte*>(memory), bytes};
  if (library != nullptr) {
    WS_TRY(kernel->runner_, cuda::PlanRunner::create_library(place.context, kernel->load_,
                                                             kernel->arena_, *library));
  } else {
    WS_TRY(kernel->runner_,
           cuda::PlanRunner::create(place.context, kernel->load_, kernel->arena_, place.placement));
  }
  return kernel;
}

GpuKernel::~GpuKernel() {
  timer_.reset();
  runner_.reset();
  if (!arena_.empty()) {
    ::munmap(arena_.data(), arena_.size());
  }
}

Result<TimingOutcome> GpuKernel::answer(std::string_view doorbell, cuda::DeviceTurn& turn) {
  Result<TimingOutcome> outcome = act(doorbell, turn);
  const cuda::Driver& driver = place_.context.driver();
  const cuda::CuResult code = driver.last_failure();
  if (!outcome && code != cuda::kCuSuccess && !cuda::is_lost(code)) {
    outcome = TimingOutcome{};
    outcome->run.reply.status = RunStatus::kDriverError;
    outcome->run.reply.detail = static_cast<std::uint32_t>(code) |
                                (driver.dialect().maker == cuda::DriverMaker::kHip ? kHipCode : 0);
    outcome->run.reply.step = runner_->step();
  }
  if (outcome) {
    outcome->run.text = place_.output.take(RunOutcome::kMaxText);
  }
  return outcome;
}

Result<TimingOutcome> GpuKernel::act(std::string_view doorbell, cuda::DeviceTurn& turn) {
  std::uint64_t poison = kNoLaunch;
  std::memcpy(&poison, doorbell.data(), sizeof poison);
  if (doorbell.size() == sizeof(TimingRequest)) {
    TimingRequest request;
    std::memcpy(&request, doorbell.data(), sizeof request);
    if (timer_ == nullptr) {
      WS_TRY(timer_, cuda::Timer::create(place_.context, *runner_, place_.nvml));
    }
    return timer_->time(request, turn);
  }
  WS_CHECK(turn.take());
  if (poison != kNoLaunch) {
    WS_CHECK(runner_->run(poison));
  }
  return TimingOutcome{};
}

}  // namespace ws
