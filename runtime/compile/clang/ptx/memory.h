// How instructions that use memory say which memory, and in what order.
#pragma once

#include <llvm/Support/AtomicOrdering.h>

#include "runtime/compile/clang/ptx/step.h"

namespace ws::clang_engine::ptx {

Space space_of(const Step& step);

/// Relaxed, where the instruction names no order.
llvm::AtomicOrdering order_of(const Step& step);

}  // namespace ws::clang_engine::ptx
