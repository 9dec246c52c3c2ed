#include "runtime/worker/gpu_worker.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/device/cuda/output_capture.h"
#include "runtime/device/cuda/plan_runner.h"
#include "runtime/device/cuda/protocol.h"
#include "runtime/device/cuda/range_profiler.h"
#include "runtime/device/cuda/sandbox.h"
#include "runtime/device/cuda/timer.h"
#include "runtime/device/driver_fault.h"
#include "runtime/device/hip/driver.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"

namespace ws {
namespace {

constexpr std::size_t kMaxAttachFrame = std::size_t{1} << 20U;
constexpr std::size_t kMaxCudaLoad = std::size_t{256} << 20U;
constexpr std::size_t kMaxDoorbell = sizeof(TimingRequest);

/// What is known of a maker before its driver is open.
struct Maker {
  std::string_view role;
  /// What the driver reads from its environment, which is empty otherwise.
  void (*set_environment)(const std::string& visible);
  Result<cuda::Driver> (*open)(const std::string& library);
};

/// Before any thread starts.
void set_variable(const char* name, const std::string& value) {
  if (!value.empty()) {
    ::setenv(name, value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
}

constexpr Maker kMakers[] = {
    {"cuda",
     [](const std::string& visible) {
       set_variable("CUDA_VISIBLE_DEVICES", visible);
       set_variable("CUDA_MODULE_LOADING", "EAGER");
       set_variable("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
       set_variable("CUDA_CACHE_DISABLE", "1");
     },
     &cuda::Driver::open},
    {"hip", [](const std::string& visible) { set_variable("HIP_VISIBLE_DEVICES", visible); },
     &hip::open_driver},
};

Result<std::vector<cuda::CudaDevice>> describe(const Maker& maker, const std::string& library) {
  WS_TRY(cuda::Driver driver, maker.open(library));
  return cuda::describe_devices(driver);
}

Result<std::span<std::byte>> map_arena(int fd, std::uint64_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    return fail_errno("mmap", "the worker cannot map the buffers");
  }
  return std::span(static_cast<std::byte*>(memory), bytes);
}

/// A worker with a kernel loaded.
class Doorbells {
 public:
  Doorbells(cuda::Context& context, cuda::PlanRunner& runner, cuda::OutputCapture output,
            const cuda::Nvml* nvml)
      : context_(context),
        runner_(runner),
        output_(std::move(output)),
        nvml_(nvml) {}

  /// @return The reply; its status says whether the worker may go on. An error is the device's or
  /// the server's doing, not the kernel's.
  Result<TimingOutcome> answer(std::string_view doorbell) {
    Result<TimingOutcome> outcome = act(doorbell);
    const cuda::CuResult code = context_.driver().last_failure();
    if (!outcome && code != cuda::kCuSuccess && !cuda::is_lost(code)) {
      outcome = TimingOutcome{};
      outcome->run.reply.status = RunStatus::kDriverError;
      outcome->run.reply.detail =
          static_cast<std::uint32_t>(code) |
          (context_.driver().dialect().maker == cuda::DriverMaker::kHip ? kHipCode : 0);
      outcome->run.reply.step = runner_.step();
    }
    if (outcome) {
      outcome->run.text = output_.take(RunOutcome::kMaxText);
    }
    return outcome;
  }

 private:
  Result<TimingOutcome> act(std::string_view doorbell) {
    std::uint64_t poison = kNoLaunch;
    std::memcpy(&poison, doorbell.data(), sizeof poison);
    if (doorbell.size() == sizeof(TimingRequest)) {
      TimingRequest request;
      std::memcpy(&request, doorbell.data(), sizeof request);
      if (timer_ == nullptr) {
        WS_TRY(timer_, cuda::Timer::create(context_, runner_, nvml_));
      }
      return timer_->time(request);
    }
    if (poison != kNoLaunch) {
      WS_CHECK(runner_.run(poison));
    }
    return TimingOutcome{};
  }

  cuda::Context& context_;
  cuda::PlanRunner& runner_;
  cuda::OutputCapture output_;
  const cuda::Nvml* nvml_;
  std::unique_ptr<cuda::Timer> timer_;
};

/// Counts what the plan's launches do.
class Counting {
 public:
  /// The library, and the device made ready for it. An error is kept for the answer: the kernel may
  /// be loaded all the same.
  Counting(cuda::Context& context, cuda::PlanRunner& runner, const std::string& library)
      : context_(context),
        runner_(runner) {
    ready_ = open(library);
  }

  Result<HardwareCounters> count() {
    WS_CHECK(ready_);
    return profiler_->measure([this] { return runner_.restore(); },
                              [this] { return runner_.launch_all(); });
  }

 private:
  Status open(const std::string& library) {
    WS_TRY(cupti_, cuda::Cupti::open(library));
    WS_TRY(profiler_, cuda::RangeProfiler::create(*cupti_, context_.handle(), context_.index()));
    return {};
  }

  cuda::Context& context_;
  cuda::PlanRunner& runner_;
  std::optional<cuda::Cupti> cupti_;
  std::unique_ptr<cuda::RangeProfiler> profiler_;
  Status ready_;
};

/// Loads the kernel and answers doorbells until one goes wrong or the server is done.
Status serve_kernel(int socket, cuda::Context& context, const cuda::AttachRequest& request) {
  WS_TRY(Received frame, receive_frame(socket, kMaxCudaLoad));
  WS_TRY(const Load load, decode_load(frame.payload));
  WS_TRY(const std::span<std::byte> arena, map_arena(frame.fd.get(), load.plan.arena_bytes));
  WS_TRY(cuda::OutputCapture output, cuda::OutputCapture::start());
  WS_TRY(const std::unique_ptr<cuda::PlanRunner> runner,
         cuda::PlanRunner::create(context, load, arena));
  const std::optional<cuda::Nvml> nvml = cuda::Nvml::open(request.nvml, context.device().uuid);
  std::optional<Counting> counting;
  if (!request.cupti.empty()) {
    counting.emplace(context, *runner, request.cupti);
  }
  WS_CHECK(cuda::enter_sandbox());
  WS_CHECK(send_frame(socket, cuda::encode_loaded({})));
  Doorbells doorbells(context, *runner, std::move(output), nvml ? &*nvml : nullptr);
  for (;;) {
    const Result<Received> doorbell = receive_frame(socket, kMaxDoorbell);
    if (counting && doorbell && doorbell->payload == std::string_view(&kAskCounters, 1)) {
      WS_CHECK(send_frame(socket, cuda::encode_counters(counting->count())));
      continue;
    }
    if (!doorbell || doorbell->payload.size() < sizeof(std::uint64_t)) {
      ::_exit(0);  // The server is done with this worker; the driver's own tidying takes long.
    }
    const Result<TimingOutcome> outcome = doorbells.answer(doorbell->payload);
    WS_CHECK(send_frame(socket, cuda::encode_reply(outcome)));
    if (!outcome || outcome->run.reply.status != RunStatus::kOk) {
      ::_exit(1);
    }
  }
}

Status serve_gpu(const Maker& maker, int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxAttachFrame));
  WS_TRY(const cuda::AttachRequest request, cuda::decode_attach(frame.payload));
  maker.set_environment(request.visible);
  if (request.device < 0) {
    return send_frame(socket, cuda::encode_attached(describe(maker, request.library)));
  }
  WS_TRY(const cuda::Driver driver, maker.open(request.library));
  WS_TRY(const std::unique_ptr<cuda::Context> context,
         cuda::Context::attach(driver, request.device, request.helpers));
  const std::vector<cuda::CudaDevice> devices = {context->device()};
  WS_CHECK(send_frame(socket, cuda::encode_attached(devices)));
  return serve_kernel(socket, *context, request);
}

}  // namespace

bool is_gpu_role(std::string_view role) {
  return std::any_of(std::begin(kMakers), std::end(kMakers),
                     [role](const Maker& maker) { return maker.role == role; });
}

void gpu_worker_main(std::string_view role) {
  tie_to_parent();
  const auto* const maker = std::find_if(std::begin(kMakers), std::end(kMakers),
                                         [role](const Maker& row) { return row.role == role; });
  const Status status = serve_gpu(*maker, kWorkerSocket);
  if (!status) {
    // The server reads this as the answer to its last frame; if it is gone, nobody asks.
    [[maybe_unused]] const Status sent = send_frame(kWorkerSocket, cuda::encode_loaded(status));
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace ws
