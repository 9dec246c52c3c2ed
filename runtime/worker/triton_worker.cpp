#include "runtime/worker/triton_worker.h"

#include <array>
#include <string_view>

#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/interpreter.h"

namespace ws {

/// The text of python_triton.py.
std::string_view python_triton();

namespace {

/// LLVM's own code alone has 0.4 GiB.
constexpr std::uint64_t kTritonMemory = std::uint64_t{8} << 30U;
/// For the process that forks for each compile; its children have a limit of their own.
constexpr std::uint64_t kForkerSeconds = 86'400;
constexpr std::size_t kMaxInterpreter = 4096;

/// Comes back only when it fails.
Status compile_for(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxInterpreter));
  WS_TRY(const Fd filter, cpu::prepare_sandbox({.memory_bytes = cpu::memory_limit(kTritonMemory),
                                                .cpu_seconds = kForkerSeconds}));
  return become_interpreter(frame.payload, python_triton(), std::array{filter.get()}, true);
}

}  // namespace

int triton_worker_main() {
  tie_to_parent();
  const Status failed = compile_for(kWorkerSocket);
  // If the server is gone, nobody asks.
  [[maybe_unused]] const Status sent =
      send_frame(kWorkerSocket, "error\n" + (failed ? "" : to_text(failed.error())));
  return 1;
}

}  // namespace ws
