// clang's code generator asks Polly (a pass collection of a package of its own) for its passes by
// this symbol when it is linked statically. Kernels use none of them: an empty registration.
#include <llvm/Passes/PassPlugin.h>

// NOLINTNEXTLINE(readability-identifier-naming): clang's name.
llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder& /*builder*/) {}};
}
