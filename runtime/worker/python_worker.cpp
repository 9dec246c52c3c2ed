#include <array>
#include <initializer_list>
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

/// The texts of the files python_NAME.py.
std::string_view python_host();
std::string_view python_sizes();
std::string_view python_checks();
std::string_view python_problem();
std::string_view python_module();
std::string_view python_copies();

namespace {

/// Comes back only when it fails. @param parts  They define load_libraries() and serve().
Status start(int socket, std::initializer_list<std::string_view> parts) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxHostJob));
  WS_TRY(const PythonStart start, decode_python_start(frame.payload));
  WS_TRY(const Fd text, memory_file(frame.payload));
  WS_TRY(const Fd filter, cpu::prepare_sandbox({.for_copies = true}));
  std::string program;
  for (const std::string_view part : parts) {
    program += part;
  }
  program += python_copies();
  return become_interpreter(start.interpreter, program, std::array{filter.get(), text.get()}, true);
}

}  // namespace

// Where there is no interpreter, the first session finds that.

int python_worker_main() {
  tie_to_parent();
  return start(kWorkerSocket, {python_host()}) ? 0 : 1;
}

int module_worker_main() {
  tie_to_parent();
  return start(kWorkerSocket, {python_sizes(), python_checks(), python_problem(), python_module()})
             ? 0
             : 1;
}

}  // namespace ws
