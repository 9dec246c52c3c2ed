// From clang's NVPTX IR to x86-64 IR: the CPU engine's own pass.
//
// Every device function is inlined into its kernel (but recursive ones). Thread ids become hidden
// parameters, block ids loads from the Block, shared variables offsets into the block's shared
// memory. Each kernel gets a thread function and, when it has no barriers, a block function: a loop
// over the threads, which LLVM vectorises because CUDA threads without barriers are independent. A
// kernel with barriers is cut at them (phases/phases.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "runtime/compile/clang/frontend.h"
#include "runtime/compile/clang/phases/phases.h"
#include "runtime/compile/clang/sites.h"

namespace ws::clang_engine {

struct RetargetedEntry {
  std::string thread_function;  ///< Empty: phases are enough.
  std::string block_function;   ///< Empty when the kernel cannot be one loop over its threads.
  std::int64_t shared_bytes = 0;
  bool calls_functions =
      false;  ///< It calls functions of its own that were not inlined: the stack is not one frame.
  std::optional<CutKernel> cut;  ///< When there is something that it can be cut at.
};

/// Rewrites `module` in place. A construct the engine does not know becomes `outcome`'s verdict
/// kUnsupported with its name and line. `objects` gets the names of shared and device variables,
/// `profile` what a profile build counts.
std::vector<RetargetedEntry> retarget(llvm::Module& module,
                                      const std::vector<LoweredEntry>& entries, Build build,
                                      llvm::TargetMachine& target, SiteTable& sites,
                                      std::vector<std::string>& objects, ProfileMap& profile,
                                      CompileOutcome& outcome);

/// True for functions that the worker supplies: barriers, math, memory.
bool worker_supplies(llvm::StringRef name);

}  // namespace ws::clang_engine
