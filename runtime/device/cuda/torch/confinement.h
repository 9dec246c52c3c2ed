// The limits of a worker with PyTorch, in which foreign Python code runs beside a driver and
// compilers.
#pragma once

#include <string>

#include "runtime/base/files.h"
#include "runtime/device/cuda/torch/torch_wire.h"

namespace ws::cuda {

/// From now on, over exec: the process and its children read the system's folders, `interpreter`'s
/// own and /proc and /sys, write below `scratch` and to the GPU's device files, and see no other
/// file. Irrevocable. Call with one thread.
/// @errors kUnsupported: this kernel has no landlock. kIo.
/// @source landlock(7).
Status confine_files(const TorchStart& start);

/// The filter that the interpreter sets itself before it runs a module: no network, no other
/// process to look into; no new program unless `compiles`. An array of sock_filter.
/// @errors kIo. @source seccomp(2).
Result<Fd> module_filter(bool compiles);

}  // namespace ws::cuda
