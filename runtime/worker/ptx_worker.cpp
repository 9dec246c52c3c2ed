#include "runtime/worker/ptx_worker.h"

#include "runtime/compile/assembler/assemble.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/confined_child.h"

namespace ws {
namespace {

constexpr std::size_t kMaxLibrary = 4096;
constexpr std::uint64_t kLinkSeconds = 60;
constexpr std::uint64_t kLinkMemory = std::uint64_t{4} << 30U;
constexpr int kLinksPerChild = 32;

Result<assembler::Linker> open_linker() {
  WS_TRY(const Received frame, receive_frame(kWorkerSocket, kMaxLibrary));
  return assembler::Linker::open(frame.payload);
}

}  // namespace

int ptx_worker_main() {
  tie_to_parent();
  const Result<assembler::Linker> linker = open_linker();
  if (!linker) {
    [[maybe_unused]] const Status sent =
        send_frame(kWorkerSocket, "error\n" + to_text(linker.error()));
    return 1;
  }
  const std::string ready =
      "ready\n" + linker->version() + "\n" + std::to_string(linker->ptx_version());
  if (!send_frame(kWorkerSocket, ready)) {
    return 1;
  }
  return serve_compiles(
      {.cpu_seconds = kLinkSeconds, .memory_bytes = kLinkMemory, .compiles = kLinksPerChild},
      decoding(
          [&](const CompileRequest& request) { return assembler::assemble(*linker, request); }));
}

}  // namespace ws
