// Keeps compiled kernels in their region of the worker's memory (cpu_abi::kRegionBase).
//
// Runs when the module is optimised, so that nothing is left that could take a check away on the
// strength of undefined behaviour. Every address is forced into the region, arrays of a thread lie
// in local memory, and what remains on the stack of the processor - return addresses, spilled
// registers - has no address that a kernel could use. Functions are called by name only. So a
// kernel can neither leave the code that was compiled for it nor touch the worker.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "runtime/base/result.h"
#include "runtime/compile/clang/sites.h"

namespace ws::clang_engine {

/// Local memory in bytes that each function takes, by name; those that take none are left out.
using LocalBytes = std::map<std::string, std::uint64_t>;

/// @errors kUnsupported: an instruction that cannot be confined; names it.
Result<LocalBytes> confine(llvm::Module& module, SiteTable& sites, llvm::TargetMachine& target);

}  // namespace ws::clang_engine
