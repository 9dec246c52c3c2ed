// Compiles kernels of Triton to PTX: the worker of triton_service().
#pragma once

namespace ws {

/// The first frame is the path of the interpreter. Comes back only when it cannot be started.
/// @return The process's exit status.
int triton_worker_main();

}  // namespace ws
