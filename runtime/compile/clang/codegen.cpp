#include "runtime/compile/clang/codegen.h"

#include <algorithm>
#include <array>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/InferFunctionAttrs.h>

#include "runtime/compile/clang/analyses.h"
#include "runtime/compile/clang/empty_masks.h"
#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/phases/phases.h"

namespace ws::clang_engine {
namespace {

std::string class_of(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    const llvm::Function* callee = call->getCalledFunction();
    const llvm::StringRef name = callee == nullptr ? "" : callee->getName();
    if (callee != nullptr && launch_value_of(*callee)) {
      return "load";
    }
    if (name.starts_with("ws_rt_barrier")) {
      return "barrier";
    }
    if (name == "ws_rt_warp") {
      return "warp";
    }
    return name.starts_with("llvm.fmuladd") || name.starts_with("llvm.fma") ? "float" : "call";
  }
  if (instruction.isAtomic()) {
    return "atomic";
  }
  if (llvm::isa<llvm::LoadInst>(instruction)) {
    return "load";
  }
  if (llvm::isa<llvm::StoreInst>(instruction)) {
    return "store";
  }
  if (instruction.isTerminator()) {
    return "branch";
  }
  const bool arithmetic = instruction.isBinaryOp() || instruction.isUnaryOp();
  if (arithmetic) {
    return instruction.getType()->isFPOrFPVectorTy() ? "float" : "integer";
  }
  return "other";
}

/// The threads of a block without barriers may run side by side (retarget.cpp), but not where they
/// share the place of a local array, which each of them has for itself one after another. Arrays
/// that end up in registers are no matter: so it is asked right before loops become vectors.
struct KeepArraysApart : llvm::PassInfoMixin<KeepArraysApart> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    const auto instructions = llvm::instructions(function);
    if (std::none_of(instructions.begin(), instructions.end(), [](const auto& instruction) {
          return llvm::isa<llvm::AllocaInst>(instruction);
        })) {
      return llvm::PreservedAnalyses::all();
    }
    for (llvm::Instruction& instruction : instructions) {
      instruction.setMetadata(llvm::LLVMContext::MD_access_group, nullptr);
    }
    return llvm::PreservedAnalyses::none();
  }
};

/// Code that is run seldom is only tidied up: what is spent on it comes back to nobody.
constexpr std::array kTidying = {"SROAPass", "EarlyCSEPass", "InstCombinePass", "SimplifyCFGPass",
                                 "ADCEPass"};
/// A kernel was simplified before it was cut into phases. What these passes still find there takes
/// more time than it saves.
constexpr std::array kNotForPhases = {
    "CorrelatedValuePropagationPass", "GVNPass",          "IndVarSimplifyPass", "JumpThreadingPass",
    "LoopIdiomRecognizePass",         "SLPVectorizerPass"};

bool is_worth(llvm::StringRef pass, const llvm::Any& unit) {
  const auto contains = [&](const auto& names) {
    return std::find(names.begin(), names.end(), pass) != names.end();
  };
  const auto* loop = llvm::any_cast<const llvm::Loop*>(&unit);
  const auto* whole = llvm::any_cast<const llvm::Function*>(&unit);
  const llvm::Function* function = loop != nullptr    ? (*loop)->getHeader()->getParent()
                                   : whole != nullptr ? *whole
                                                      : nullptr;
  if (function == nullptr) {
    return true;
  }
  if (function->hasFnAttribute(llvm::Attribute::Cold)) {
    return loop == nullptr && contains(kTidying);
  }
  return !function->hasFnAttribute(kPhasesAttribute) || !contains(kNotForPhases);
}

}  // namespace

std::string host_level() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  const auto has = [&](const char* name) { return features.lookup(name); };
  if (has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq") && has("avx512cd")) {
    return "x86-64-v4";
  }
  return has("avx2") && has("fma") && has("f16c") && has("bmi2") ? "x86-64-v3" : "x86-64-v2";
}

Result<std::unique_ptr<llvm::TargetMachine>> host_target() {
  const std::string triple = "x86_64-pc-linux-gnu";
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) {
    return fail(ErrorCode::kInternal, "no code generator for " + triple, {}, error);
  }
  llvm::TargetOptions options;
  options.EmitStackSizeSection = true;  // The worker sizes its fibers' stacks by it.
  options.TrapUnreachable = true;  // Code that "cannot be reached" does not run on into other code.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, host_level(), "+prefer-256-bit", options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Aggressive));
  return machine;
}

void optimise(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [](llvm::StringRef pass, const llvm::Any& unit) { return is_worth(pass, unit); });
  llvm::PassBuilder builder(&target, tuning, std::nullopt, &callbacks);
  builder.registerVectorizerStartEPCallback(
      [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(KeepArraysApart());
      });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(SkipEmptyMasks()));
      });
  Analyses analyses(builder);
  // Without the inliner and what prepares for it: all that can be inlined is.
  const auto level = llvm::OptimizationLevel::O3;
  const auto phase = llvm::ThinOrFullLTOPhase::None;
  llvm::ModulePassManager passes;
  passes.addPass(llvm::InferFunctionAttrsPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(
      builder.buildFunctionSimplificationPipeline(level, phase)));
  passes.addPass(builder.buildModuleOptimizationPipeline(level, phase));
  passes.run(module, analyses.modules);
}

void count_instructions(const llvm::Function& function,
                        std::map<std::string, std::int64_t>& counts) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    ++counts[class_of(instruction)];
  }
}

Result<llvm::SmallVector<char, 0>> emit_object(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return fail(ErrorCode::kInternal, "the code generator writes no object files");
  }
  passes.run(module);
  return bytes;
}

}  // namespace ws::clang_engine
