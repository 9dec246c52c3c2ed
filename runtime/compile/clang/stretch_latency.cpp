#include "runtime/compile/clang/stretch_latency.h"

#include <algorithm>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "runtime/compile/clang/instruction_class.h"
#include "runtime/compile/gpu_latency.h"

namespace ws::clang_engine {
namespace {

constexpr std::uint32_t kBitsOfRegister = 32;

/// The wait for a load is added when it runs, as its cache is known only then.
bool loads(const llvm::Value* value) {
  return llvm::isa<llvm::LoadInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(value);
}

std::uint32_t latency_of(const llvm::Instruction& instruction) {
  const InstructionCost cost = cost_of(instruction);
  if (cost.count == 0) {
    return 0;
  }
  switch (cost.kind) {
    case InstrClass::kSpecial:
      return kHopperLatency.special;
    case InstrClass::kWarp:
      return kHopperLatency.warp;
    case InstrClass::kBarrier:
      return kHopperLatency.barrier;
    case InstrClass::kMemory:
      return 1;
    default:
      return kHopperLatency.arithmetic;
  }
}

/// A value of another stretch that may still be on its way from memory.
bool on_its_way(const llvm::Value* value, llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
  if (loads(value)) {
    return true;
  }
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  return phi != nullptr && seen.insert(phi).second &&
         std::any_of(phi->incoming_values().begin(), phi->incoming_values().end(),
                     [&](const llvm::Use& use) { return on_its_way(use.get(), seen); });
}

/// Whether nothing that comes later can run before the operands are there: where to go, and where
/// to load from.
bool cannot_go_on(const llvm::Instruction& instruction) {
  return instruction.isTerminator() || loads(&instruction);
}

/// Whether a value of the block is made of what the block loads, in this round or the one before.
bool made_of_loads(const llvm::Value* value, const llvm::BasicBlock& block,
                   llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || instruction->getParent() != &block ||
      !seen.insert(instruction).second) {
    return false;
  }
  return loads(instruction) ||
         std::any_of(instruction->op_begin(), instruction->op_end(),
                     [&](const llvm::Use& use) { return made_of_loads(use.get(), block, seen); });
}

/// Whether the block is a loop of its own whose rounds may load side by side: nothing is written,
/// and no address is made of what was loaded.
bool loads_side_by_side(const llvm::BasicBlock& block) {
  if (std::find(llvm::succ_begin(&block), llvm::succ_end(&block), &block) ==
      llvm::succ_end(&block)) {
    return false;
  }
  return std::none_of(block.begin(), block.end(), [&](const llvm::Instruction& instruction) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      llvm::SmallPtrSet<const llvm::Value*, 16> seen;
      return load->isVolatile() || load->isAtomic() ||
             made_of_loads(load->getPointerOperand(), block, seen);
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    const bool counts = callee != nullptr && callee->getName().starts_with("ws_rt_profile_");
    return !counts && instruction.mayWriteToMemory() &&
           !llvm::isa<llvm::DbgInfoIntrinsic>(instruction) && !instruction.isLifetimeStartOrEnd();
  });
}

std::uint32_t words_of(const llvm::Instruction& instruction) {
  if (instruction.getType()->isVoidTy() || !instruction.getType()->isSized() ||
      llvm::isa<llvm::AllocaInst>(instruction)) {
    return 0;
  }
  const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
  const std::uint64_t bits = layout.getTypeSizeInBits(instruction.getType()).getFixedValue();
  return bits <= 1 ? 0  // Predicates have registers of their own.
                   : static_cast<std::uint32_t>((bits + kBitsOfRegister - 1) / kBitsOfRegister);
}

/// The values alive at the start of each block, from their uses backwards.
class Liveness {
 public:
  explicit Liveness(const llvm::Function& function) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const llvm::BasicBlock& block : llvm::reverse(function)) {
        Values alive = after(block);
        walk(block, alive, nullptr);
        Values& known = at_start_[&block];
        if (alive.size() != known.size()) {
          known = std::move(alive);
          changed = true;
        }
      }
    }
    for (const llvm::BasicBlock& block : function) {
      Values alive = after(block);
      walk(block, alive, &most_);
    }
  }

  [[nodiscard]] std::uint32_t most() const { return most_; }

 private:
  using Values = llvm::DenseSet<const llvm::Instruction*>;

  [[nodiscard]] Values after(const llvm::BasicBlock& block) const {
    Values alive;
    for (const llvm::BasicBlock* next : llvm::successors(&block)) {
      const auto known = at_start_.find(next);
      if (known != at_start_.end()) {
        alive.insert(known->second.begin(), known->second.end());
      }
      for (const llvm::PHINode& phi : next->phis()) {
        std::uint32_t words = 0;
        use(phi.getIncomingValueForBlock(&block), alive, words);
      }
    }
    return alive;
  }

  /// Counts a value that is used; instead of an address or a wider form of a value, which take an
  /// instruction to make again, what they are made of.
  static void use(const llvm::Value* value, Values& alive, std::uint32_t& words) {
    const auto* one = llvm::dyn_cast<llvm::Instruction>(value);
    if (one == nullptr) {
      return;
    }
    if (llvm::isa<llvm::GetElementPtrInst, llvm::CastInst>(one)) {
      for (const llvm::Use& part : one->operands()) {
        use(part.get(), alive, words);
      }
    } else if (alive.insert(one).second) {
      words += words_of(*one);
    }
  }

  /// From the end of the block to its start. @param most  Null: only `alive` is wanted.
  static void walk(const llvm::BasicBlock& block, Values& alive, std::uint32_t* most) {
    std::uint32_t words = 0;
    for (const llvm::Instruction* one : alive) {
      words += words_of(*one);
    }
    for (const llvm::Instruction& instruction : llvm::reverse(block)) {
      if (most != nullptr) {
        *most = std::max(*most, words);
      }
      if (alive.erase(&instruction)) {
        words -= words_of(instruction);
      }
      if (llvm::isa<llvm::PHINode, llvm::GetElementPtrInst, llvm::CastInst>(instruction)) {
        continue;
      }
      for (const llvm::Use& operand : instruction.operands()) {
        use(operand.get(), alive, words);
      }
    }
  }

  llvm::DenseMap<const llvm::BasicBlock*, Values> at_start_;
  std::uint32_t most_ = 0;
};

}  // namespace

void find_latency(const std::vector<const llvm::Instruction*>& instructions, bool whole_block,
                  ProfiledStretch& stretch) {
  struct Reached {
    std::uint32_t cycles = 0;
    std::uint32_t loads = 0;  ///< Those that have to arrive one after another first.
    bool late = false;        ///< It is made of what another stretch has loaded.
  };

  llvm::DenseMap<const llvm::Value*, Reached> reached;
  for (const llvm::Instruction* instruction : instructions) {
    Reached at;
    for (const llvm::Use& use : instruction->operands()) {
      const auto known = reached.find(use.get());
      if (known != reached.end()) {
        at.cycles = std::max(at.cycles, known->second.cycles);
        at.loads = std::max(at.loads, known->second.loads + (loads(use.get()) ? 1U : 0U));
        at.late = at.late || known->second.late;
        continue;
      }
      llvm::SmallPtrSet<const llvm::Value*, 16> seen;
      at.late = at.late || on_its_way(use.get(), seen);
    }
    if (at.late) {
      stretch.waits = std::max(stretch.waits, cannot_go_on(*instruction) ? 2U : 1U);
    }
    at.cycles += latency_of(*instruction);
    stretch.chain = std::max(stretch.chain, at.cycles);
    stretch.depth = std::max(stretch.depth, at.loads);
    reached[instruction] = at;
  }
  if (whole_block && loads_side_by_side(*instructions.front()->getParent())) {
    stretch.rounds = kRoundsAtOnce;
  }
}

std::uint32_t live_words(const llvm::Function& function) {
  return Liveness(function).most();
}

}  // namespace ws::clang_engine
