// A compile request through hiprtc: text, options and name expressions in, a judged outcome out.
#pragma once

#include "runtime/compile/compile.h"
#include "runtime/compile/hip/library.h"

namespace ws::hip {

/// Compiles a kernel in HIP or in CUDA's spelling to a code object for `request.target`, which the
/// library must know. No path is in the outcome. `request.build` makes no difference.
///
/// May crash or run for ever on hostile text, which may also include any file that the process can
/// read: call it in a confined process of its own.
/// @source hip/hiprtc.h of ROCm 5.2; clang's and LLVM's messages.
CompileOutcome compile(const Library& library, const CompileRequest& request);

}  // namespace ws::hip
