#include "runtime/device/cuda/torch/confinement.h"

#include <array>

#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/device/cuda/worker/denied_calls.h"
#include "runtime/device/cuda/worker/sandbox.h"
#include "runtime/queue/file_rules.h"

namespace ws::cuda {
namespace {

constexpr rlim_t kMaxFileBytes = rlim_t{1} << 30U;

/// Python code can make any call: it asks for no work behind the filter.
constexpr std::array kForeignCalls = {SCMP_SYS(io_uring_setup)};

}  // namespace

Status confine_files(const TorchStart& start) {
  WS_TRY(const FileRules rules, FileRules::begin());
  rules.allow_system();
  rules.allow("/proc/self", FileUse::kDevice);  // The driver names its threads there.
  rules.allow_program(start.interpreter);
  allow_gpus(rules);
  rules.allow(start.scratch, FileUse::kAll);
  const rlimit no_core{0, 0};
  const rlimit files{kMaxFileBytes, kMaxFileBytes};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_FSIZE, &files);
  return rules.enter();
}

Result<Fd> module_filter(bool compiles) {
  Fd file(::memfd_create("filter", MFD_CLOEXEC));
  const Filter filter = denying_filter();
  const bool ready = file.valid() && filter != nullptr && deny(filter, kForeignCalls) &&
                     deny_for_others(filter, SCMP_SYS(prlimit64), 0) &&
                     (compiles || deny(filter, kProgramCalls));
  if (!ready || seccomp_export_bpf(filter.get(), file.get()) != 0) {
    return fail_errno("seccomp_export_bpf", "the sandbox cannot be prepared");
  }
  return file;
}

}  // namespace ws::cuda
