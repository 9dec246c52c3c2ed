// The watched build: each access to memory that threads share tells the worker its address and what
// it does there, and so does each fence, so that the worker can find races.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "runtime/compile/clang/sites.h"

namespace ws::clang_engine {

/// Instruments every function of the module. Run it after waits are inserted, and before bounds
/// checks, which then stand between a call and its access.
/// @param objects  Gets the names of variables that accesses are told with.
void insert_watch(llvm::Module& module, SiteTable& sites, std::vector<std::string>& objects);

}  // namespace ws::clang_engine
