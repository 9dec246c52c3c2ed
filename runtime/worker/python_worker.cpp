#include <array>
#include <string_view>

#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/memory_file.h"
#include "runtime/queue/process.h"
#include "runtime/reference/host_job.h"
#include "runtime/worker/host_worker.h"
#include "runtime/worker/interpreter.h"

namespace ws {

/// The text of python_host.py.
std::string_view python_host();

namespace {

/// Comes back only when it fails.
Status start(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxHostJob));
  WS_TRY(const PythonStart start, decode_python_start(frame.payload));
  WS_TRY(const Fd text, memory_file(frame.payload));
  // Each copy sets its own limit of memory.
  WS_TRY(const Fd filter, cpu::prepare_sandbox({.for_copies = true}));
  return become_interpreter(start.interpreter, python_host(), std::array{filter.get(), text.get()},
                            true);
}

}  // namespace

int python_worker_main() {
  tie_to_parent();
  // The first session finds that there is no interpreter.
  return start(kWorkerSocket) ? 0 : 1;
}

}  // namespace ws
