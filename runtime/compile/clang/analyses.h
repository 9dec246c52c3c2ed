// The analyses that LLVM's new pass manager wants beside each pipeline.
#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace ws::clang_engine {

/// Registered with `builder`, which must live as long; so must the module that is worked on.
struct Analyses {
  explicit Analyses(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }

  ~Analyses() = default;
  Analyses(const Analyses&) = delete;
  Analyses& operator=(const Analyses&) = delete;

  // In this order: each of them may still use those above it when it ends.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
};

}  // namespace ws::clang_engine
