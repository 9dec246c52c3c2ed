// The system calls that a worker on a GPU may make once its kernel is loaded; all others are
// refused with EPERM, which drivers take as "not on this machine".
#pragma once

#include "runtime/device/cuda/worker/denied_calls.h"

namespace ws::cuda {

/// A filter of the calls that libcuda, NVML, CUPTI and the C library make: memory, files that are
/// there, waiting, threads, and the socket to the server. No processes, programs, signals to
/// others, sockets of its own, or new files; no io_uring, which would ask behind the filter's back.
/// It holds for all threads of the process. Null: libseccomp failed.
Filter gpu_filter();

}  // namespace ws::cuda
