// The sandbox that a GPU worker enters once its device is started. A kernel on the device cannot
// make system calls; the sandbox confines the driver, which reads the compiled form of a client's
// kernel.
#pragma once

#include "runtime/base/result.h"

namespace ws::cuda {

/// No new programs, no network, no other process to look into, no core file, no large file. The
/// driver keeps its device files, memory and threads. Irrevocable. Call with one thread of ours.
/// @errors kIo: the kernel of this machine has no seccomp.
/// @source seccomp(2).
Status enter_sandbox();

}  // namespace ws::cuda
