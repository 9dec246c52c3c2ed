#include <array>
#include <string>
#include <string_view>

#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/memory_file.h"
#include "runtime/queue/process.h"
#include "runtime/reference/host_job.h"
#include "runtime/worker/host_worker.h"
#include "runtime/worker/interpreter.h"

namespace ws {

/// The texts of python_host.py and python_copies.py.
std::string_view python_host();
std::string_view python_copies();

namespace {

/// Comes back only when it fails.
Status start(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxHostJob));
  WS_TRY(const PythonStart start, decode_python_start(frame.payload));
  WS_TRY(const Fd text, memory_file(frame.payload));
  WS_TRY(const Fd filter, cpu::prepare_sandbox({.for_copies = true}));
  const std::string program = std::string(python_host()) + std::string(python_copies());
  return become_interpreter(start.interpreter, program, std::array{filter.get(), text.get()}, true);
}

}  // namespace

int python_worker_main() {
  tie_to_parent();
  // The first session finds that there is no interpreter.
  return start(kWorkerSocket) ? 0 : 1;
}

}  // namespace ws
