#include "runtime/compile/clang/prepare.h"

#include <algorithm>
#include <set>

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "runtime/compile/clang/analyses.h"
#include "runtime/compile/clang/profile.h"
#include "runtime/compile/clang/retarget.h"

namespace ws::clang_engine {
namespace {

std::set<const llvm::Function*> recursive_functions(llvm::Module& module) {
  std::set<const llvm::Function*> found;
  llvm::CallGraph graph(module);
  for (auto at = llvm::scc_begin(&graph); !at.isAtEnd(); ++at) {
    if (at.hasCycle()) {
      for (const llvm::CallGraphNode* node : *at) {
        found.insert(node->getFunction());
      }
    }
  }
  return found;
}

void strip_nvptx(llvm::Function& function) {
  function.setCallingConv(llvm::CallingConv::C);
  for (const char* attribute : {"target-cpu", "target-features", "uniform-work-group-size"}) {
    function.removeFnAttr(attribute);
  }
  function.removeFnAttr(llvm::Attribute::UWTable);
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
  function.removeFnAttr(llvm::Attribute::StackProtectStrong);
  function.addFnAttr(llvm::Attribute::NoUnwind);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      call->setCallingConv(llvm::CallingConv::C);
    }
  }
}

void unsupported(CompileOutcome& outcome, const llvm::Instruction& at, std::string message) {
  const Site site = client_place(at.getDebugLoc());
  outcome.verdict = CompileVerdict::kUnsupported;
  outcome.message = message;
  outcome.diagnostics.insert(outcome.diagnostics.begin(), Diagnostic{.severity = "error",
                                                                     .message = std::move(message),
                                                                     .region = site.region,
                                                                     .line = site.line,
                                                                     .column = site.column,
                                                                     .snippet = {}});
  ++outcome.diagnostics_total;
}

/// What is wrong with a call; empty when nothing.
std::string complaint(const llvm::CallBase& call) {
  if (const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
    std::string text = assembly->getAsmString();
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return "inline PTX `" + text.substr(0, 80) + "` is not supported on the CPU engine";
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) {
    return "a call through a function pointer is not supported on the CPU engine";
  }
  if (callee->getName().starts_with("llvm.nvvm.")) {
    return "intrinsic `" + callee->getName().str() + "` is not supported on the CPU engine";
  }
  // Not for a client to call: its counters would be what it says.
  const bool counts = callee->getName().starts_with(kProfilePrefix);
  if (callee->isIntrinsic() || !callee->isDeclaration() ||
      (worker_supplies(callee->getName()) && !counts)) {
    return {};
  }
  const llvm::StringRef name = callee->getName() == "vprintf" ? "printf" : callee->getName();
  return "function `" + name.str() + "` is declared but not known on the CPU engine";
}

}  // namespace

void prepare(llvm::Module& module, const std::vector<std::string>& kernels,
             llvm::TargetMachine& target) {
  module.setTargetTriple(target.getTargetTriple().str());
  module.setDataLayout(target.createDataLayout());
  for (const char* name : {"nvvm.annotations", "nvvmir.version"}) {
    if (llvm::NamedMDNode* node = module.getNamedMetadata(name)) {
      node->eraseFromParent();
    }
  }
  const std::set<const llvm::Function*> recursive = recursive_functions(module);
  for (llvm::Function& function : module) {
    strip_nvptx(function);
    if (function.isDeclaration()) {
      continue;
    }
    const bool kernel =
        std::find(kernels.begin(), kernels.end(), function.getName()) != kernels.end();
    function.setLinkage(kernel ? llvm::GlobalValue::ExternalLinkage
                               : llvm::GlobalValue::InternalLinkage);
    function.setComdat(nullptr);
    function.setVisibility(llvm::GlobalValue::DefaultVisibility);
    function.removeFnAttr(llvm::Attribute::NoInline);
    if (!kernel && !recursive.contains(&function)) {
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
  llvm::PassBuilder builder(&target);
  Analyses analyses(builder);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  simplify.addPass(llvm::EarlyCSEPass());
  simplify.addPass(llvm::SimplifyCFGPass());
  simplify.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false)));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplify)));
  passes.run(module, analyses.modules);
}

bool check_supported(const llvm::Module& module, CompileOutcome& outcome) {
  if (!module.getModuleInlineAsm().empty()) {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = "assembly at file scope is not allowed";
    return false;
  }
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const std::string message = call == nullptr ? std::string() : complaint(*call);
      if (!message.empty()) {
        unsupported(outcome, instruction, message);
        return false;
      }
    }
  }
  return true;
}

void number_sites(llvm::Module& module, SiteTable& sites) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee != nullptr && callee->getName().starts_with("ws_rt_") && call->arg_size() > 0) {
        const unsigned last = call->arg_size() - 1;
        call->setArgOperand(last, llvm::ConstantInt::get(call->getArgOperand(last)->getType(),
                                                         sites.id_of(instruction)));
      }
    }
  }
}

}  // namespace ws::clang_engine
