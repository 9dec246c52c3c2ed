// A compile request through NVRTC: text, options and name expressions in, a judged outcome out.
#pragma once

#include "runtime/compile/compile.h"
#include "runtime/compile/nvrtc/library.h"
#include "runtime/compile/nvrtc/precompiled.h"
#include "runtime/compile/toolkit.h"

namespace ws::nvrtc {

/// Compiles straight to a cubin for `request.target`, with PTX beside it. No path of the toolkit
/// is in the outcome. `request.build` makes no difference: the GPU checks accesses by itself.
///
/// May crash or run for ever on hostile text: call it in a process of its own, which may read below
/// `toolkit.include`.
/// @source nvrtc.h of CUDA 12 and 13; ptxas's messages.
CompileOutcome compile(const Library& library, const Toolkit& toolkit, PrecompiledHeaders& headers,
                       const CompileRequest& request);

}  // namespace ws::nvrtc
