#include "runtime/compile/clang/prepare.h"

#include <algorithm>
#include <set>

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/IRBuilder.h>
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
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

/// Kind, thread, site.
constexpr unsigned kTrapArguments = 5;

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

/// A struct that is passed by value goes as the address of a copy: none on the processor's stack.
void pass_copies(llvm::CallBase& call) {
  const llvm::DataLayout& layout = call.getModule()->getDataLayout();
  for (unsigned index = 0; index < call.arg_size(); ++index) {
    if (!call.isByValArgument(index)) {
      continue;
    }
    llvm::Type* const type = call.getParamByValType(index);
    const llvm::Align alignment = call.getParamAlign(index).valueOrOne();
    llvm::IRBuilder<> builder(&*call.getFunction()->getEntryBlock().getFirstInsertionPt());
    llvm::AllocaInst* const copy = builder.CreateAlloca(type);
    copy->setAlignment(alignment);
    builder.SetInsertPoint(&call);
    builder.CreateMemCpy(copy, alignment, call.getArgOperand(index), alignment,
                         layout.getTypeAllocSize(type));
    call.removeParamAttr(index, llvm::Attribute::ByVal);
    call.setArgOperand(index, copy);
  }
}

/// The same for all calls of the source's functions, also through pointers.
void pass_copies(llvm::Module& module, const std::vector<std::string>& kernels) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (call != nullptr && (callee == nullptr || !callee->isDeclaration())) {
        calls.push_back(call);
      }
    }
  }
  for (llvm::CallBase* const call : calls) {
    pass_copies(*call);
  }
  for (llvm::Function& function : module) {
    if (function.isDeclaration() ||
        std::find(kernels.begin(), kernels.end(), function.getName()) != kernels.end()) {
      continue;
    }
    for (llvm::Argument& argument : function.args()) {
      argument.removeAttr(llvm::Attribute::ByVal);
    }
  }
}

/// A function that was called through a pointer can be inlined as soon as the pointer is known.
bool can_inline_more(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee != nullptr && !callee->isDeclaration() &&
          callee->hasFnAttribute(llvm::Attribute::AlwaysInline) &&
          callee->getFunctionType() == call->getFunctionType()) {
        return true;
      }
    }
  }
  return false;
}

/// memcpy(), memmove() and memset() that the front end left as calls become what is checked.
void replace_copies(llvm::Module& module) {
  for (const char* name : {"memcpy", "memmove", "memset"}) {
    llvm::Function* function = module.getFunction(name);
    if (function == nullptr || !function->isDeclaration() || function->arg_size() != 3) {
      continue;
    }
    for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != function ||
          call->getFunctionType() != function->getFunctionType()) {
        continue;
      }
      llvm::IRBuilder<> builder(call);
      llvm::Value* to = call->getArgOperand(0);
      llvm::Value* from = call->getArgOperand(1);
      llvm::Value* bytes = call->getArgOperand(2);
      const llvm::MaybeAlign any;
      if (llvm::StringRef(name) == "memset") {
        builder.CreateMemSet(to, builder.CreateTrunc(from, builder.getInt8Ty()), bytes, any);
      } else if (llvm::StringRef(name) == "memcpy") {
        builder.CreateMemCpy(to, any, from, any, bytes);
      } else {
        builder.CreateMemMove(to, any, from, any, bytes);
      }
      call->replaceAllUsesWith(to);
      call->eraseFromParent();
    }
  }
}

/// A promise of the source ("this is never reached") becomes a trap, or is forgotten: a check that
/// follows from it would be left out.
void distrust(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::assume) {
      instruction.eraseFromParent();
      continue;
    }
    const auto* before = llvm::dyn_cast_or_null<llvm::CallBase>(instruction.getPrevNode());
    if (!llvm::isa<llvm::UnreachableInst>(instruction) ||
        (before != nullptr && before->doesNotReturn())) {
      continue;
    }
    llvm::IRBuilder<> builder(&instruction);
    llvm::Type* word = builder.getInt32Ty();
    const llvm::FunctionCallee trap =
        module.getOrInsertFunction("ws_rt_trap", builder.getVoidTy(), word, word, word, word, word);
    const auto kind = static_cast<std::uint32_t>(cpu_abi::Trap::kTrap);
    llvm::Value* zero = builder.getInt32(0);
    builder.CreateCall(trap, {builder.getInt32(kind), zero, zero, zero, zero})->setDoesNotReturn();
  }
}

}  // namespace

void prepare(llvm::Module& module, const std::vector<std::string>& kernels, Build build,
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
    if (build != Build::kFast) {
      distrust(function);
    }
  }
  pass_copies(module, kernels);
  replace_copies(module);
  llvm::PassBuilder builder(&target);
  Analyses analyses(builder);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());  // Before anything is inlined into what is not called.
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager simplify;
  simplify.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  simplify.addPass(llvm::EarlyCSEPass());
  simplify.addPass(llvm::SimplifyCFGPass());
  simplify.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false)));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplify)));
  passes.run(module, analyses.modules);
  if (can_inline_more(module)) {
    passes.run(module, analyses.modules);
  }
}

void number_sites(llvm::Module& module, SiteTable& sites) {
  llvm::Type* word = llvm::Type::getInt32Ty(module.getContext());
  std::vector<llvm::CallInst*> traps;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || !callee->getName().starts_with("ws_rt_") || call->arg_size() == 0) {
        continue;
      }
      const unsigned last = call->arg_size() - 1;
      if (call->getArgOperand(last)->getType() == word) {
        call->setArgOperand(last, llvm::ConstantInt::get(word, sites.id_of(instruction)));
      }
      if (callee->getName() == "ws_rt_trap" && call->arg_size() == kTrapArguments) {
        traps.push_back(call);
      }
    }
  }
  for (llvm::CallInst* trap : traps) {
    llvm::IRBuilder<> builder(trap);
    unsigned argument = 0;
    for (const char* id : {"ws_rt_tid_x", "ws_rt_tid_y", "ws_rt_tid_z"}) {
      trap->setArgOperand(++argument, builder.CreateCall(module.getOrInsertFunction(id, word)));
    }
  }
}

}  // namespace ws::clang_engine
