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

/// The texts of the files python_NAME.py.
std::string_view python_sizes();
std::string_view python_checks();
std::string_view python_problem();
std::string_view python_module();
std::string_view python_solution();

namespace {

/// Address space: a PyTorch with its GPU libraries maps more than ten GiB.
constexpr std::uint64_t kModuleMemory = std::uint64_t{24} << 30U;
/// A syntax tree of the longest file has a tenth.
constexpr std::uint64_t kSolutionMemory = std::uint64_t{512} << 20U;
constexpr std::size_t kMaxJob = 2 * kMaxModuleBytes + 4096;

/// Comes back only when it fails. @param memory  Address space, in bytes. @param site  Whether the
/// program uses libraries.
Status run_module_job(int socket, const std::string& program, std::uint64_t memory, bool site) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxJob));
  WS_TRY(const ModuleJob job, decode_module_job(frame.payload));
  WS_TRY(const Fd text, memory_file(frame.payload));
  WS_TRY(const Fd filter, cpu::prepare_sandbox({.memory_bytes = memory}));
  return become_interpreter(job.interpreter, program, std::array{filter.get(), text.get()}, site);
}

/// @return  The exit status of a worker whose interpreter is not there.
int without_interpreter(const Status& failed) {
  // If the server is gone, nobody asks.
  [[maybe_unused]] const Status sent =
      send_frame(kWorkerSocket, R"({"verdict": "no_library", "message": ""})");
  return failed ? 0 : 1;
}

}  // namespace

int module_worker_main() {
  tie_to_parent();
  std::string program;
  for (const std::string_view part :
       {python_sizes(), python_checks(), python_problem(), python_module()}) {
    program += part;
  }
  return without_interpreter(run_module_job(kWorkerSocket, program, kModuleMemory, true));
}

int solution_worker_main() {
  tie_to_parent();
  return without_interpreter(
      run_module_job(kWorkerSocket, std::string(python_solution()), kSolutionMemory, false));
}

}  // namespace ws
