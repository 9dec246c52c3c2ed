// Variables of the device that a launch plan may fill by name.
#pragma once

#include <llvm/IR/Module.h>

namespace ws::clang_engine {

/// Gives each `static` variable at file scope its plain name, and keeps its value unknown to the
/// optimizer: the plan's `symbols` may fill it before a launch. Runs before any optimization.
void publish_variables(llvm::Module& module);

}  // namespace ws::clang_engine
