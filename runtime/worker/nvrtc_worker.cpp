#include <algorithm>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/files.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/nvrtc/library.h"
#include "runtime/compile/nvrtc/program.h"
#include "runtime/compile/toolkit.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/process.h"
#include "runtime/worker/confined_child.h"
#include "runtime/worker/header_gate.h"
#include "runtime/worker/run_worker.h"

namespace ws {
namespace {

constexpr std::size_t kMaxSetup = 8192;
constexpr std::uint64_t kNvrtcCpuSeconds = 30;
/// All of CUB takes 170 MB, cuda/barrier 130.
constexpr std::uint64_t kMostPrecompiled = std::uint64_t{256} << 20U;
constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30U;
/// The largest translation units of CUTLASS take half of it; a bomb takes it in seconds.
constexpr std::uint64_t kMostNvrtcMemory = 4 * kGibibyte;
/// A forked process meets about four thousand page faults in its first compile: 15 ms, where a
/// small kernel takes 25. See docs/decisions/0008-nvrtc-children.md.
constexpr int kCompilesPerChild = 32;
constexpr rlim_t kStack = rlim_t{256} << 20U;

Result<Toolkit> receive_toolkit() {
  WS_TRY(const Received frame, receive_frame(kWorkerSocket, kMaxSetup));
  return decode_toolkit(frame.payload);
}

Result<nvrtc::Library> open_library(const Result<Toolkit>& toolkit) {
  WS_TRY(const Toolkit& known, toolkit);
  return nvrtc::Library::open(known);
}

/// Not more than half of what the machine has, in whole gibibytes.
std::uint64_t nvrtc_memory() {
  const auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t half = pages * page / 2 / kGibibyte * kGibibyte;
  return std::clamp(half, kGibibyte, kMostNvrtcMemory);
}

/// Names of files are absolute in line tables: "/source" on every machine.
void leave_folder() {
  [[maybe_unused]] const int failed = ::chdir("/");
}

/// The compiler recurses as deeply as its input nests, and may not raise its own limits later.
void raise_stack_limit() {
  rlimit stack{};
  ::getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = stack.rlim_max == RLIM_INFINITY ? kStack : std::min(kStack, stack.rlim_max);
  ::setrlimit(RLIMIT_STACK, &stack);
}

std::string ready_text(const nvrtc::Library& library) {
  std::string archs;
  for (const std::string& arch : library.archs()) {
    archs += (archs.empty() ? "" : " ") + arch;
  }
  return "ready\n" + library.version() + "\n" + archs;
}

}  // namespace

int nvrtc_worker_main() {
  tie_to_parent();
  leave_folder();
  raise_stack_limit();
  const Result<Toolkit> toolkit = receive_toolkit();
  const Result<nvrtc::Library> library = open_library(toolkit);
  if (!library) {
    [[maybe_unused]] const Status sent =
        send_frame(kWorkerSocket, "error\n" + to_text(library.error()));
    return 1;
  }
  const Fd folder(toolkit->include.empty()
                      ? -1
                      : ::open(toolkit->include.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd scratch(::memfd_create("headers", MFD_CLOEXEC));
  const Fd temporary(::memfd_create("temporary", MFD_CLOEXEC));
  if (folder.valid()) {
    install_header_gate({.folder = toolkit->include,
                         .descriptor = folder.get(),
                         .scratch = scratch.get(),
                         .temporary = temporary.get()});
  }
  if (!scratch.valid() || !temporary.valid() || !send_frame(kWorkerSocket, ready_text(*library))) {
    return 1;
  }
  // Each child begins with this one, unused, as a copy of its own.
  nvrtc::PrecompiledHeaders headers(folder.valid() ? kScratchFile : "");
  return serve_compiles({.cpu_seconds = kNvrtcCpuSeconds,
                         .memory_bytes = nvrtc_memory(),
                         .readable_folder = folder.get(),
                         .scratch_files = {scratch.get(), temporary.get()},
                         .scratch_bytes = kMostPrecompiled,
                         .compiles = kCompilesPerChild},
                        decoding([&](const CompileRequest& request) {
                          CompileOutcome outcome =
                              nvrtc::compile(*library, *toolkit, headers, request);
                          // As much as 170 MB, which nobody reads again.
                          [[maybe_unused]] const int kept = ::ftruncate(temporary.get(), 0);
                          return outcome;
                        }));
}

}  // namespace ws
