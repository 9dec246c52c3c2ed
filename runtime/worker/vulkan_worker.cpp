#include "runtime/worker/vulkan_worker.h"

#include <cstdlib>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/device/cpu/sandbox.h"
#include "runtime/device/cuda/worker/protocol.h"
#include "runtime/device/cuda/worker/sandbox.h"
#include "runtime/device/driver_fault.h"
#include "runtime/device/vulkan/device_facts.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#ifdef WS_VULKAN
#include "runtime/device/vulkan/worker/plan_runner.h"
#endif

namespace ws {
namespace {

#ifdef WS_VULKAN

constexpr std::size_t kMaxVulkanAttach = 65536;
constexpr std::size_t kMaxVulkanLoad = std::size_t{64} << 20U;
/// The limit of address space: libraries, two copies of the buffers, and what lavapipe reserves.
constexpr std::uint64_t kDriverMemory = std::uint64_t{24} << 30U;

/// Before any thread starts. The loader looks for no layers, and the driver keeps no files.
void set_driver_environment(const vulkan::AttachRequest& request) {
  const auto set = [](const char* name, const char* value) {
    ::setenv(name, value, 1);  // NOLINT(concurrency-mt-unsafe)
  };
  set("VK_LOADER_LAYERS_DISABLE", "~implicit~");
  set("NODEVICE_SELECT", "1");
  set("MESA_SHADER_CACHE_DISABLE", "true");
  if (!request.drivers.empty()) {
    set("VK_DRIVER_FILES", request.drivers.c_str());
    set("VK_ICD_FILENAMES", request.drivers.c_str());
  }
}

/// A processor's driver needs nothing but memory, and makes code of its own; a GPU's talks to the
/// system all the time.
Status confine(const vulkan::DeviceFacts& device) {
  return device.processor ? cpu::enter_sandbox({.memory_bytes = cpu::memory_limit(kDriverMemory),
                                                .new_code = true})
                          : cuda::enter_sandbox(cuda::DriverCalls::kUnknown);
}

/// One kernel. Its pipelines are made at a doorbell, not when it is loaded: what a driver does with
/// a shader, crashing included, is a run of the shader.
class ShaderKernel {
 public:
  ShaderKernel(vulkan::Device& device, const Load& load, std::span<std::byte> arena)
      : device_(device),
        load_(load),
        arena_(arena) {}

  Result<TimingOutcome> run(const vulkan::Doorbell& doorbell) {
    if (runner_ == nullptr) {
      WS_TRY(runner_, vulkan::PlanRunner::create(device_, load_, arena_));
    }
    if (doorbell.prepare != 0) {
      WS_CHECK(runner_->compile());
      return TimingOutcome{};
    }
    return doorbell.launches == 0 ? runner_->run() : runner_->time(doorbell);
  }

 private:
  vulkan::Device& device_;
  const Load& load_;
  std::span<std::byte> arena_;
  std::unique_ptr<vulkan::PlanRunner> runner_;
};

Result<TimingOutcome> ring_kernel(ShaderKernel& kernel, const vulkan::Doorbell& doorbell) {
  Result<TimingOutcome> outcome = kernel.run(doorbell);
  if (!outcome && outcome.error().code == ErrorCode::kDeviceLost) {
    outcome = TimingOutcome{};
    outcome->run.reply.status = RunStatus::kDriverError;
    outcome->run.reply.detail =
        static_cast<std::uint32_t>(-static_cast<int>(vulkan::last_error())) | kVulkanCode;
  }
  return outcome;
}

Status serve_vulkan(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxVulkanAttach));
  WS_TRY(const vulkan::AttachRequest request, vulkan::decode_attach(frame.payload));
  set_driver_environment(request);
  if (request.device < 0) {
    return send_frame(socket, vulkan::encode_attached(vulkan::describe_devices()));
  }
  WS_TRY(const std::unique_ptr<vulkan::Device> device, vulkan::Device::start(request.device));
  WS_CHECK(confine(device->facts()));
  WS_CHECK(send_frame(socket, vulkan::encode_attached(std::vector{device->facts()})));
  const Result<Received> loaded = receive_frame(socket, kMaxVulkanLoad);
  if (!loaded) {
    ::_exit(0);  // The server is done with this worker.
  }
  WS_TRY(const Load load, decode_load(loaded->payload));
  const std::uint64_t bytes = load.plan.arena_bytes;
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, loaded->fd.get(), 0);
  if (memory == MAP_FAILED) {
    return fail_errno("mmap", "the worker cannot map the buffers");
  }
  ShaderKernel kernel(*device, load, {static_cast<std::byte*>(memory), bytes});
  WS_CHECK(send_frame(socket, cuda::encode_loaded({})));
  for (;;) {
    const Result<Received> rung = receive_frame(socket, sizeof(vulkan::Doorbell));
    if (!rung || rung->payload.size() != sizeof(vulkan::Doorbell)) {
      ::_exit(0);
    }
    vulkan::Doorbell doorbell;
    std::memcpy(&doorbell, rung->payload.data(), sizeof doorbell);
    const Result<TimingOutcome> outcome = ring_kernel(kernel, doorbell);
    WS_CHECK(send_frame(socket, cuda::encode_reply(outcome)));
    if (!outcome || outcome->run.reply.status != RunStatus::kOk) {
      ::_exit(1);
    }
  }
}

#else

Status serve_vulkan(int /*socket*/) {
  return fail(ErrorCode::kUnsupported, "this build has no Vulkan",
              "apt install libvulkan-dev, and build warpsmith again");
}

#endif

}  // namespace

int vulkan_worker_main() {
  tie_to_parent();
  const Status status = serve_vulkan(kWorkerSocket);
  if (!status) {
    // The server reads this as the answer to its last frame; if it is gone, nobody asks.
    [[maybe_unused]] const Status sent = send_frame(kWorkerSocket, cuda::encode_loaded(status));
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace ws
