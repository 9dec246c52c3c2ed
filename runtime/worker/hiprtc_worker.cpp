#include <string>

#include <unistd.h>

#include "runtime/compile/compile.h"
#include "runtime/compile/hip/library.h"
#include "runtime/compile/hip/program.h"
#include "runtime/compile/hip_kit.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/confined_child.h"
#include "runtime/worker/memory_files.h"
#include "runtime/worker/run_worker.h"

namespace ws {
namespace {

constexpr std::size_t kMaxHipSetup = 8192;
constexpr std::uint64_t kHipCpuSeconds = 30;
constexpr std::uint64_t kHipMemory = std::uint64_t{4} << 30U;
constexpr std::uint64_t kMostFileBytes = std::uint64_t{64} << 20U;
/// As for NVRTC: a forked process pays for its pages in its first compile.
constexpr int kHipCompilesPerChild = 32;
/// Where the compiler's own library, comgr, keeps its temporary files.
constexpr const char* kTemporaryFiles = "/tmp/comgr-";

Result<HiprtcSetup> receive_setup() {
  WS_TRY(const Received frame, receive_frame(kWorkerSocket, kMaxHipSetup));
  return decode_hiprtc_setup(frame.payload);
}

Result<hip::Library> open_hiprtc(const Result<HiprtcSetup>& setup) {
  WS_TRY(const HiprtcSetup& known, setup);
  return hip::Library::open(known.kit);
}

}  // namespace

int hiprtc_worker_main() {
  tie_to_parent();
  [[maybe_unused]] const int failed = ::chdir("/");
  const Result<HiprtcSetup> setup = receive_setup();
  const Result<hip::Library> library = open_hiprtc(setup);
  if (!library) {
    [[maybe_unused]] const Status sent =
        send_frame(kWorkerSocket, "error\n" + to_text(library.error()));
    return 1;
  }
  std::string why;
  // hiprtc 5.2 ends the process here for an architecture that it does not know.
  const bool known = library->try_arch(setup->arch, why);
  const std::string ready = "ready\n" + library->version() + "\n" + setup->arch;
  if (!send_frame(kWorkerSocket, known ? ready : "refused\n" + why) || !known) {
    return 1;
  }
  install_memory_files(kTemporaryFiles);
  return serve_compiles({.cpu_seconds = kHipCpuSeconds,
                         .memory_bytes = kHipMemory,
                         .scratch_bytes = kMostFileBytes,
                         .memory_files = true,
                         .compiles = kHipCompilesPerChild},
                        decoding([&](const CompileRequest& request) {
                          CompileOutcome outcome = hip::compile(*library, request);
                          clear_memory_files();
                          return outcome;
                        }));
}

}  // namespace ws
