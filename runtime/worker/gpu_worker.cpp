#include "runtime/worker/gpu_worker.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>

#include <unistd.h>

#include "runtime/device/cuda/library/library_wire.h"
#include "runtime/device/cuda/measure/range_profiler.h"
#include "runtime/device/cuda/worker/protocol.h"
#include "runtime/device/cuda/worker/sandbox.h"
#include "runtime/device/hip/driver.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/gpu_kernel.h"

namespace ws {
namespace {

constexpr std::size_t kMaxAttachFrame = std::size_t{1} << 20U;
constexpr std::size_t kMaxCudaLoad = std::size_t{256} << 20U;
constexpr std::size_t kMaxDoorbell = sizeof(TimingRequest);

/// The facts about a maker that are known before its driver is open.
struct Maker {
  std::string_view role;
  /// Sets what the driver reads from its environment, which is empty otherwise.
  void (*set_environment)(const cuda::AttachRequest& request);
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
     [](const cuda::AttachRequest& request) {
       set_variable("CUDA_VISIBLE_DEVICES", request.visible);
       set_variable("CUDA_MODULE_LOADING", request.lazy ? "LAZY" : "EAGER");
       set_variable("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
       // One stream needs one queue of each kind; making eight of them is most of what makes a
       // context slow (docs/measurements/0005).
       set_variable("CUDA_DEVICE_MAX_CONNECTIONS", "1");
       set_variable("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1");
       set_variable("CUDA_CACHE_DISABLE", "1");
     },
     &cuda::Driver::open},
    {"hip",
     [](const cuda::AttachRequest& request) {
       set_variable("HIP_VISIBLE_DEVICES", request.visible);
     },
     &hip::open_driver},
};

Result<std::vector<cuda::CudaDevice>> describe(const Maker& maker, const std::string& library) {
  WS_TRY(cuda::Driver driver, maker.open(library));
  return cuda::describe_devices(driver);
}

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

bool is_one(const Received& frame, char asked) {
  return frame.payload == std::string_view(&asked, 1);
}

/// The server's word for one doorbell.
class ServersTurn : public cuda::DeviceTurn {
 public:
  explicit ServersTurn(int socket)
      : socket_(socket) {}

  Status take() override {
    if (word_ == 0) {
      const Result<Received> word = receive_frame(socket_, 1);
      if (!word || (!is_one(*word, cuda::kGo) && !is_one(*word, cuda::kNotNow))) {
        ::_exit(0);  // The server is done with this worker.
      }
      word_ = word->payload.front();
    }
    return refused() ? fail(ErrorCode::kBusy, "another server uses the device") : Status();
  }

  Status give_back() override { return send_frame(socket_, {&cuda::kFree, 1}); }

  /// The doorbell was taken back.
  [[nodiscard]] bool refused() const { return word_ == cuda::kNotNow; }

 private:
  int socket_;
  char word_ = 0;  ///< 0: it did not come yet.
};

/// The things that a worker keeps from one kernel to the next.
struct WorkerState {
  int socket;
  cuda::Context& context;
  const cuda::AttachRequest& request;
  std::optional<cuda::Nvml> nvml;
  std::optional<cuda::OutputCapture> output;  ///< From the first kernel on.
};

/// Answers doorbells until one goes wrong or the server is done, which both end the process; or
/// until the server is done with this kernel only.
Status answer_doorbells(WorkerState& state, GpuKernel& kernel, std::optional<Counting>& counting) {
  const int socket = state.socket;
  for (;;) {
    const Result<Received> doorbell = receive_frame(socket, kMaxDoorbell);
    if (doorbell && is_one(*doorbell, cuda::kRest)) {
      return {};
    }
    if (counting && doorbell && is_one(*doorbell, kAskCounters)) {
      WS_CHECK(send_frame(socket, cuda::encode_counters(counting->count())));
      continue;
    }
    if (state.request.apart && doorbell && is_one(*doorbell, cuda::kAskAddresses)) {
      WS_CHECK(send_frame(socket, cuda::encode_addresses(kernel.runner().addresses())));
      continue;
    }
    if (!doorbell || doorbell->payload.size() < sizeof(std::uint64_t)) {
      ::_exit(0);  // The server is done with this worker; the driver's own tidying takes long.
    }
    ServersTurn turn(socket);
    const Result<TimingOutcome> outcome = kernel.answer(doorbell->payload, turn);
    // An error from before its turn is reported in its turn: a doorbell may still be taken back.
    [[maybe_unused]] const Status had = turn.take();
    if (turn.refused()) {
      continue;
    }
    WS_CHECK(send_frame(socket, cuda::encode_reply(outcome)));
    if (!outcome || outcome->run.reply.status != RunStatus::kOk) {
      ::_exit(1);
    }
    if (state.nvml) {
      state.nvml->refresh();  // The device may be another worker's by now, which loses no time.
    }
  }
}

/// Loads one kernel, or a library in its place, and answers its doorbells. The sandbox is closed
/// from the first one on. @param library  May be null.
Status serve_kernel(WorkerState& state, const Received& frame, const cuda::LibraryJob* library) {
  const bool first = !state.output;
  if (first) {
    WS_TRY(state.output, cuda::OutputCapture::start());
  }
  WS_TRY(const std::unique_ptr<GpuKernel> kernel,
         GpuKernel::load({.context = state.context,
                          .output = *state.output,
                          .nvml = state.nvml ? &*state.nvml : nullptr,
                          .placement = state.request.apart ? cuda::PlanRunner::Placement::kApart
                                                           : cuda::PlanRunner::Placement::kMirror},
                         frame, library));
  std::optional<Counting> counting;
  if (!state.request.cupti.empty()) {
    counting.emplace(state.context, kernel->runner(), state.request.cupti);
  }
  if (first) {
    WS_CHECK(cuda::enter_sandbox(cuda::DriverCalls::kListed));
  }
  const cuda::LibraryLaunch* const called = kernel->runner().library();
  WS_CHECK(send_frame(state.socket, called != nullptr ? cuda::encode_facts(called->facts())
                                                      : cuda::encode_loaded({})));
  return answer_doorbells(state, *kernel, counting);
}

/// One kernel after the other, of an owner or of its batch.
Status serve_kernels(int socket, cuda::Context& context, const cuda::AttachRequest& request) {
  WorkerState state{
      socket, context, request, cuda::Nvml::open(request.nvml, context.device().uuid), {}};
  for (;;) {
    Result<Received> frame = receive_frame(socket, kMaxCudaLoad);
    std::optional<cuda::LibraryJob> library;
    if (frame && cuda::is_library(frame->payload)) {
      WS_TRY(library, cuda::decode_library(frame->payload));
      frame = receive_frame(socket, kMaxCudaLoad);
    }
    if (!frame) {
      ::_exit(0);
    }
    WS_CHECK(serve_kernel(state, *frame, library ? &*library : nullptr));
    WS_CHECK(context.renew_helpers());
  }
}

Status serve_gpu(const Maker& maker, int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxAttachFrame));
  WS_TRY(const cuda::AttachRequest request, cuda::decode_attach(frame.payload));
  maker.set_environment(request);
  if (request.device < 0) {
    return send_frame(socket, cuda::encode_attached(describe(maker, request.library)));
  }
  WS_TRY(const cuda::Driver driver, maker.open(request.library));
  WS_TRY(const std::unique_ptr<cuda::Context> context,
         cuda::Context::attach(driver, request.device, request.helpers));
  const std::vector<cuda::CudaDevice> devices = {context->device()};
  WS_CHECK(send_frame(socket, cuda::encode_attached(devices)));
  return serve_kernels(socket, *context, request);
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
