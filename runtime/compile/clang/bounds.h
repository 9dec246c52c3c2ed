// The bounds build: a range check before each access that could leave its object.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "runtime/compile/clang/sites.h"

namespace ws::clang_engine {

/// Instruments every function of the module, and integer divisions with a check for zero. Run it
/// after inlining and before the kernels are split.
///
/// An access is checked against the object its address comes from (a pointer argument, a shared or
/// device variable, a local array); where that is unknown, the worker looks the address up.
/// @param objects  Gets the names of variables; a fault carries an index into it.
void insert_bounds_checks(llvm::Module& module, SiteTable& sites,
                          std::vector<std::string>& objects);

}  // namespace ws::clang_engine
