#include <array>
#include <string>
#include <string_view>

#include "runtime/device/cpu/sandbox.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/memory_file.h"
#include "runtime/queue/process.h"
#include "runtime/reference/module_import.h"
#include "runtime/worker/host_worker.h"
#include "runtime/worker/interpreter.h"

namespace ws {

/// The text of python_solution.py.
std::string_view python_solution();

namespace {

/// A syntax tree of the longest file has a tenth.
constexpr std::uint64_t kSolutionMemory = std::uint64_t{512} << 20U;
constexpr std::size_t kMaxJob = 2 * kMaxModuleBytes + 4096;

/// Comes back only when it fails.
Status read(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxJob));
  WS_TRY(const ModuleJob job, decode_module_job(frame.payload));
  WS_TRY(const Fd text, memory_file(frame.payload));
  WS_TRY(const Fd filter, cpu::prepare_sandbox({.memory_bytes = kSolutionMemory}));
  return become_interpreter(job.interpreter, python_solution(),
                            std::array{filter.get(), text.get()}, /*site=*/false);
}

/// @return  The exit status of a worker whose interpreter is not there.
int without_interpreter(const Status& failed) {
  // If the server is gone, nobody asks.
  [[maybe_unused]] const Status sent =
      send_frame(kWorkerSocket, R"({"verdict": "no_library", "message": ""})");
  return failed ? 0 : 1;
}

}  // namespace

int solution_worker_main() {
  tie_to_parent();
  return without_interpreter(read(kWorkerSocket));
}

}  // namespace ws
