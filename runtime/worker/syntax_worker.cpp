#include "runtime/worker/syntax_worker.h"

#include <array>
#include <string_view>

#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/interpreter.h"

namespace ws {

/// The text of python_syntax.py.
std::string_view python_syntax();

namespace {

constexpr std::uint64_t kSyntaxMemory = std::uint64_t{1} << 30U;
constexpr std::size_t kMaxPath = 4096;

/// Comes back only when it fails.
Status parse_for(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxPath));
  WS_TRY(const Fd filter, cpu::prepare_sandbox({.memory_bytes = cpu::memory_limit(kSyntaxMemory)}));
  return become_interpreter(frame.payload, python_syntax(), std::array{filter.get()}, false);
}

}  // namespace

int syntax_worker_main() {
  tie_to_parent();
  const Status failed = parse_for(kWorkerSocket);
  // If the server is gone, nobody asks.
  [[maybe_unused]] const Status sent =
      send_frame(kWorkerSocket, "error\n" + (failed ? "" : to_text(failed.error())));
  return 1;
}

}  // namespace ws
