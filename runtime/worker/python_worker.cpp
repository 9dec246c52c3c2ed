#include <array>
#include <string_view>

#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/reference/host_session.h"
#include "runtime/worker/host_worker.h"
#include "runtime/worker/interpreter.h"

namespace ws {

/// The text of python_host.py.
std::string_view python_host();

namespace {

/// Address space: the interpreter and its libraries, and for the program's own arrays some times
/// the size of its tensors, as f64 is wider than what it gets.
constexpr std::uint64_t kPythonMemory = std::uint64_t{2} << 30U;
/// A PyTorch with its GPU libraries maps more than ten GiB.
constexpr std::uint64_t kTorchMemory = std::uint64_t{24} << 30U;
constexpr std::uint64_t kArenas = 8;

/// Comes back only when it fails.
Status run_job(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxHostJob));
  WS_TRY(const HostJob job, decode_host_job(frame.payload));
  WS_TRY(const Fd text, memory_file(frame.payload));
  WS_TRY(const Fd filter,
         cpu::prepare_sandbox(
             {.memory_bytes = kArenas * job.arena_bytes +
                              (names_torch(job.source) ? kTorchMemory : kPythonMemory)}));
  return become_interpreter(job.interpreter, python_host(),
                            std::array{frame.fd.get(), filter.get(), text.get()}, true);
}

}  // namespace

int python_worker_main() {
  tie_to_parent();
  const Status failed = run_job(kWorkerSocket);
  HostReply reply;
  reply.verdict = HostVerdict::kNoLibrary;
  reply.message = failed ? "" : to_text(failed.error());
  // If the server is gone, nobody asks.
  [[maybe_unused]] const Status sent = send_frame(kWorkerSocket, encode(reply));
  return 1;
}

}  // namespace ws
