#include "runtime/compile/clang/profile.h"

#include <algorithm>
#include <optional>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>

#include "runtime/compile/clang/analyses.h"
#include "runtime/compile/clang/instruction_class.h"
#include "runtime/compile/clang/shared_memory.h"
#include "runtime/compile/clang/stretch_latency.h"
#include "runtime/compile/clang/stretch_order.h"
#include "runtime/compile/clang/wide_access.h"

namespace ws::clang_engine {
namespace {

constexpr unsigned kConstantAddressSpace = 4;

MemorySpace memory_space_of(const llvm::Value* address) {
  const llvm::Value* object = llvm::getUnderlyingObject(address, 0);
  if (llvm::isa<llvm::AllocaInst>(object)) {
    return MemorySpace::kLocal;
  }
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    if (variable->getAddressSpace() == kSharedAddressSpace) {
      return MemorySpace::kShared;
    }
    return variable->getAddressSpace() == kConstantAddressSpace || variable->isConstant()
               ? MemorySpace::kConstant
               : MemorySpace::kGlobal;
  }
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object)) {
    if (argument->hasByValAttr()) {
      return MemorySpace::kConstant;  // A struct in the launch's arguments.
    }
    if (argument->getParent()->hasExternalLinkage()) {  // A kernel's own pointer.
      return MemorySpace::kGlobal;
    }
  }
  return MemorySpace::kGeneric;
}

/// One address that an instruction uses.
struct Used {
  llvm::Value* address = nullptr;
  llvm::Type* type = nullptr;     ///< Null: a block of memory,
  llvm::Value* length = nullptr;  ///< of so many bytes.
  AccessKind kind = AccessKind::kLoad;
};

std::vector<Used> used_by(llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return {{load->getPointerOperand(), load->getType(), nullptr, AccessKind::kLoad}};
  }
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return {{store->getPointerOperand(), store->getValueOperand()->getType(), nullptr,
             AccessKind::kStore}};
  }
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return {{update->getPointerOperand(), update->getType(), nullptr, AccessKind::kAtomic}};
  }
  if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return {{swap->getPointerOperand(), swap->getCompareOperand()->getType(), nullptr,
             AccessKind::kAtomic}};
  }
  std::vector<Used> used;
  if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    used.push_back({block->getRawDest(), nullptr, block->getLength(), AccessKind::kStore});
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(block)) {
      used.push_back({transfer->getRawSource(), nullptr, block->getLength(), AccessKind::kLoad});
    }
  }
  return used;
}

/// After it, a thread may have waited for others, or run other stretches.
bool ends_stretch(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr &&
         (!callee->isDeclaration() || callee->getName().starts_with("ws_rt_barrier") ||
          callee->getName() == "ws_rt_warp" || callee->getName() == "ws_rt_active_mask");
}

class Instrumenter {
 public:
  Instrumenter(llvm::Module& module, SiteTable& sites)
      : module_(module),
        sites_(sites),
        word_(llvm::Type::getInt32Ty(module.getContext())),
        long_(llvm::Type::getInt64Ty(module.getContext())) {}

  void run(llvm::Function& function, std::uint32_t entry) {
    for (llvm::BasicBlock* block : stretch_order(function)) {
      run(*block, entry);
    }
  }

  ProfileMap map;

 private:
  void run(llvm::BasicBlock& block, std::uint32_t entry) {
    std::vector<llvm::Instruction*> instructions;
    for (llvm::Instruction& instruction :
         llvm::make_range(block.getFirstNonPHIOrDbgOrAlloca(), block.end())) {
      instructions.push_back(&instruction);
    }
    const WideAccesses wide(block);
    const std::size_t before = map.stretches.size();
    bool fresh = true;
    for (llvm::Instruction* instruction : instructions) {
      if (wide.continues(*instruction)) {
        stretch_.push_back(instruction);
        continue;
      }
      const std::vector<Used> used = used_by(*instruction);
      if (fresh || map.stretches.back().accesses + used.size() > ProfiledStretch::kMostAccesses) {
        end_stretch(/*whole_block=*/false);
        start_stretch(*instruction, entry);
      }
      stretch_.push_back(instruction);
      for (const Used& one : used) {
        add_access(*instruction, one, wide);
      }
      count(*instruction);
      fresh = ends_stretch(*instruction);
    }
    end_stretch(map.stretches.size() == before + 1);
    if (const llvm::Instruction& last = *block.getTerminator(); last.getNumSuccessors() > 1) {
      map.stretches.back().branch_site = sites_.id_of(last);
    }
  }

  void end_stretch(bool whole_block) {
    if (!stretch_.empty()) {
      find_latency(stretch_, whole_block, map.stretches.back());
      stretch_.clear();
    }
  }

  void start_stretch(llvm::Instruction& before, std::uint32_t entry) {
    ProfiledStretch stretch;
    stretch.entry = entry;
    stretch.first_access = static_cast<std::uint32_t>(map.accesses.size());
    llvm::IRBuilder<> builder(&before);
    call(builder, "ws_rt_profile_stretch",
         {builder.getInt32(static_cast<std::uint32_t>(map.stretches.size()))});
    map.stretches.push_back(std::move(stretch));
  }

  void add_access(llvm::Instruction& at, const Used& used, const WideAccesses& wide) {
    ProfiledAccess access;
    access.site = sites_.id_of(at);
    access.space = memory_space_of(used.address);
    access.kind = used.kind;
    llvm::IRBuilder<> builder(&at);
    llvm::Value* bytes = nullptr;
    if (used.type != nullptr) {
      const std::uint64_t own = module_.getDataLayout().getTypeStoreSize(used.type).getFixedValue();
      access.bytes = static_cast<std::uint32_t>(wide.bytes_of(at, own));
      bytes = builder.getInt32(access.bytes);
    } else {
      bytes = builder.CreateZExtOrTrunc(used.length, word_);
    }
    call(builder, "ws_rt_profile_access", {builder.CreatePtrToInt(used.address, long_), bytes});
    map.accesses.push_back(access);
    ++map.stretches.back().accesses;
  }

  void count(const llvm::Instruction& instruction) {
    const InstructionCost cost = cost_of(instruction);
    if (cost.count == 0 && cost.flops == 0) {
      return;
    }
    const std::uint32_t site = sites_.id_of(instruction);
    std::vector<ProfiledInstructions>& rows = map.stretches.back().instructions;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const ProfiledInstructions& known) {
      return known.site == site && known.kind == cost.kind;
    });
    if (row == rows.end()) {
      rows.push_back({site, cost.kind, 0, 0});
      row = rows.end() - 1;
    }
    row->count += cost.count;
    row->flops += cost.flops;
  }

  void call(llvm::IRBuilder<>& builder, const char* name,
            const std::vector<llvm::Value*>& arguments) {
    std::vector<llvm::Type*> types;
    types.reserve(arguments.size());
    for (const llvm::Value* argument : arguments) {
      types.push_back(argument->getType());
    }
    auto* type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
    llvm::CallInst* made = builder.CreateCall(module_.getOrInsertFunction(name, type), arguments);
    made->setDoesNotThrow();
    // Threads wait in it for each other: it may not move, nor become one with another.
    made->setConvergent();
    made->addFnAttr(llvm::Attribute::NoMerge);
    made->setDebugLoc(llvm::DebugLoc());
  }

  llvm::Module& module_;
  SiteTable& sites_;
  std::vector<const llvm::Instruction*> stretch_;  ///< The instructions of the present stretch.
  llvm::Type* word_;
  llvm::Type* long_;
};

}  // namespace

void simplify_for_profile(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::PassBuilder builder(&target);
  Analyses analyses(builder);
  llvm::ModulePassManager passes;
  passes.addPass(
      llvm::createModuleToFunctionPassAdaptor(builder.buildFunctionSimplificationPipeline(
          llvm::OptimizationLevel::O2, llvm::ThinOrFullLTOPhase::None)));
  passes.run(module, analyses.modules);
}

ProfileMap insert_profile_calls(llvm::Module& module, const std::vector<std::string>& kernels,
                                SiteTable& sites) {
  Instrumenter instrumenter(module, sites);
  for (const std::string& kernel : kernels) {
    instrumenter.map.live_words.push_back(live_words(*module.getFunction(kernel)));
  }
  // Functions that kernels call come first: a warp's threads come back from a call before others go
  // on.
  for (llvm::Function& function : module) {
    const bool kernel =
        std::find(kernels.begin(), kernels.end(), function.getName()) != kernels.end();
    if (!function.isDeclaration() && !kernel) {
      instrumenter.run(function, ProfiledStretch::kNone);
    }
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    instrumenter.run(*module.getFunction(kernels[i]), static_cast<std::uint32_t>(i));
  }
  return std::move(instrumenter.map);
}

}  // namespace ws::clang_engine
