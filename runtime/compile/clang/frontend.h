// CUDA C++ text to LLVM IR by clang's NVPTX front end, with no toolkit: every file it can see is
// in memory (our own headers, the client's), so no text of this machine can reach a diagnostic.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "runtime/compile/compile.h"

namespace clang {
class FunctionDecl;
}  // namespace clang

namespace ws::clang_engine {

struct LoweredEntry {
  std::string name;    ///< As asked for.
  std::string symbol;  ///< The mangled function in the module.
  std::vector<EntryParam> params;
  const clang::FunctionDecl* declaration = nullptr;  ///< Valid while the front end runs.
};

struct FrontendResult {
  std::unique_ptr<llvm::Module> module;  ///< Null when there were errors: see `outcome`.
  std::vector<LoweredEntry> entries;
};

/// Parses and lowers; or, for the target lift::kTreeTarget, only parses, and puts the tree into
/// `outcome.log`.
/// Diagnostics and a negative verdict go there too.
/// @source clang/lib/Frontend: CompilerInstance, EmitLLVMOnlyAction.
FrontendResult run_frontend(const CompileRequest& request, llvm::LLVMContext& context,
                            CompileOutcome& outcome);

}  // namespace ws::clang_engine
