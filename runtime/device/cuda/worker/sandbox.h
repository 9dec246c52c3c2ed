// The sandbox that a GPU worker enters once its device is started. A kernel on the device cannot
// make system calls; the sandbox confines the driver, which reads the compiled form of a client's
// kernel.
#pragma once

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/queue/file_rules.h"

namespace ws::cuda {

/// The device files of NVIDIA's and AMD's GPUs.
void allow_gpus(const FileRules& rules);

/// How much is known of the calls that a driver makes.
enum class DriverCalls : std::uint8_t {
  kListed,   ///< It makes those of gpu_filter(), and no others.
  kUnknown,  ///< It compiles here: all calls but some.
};

/// No new programs, no network, no files but the system's and the device's, no other process to
/// look into, no core file, no large file. The driver keeps its device files, memory and threads.
/// Irrevocable. Call with one thread of ours.
/// @errors kIo: the kernel of this machine has no seccomp.
/// @source seccomp(2), landlock(7).
Status enter_sandbox(DriverCalls calls);

}  // namespace ws::cuda
