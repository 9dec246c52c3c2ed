#include "runtime/worker/run_worker.h"

#include <csignal>
#include <cstring>
#include <optional>
#include <string>

#include <unistd.h>

#include "runtime/base/parallel.h"
#include "runtime/base/worker_groups.h"
#include "runtime/device/backend.h"
#include "runtime/device/cpu/block_runner.h"
#include "runtime/device/cpu/doorbell.h"
#include "runtime/device/cpu/fault.h"
#include "runtime/device/cpu/launcher.h"
#include "runtime/device/cpu/region.h"
#include "runtime/device/cpu/sandbox.h"
#include "runtime/device/live_blocks.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/gpu_worker.h"
#include "runtime/worker/host_worker.h"
#include "runtime/worker/ptx_worker.h"
#include "runtime/worker/spirv_worker.h"
#include "runtime/worker/syntax_worker.h"
#include "runtime/worker/tool_worker.h"
#include "runtime/worker/triton_worker.h"
#include "runtime/worker/vulkan_worker.h"
#include "runtime/worker/worker_limits.h"

namespace ws {
namespace {

constexpr std::size_t kMaxRunLoad = std::size_t{64} << 20U;
/// Address space beyond the region: libraries, code, thread and fiber stacks.
constexpr std::uint64_t kRunnerMemory = std::uint64_t{1} << 30U;

/// The answer to a question about past runs; nothing: it is none.
std::optional<std::string> told_of_runs(const cpu::Launcher& launcher, std::string_view question) {
  if (question == std::string_view(&kAskCounters, 1)) {
    return encode(launcher.counters());
  }
  if (question == std::string_view(&kAskRaces, 1)) {
    return cpu::encode(launcher.races());
  }
  return std::nullopt;
}

/// Launches whenever the server asks for it, until it is done with this worker.
Status launch_when_asked(int socket, cpu::Launcher& launcher) {
  for (;;) {
    auto frame = receive_frame(socket, sizeof(cpu::Doorbell));
    const auto told = frame ? told_of_runs(launcher, frame->payload) : std::nullopt;
    if (told) {
      WS_CHECK(send_frame(socket, *told));
      continue;
    }
    if (!frame || frame->payload.size() != sizeof(cpu::Doorbell)) {
      ::_exit(0);  // The server is done with this worker.
    }
    cpu::Doorbell doorbell;
    std::memcpy(&doorbell, frame->payload.data(), sizeof doorbell);
    RunReply reply;
    if (doorbell.poison != kNoLaunch) {
      WS_CHECK(launcher.run(doorbell));
    }
    if (doorbell.watch_variables != 0) {
      reply.changed_variable = launcher.changed_variable();
    }
    WS_CHECK(send_frame(socket, {reinterpret_cast<const char*>(&reply), sizeof reply}));
  }
}

Status serve_run(int socket) {
  WS_TRY(Received first, receive_frame(socket, kMaxRunLoad));
  WS_TRY(const Load load, decode_load(first.payload));
  charge_file(first.fd.get());
  WS_TRY(cpu::Region region, cpu::Region::reserve());
  WS_TRY(cpu::LoadedImage image, cpu::LoadedImage::load(load.image, region));
  cpu::fault_scope() = {socket, image.base(), image.code_bytes(), 0};
  cpu::install_signal_stack();
  cpu::install_signal_handlers();
  cpu::BlockRunner runner;
  cpu::Launcher launcher(image, load.image, load.plan, region, first.fd.get());
  const unsigned threads = core_count();
  WS_CHECK(launcher.reserve(threads));
  const std::uint64_t stacks =
      std::uint64_t{threads} * cpu::kMaxBlockThreads * kGuardedStackBytes * 4 +
      launcher.live_bytes(threads);
  WS_CHECK(cpu::enter_sandbox(
      {.memory_bytes = cpu::memory_limit(cpu::Region::kAddressSpace + stacks + kRunnerMemory)}));
  launcher.start_threads(threads - 1);
  WS_CHECK(send_frame(socket, ""));
  return launch_when_asked(socket, launcher);
}

}  // namespace

int run_worker_main() {
  tie_to_parent();
  const Status status = serve_run(kWorkerSocket);
  if (!status) {
    // The server reads this as the answer to its load frame; if it is gone, nobody asks.
    [[maybe_unused]] const Status sent = send_frame(kWorkerSocket, to_text(status.error()));
    return 1;
  }
  return 0;
}

int worker_main(std::string_view role) {
  // A signal that ends a server or a node may reach its workers too. Only the server ends them: a
  // kernel whose worker went would seem to have crashed.
  std::signal(SIGTERM, SIG_IGN);
  be_first_to_go();
  constexpr int kUnknownRole = 2;
  if (role == "run") {
    return run_worker_main();
  }
  if (is_gpu_role(role)) {
    gpu_worker_main(role);
  }
  if (role == "nvrtc") {
    return nvrtc_worker_main();
  }
  if (role == "hiprtc") {
    return hiprtc_worker_main();
  }
  if (role == "cuir") {
    return cuir_worker_main();
  }
  if (role == "python") {
    return python_worker_main();
  }
  if (role == "module") {
    return module_worker_main();
  }
  if (role == "solution") {
    return solution_worker_main();
  }
  if (role == "torch") {
    return torch_worker_main();
  }
  if (role == "triton") {
    return triton_worker_main();
  }
  if (role == "ptx") {
    return ptx_worker_main();
  }
  if (role == "spirv") {
    return spirv_worker_main();
  }
  if (role == "vulkan") {
    return vulkan_worker_main();
  }
  if (role == "tool") {
    return tool_worker_main();
  }
  if (role == "syntax") {
    return syntax_worker_main();
  }
  return role == "compile" ? compile_worker_main() : kUnknownRole;
}

}  // namespace ws
