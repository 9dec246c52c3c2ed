// Cuts a kernel with barriers into phases, so that its threads need no stacks of their own: the
// worker, or a loop in the code itself, runs one phase of all threads after the other.
//
// A phase begins at the kernel's start or behind a stop, which is a barrier or a warp operation,
// and ends at the next stop that its thread comes to. What a thread still needs behind a stop lies
// in arrays, one element for each thread of the block; a value that all threads share lies there
// once, and one that follows from the thread's id is computed again. So a loop over the threads of
// a phase has the form that LLVM makes vectors of. Loops that suit it are cut as well
// (loop_cuts.h).
#pragma once

#include <optional>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "runtime/compile/clang/sites.h"
#include "runtime/compile/compile.h"

namespace ws::clang_engine {

/// Marks the functions that cut_into_phases makes.
inline constexpr llvm::StringLiteral kPhasesAttribute = "ws-phases";

struct CutKernel {
  std::string turn_function;
  std::string rows_function;  ///< Empty: there is none.
  PhasedCode code;            ///< Without the places of the functions.
  std::uint64_t private_bytes = 0;
};

/// Adds the functions of the phases of `thread`, a thread function, to its module.
/// @param number  Distinguishes their names.
/// @return  Nothing where it has nothing to be cut at, or must be run on fibers.
std::optional<CutKernel> cut_into_phases(llvm::Function& thread, std::size_t number, Build build,
                                         SiteTable& sites, llvm::TargetMachine& target);

}  // namespace ws::clang_engine
