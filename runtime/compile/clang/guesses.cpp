#include "runtime/compile/clang/guesses.h"

#include <algorithm>
#include <compare>
#include <utility>
#include <vector>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "runtime/compile/clang/same_address.h"

namespace ws::clang_engine {
namespace {

using Swaps = std::vector<const llvm::AtomicCmpXchgInst*>;

/// Gives the same bits under another type, or those of one of its operands.
bool keeps_bits(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::BitCastInst, llvm::FreezeInst, llvm::PtrToIntInst, llvm::IntToPtrInst,
                   llvm::PHINode, llvm::SelectInst>(instruction);
}

/// Has no effect but its value.
bool computes(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    return call->doesNotAccessMemory();
  }
  return llvm::isa<llvm::CastInst, llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst,
                   llvm::PHINode, llvm::SelectInst, llvm::FreezeInst, llvm::ExtractValueInst,
                   llvm::InsertValueInst, llvm::ExtractElementInst, llvm::InsertElementInst,
                   llvm::ShuffleVectorInst>(instruction);
}

/// Changes memory that other threads may use.
bool writes(const llvm::Instruction& instruction) {
  const llvm::Value* address = nullptr;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    address = store->getPointerOperand();
  } else if (const auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    address = block->getRawDest();
  } else if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    const llvm::Function* callee = call->getCalledFunction();
    return callee == nullptr || (!callee->isDeclaration() && call->mayWriteToMemory());
  } else {
    return instruction.isAtomic() && instruction.mayWriteToMemory() &&
           !llvm::isa<llvm::FenceInst>(instruction);
  }
  return !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address, 0));
}

/// Follows the value that one read gives.
class Guess {
 public:
  Guess(const llvm::LoadInst& load, const Swaps& all)
      : load_(load) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(swaps_),
                 [&](const llvm::AtomicCmpXchgInst* swap) {
                   return is_same_address(*swap->getPointerOperand(), *load.getPointerOperand());
                 });
    if (!swaps_.empty()) {
      find_ways();
      follow(load, {.same_bits = true, .checked = false});
    }
  }

  [[nodiscard]] bool holds() const { return compared_ && !escapes_; }

 private:
  /// How a value follows from the read.
  struct Path {
    bool same_bits = false;  ///< It is the read value itself.
    bool checked = false;    ///< It is merged with what a swap gave, as in a loop.

    auto operator<=>(const Path&) const = default;
  };

  [[nodiscard]] bool is_swap(const llvm::Value* value) const {
    return std::find(swaps_.begin(), swaps_.end(), value) != swaps_.end();
  }

  /// The word that a swap found, or such a one and others.
  [[nodiscard]] bool is_found_word(const llvm::Value* value,
                                   std::set<const llvm::Value*>& seen) const {
    if (const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(value)) {
      return is_swap(part->getAggregateOperand());
    }
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction != nullptr && keeps_bits(*instruction) && seen.insert(value).second &&
           llvm::any_of(instruction->operands(), [&](const llvm::Use& operand) {
             return is_found_word(operand.get(), seen);
           });
  }

  [[nodiscard]] bool is_found_word(const llvm::Value* value) const {
    std::set<const llvm::Value*> seen;
    return is_found_word(value, seen);
  }

  /// The blocks from which a swap can be reached before the read is made again.
  void find_ways() {
    std::vector<const llvm::BasicBlock*> open;
    const auto go_back = [&](const llvm::BasicBlock* block) {
      open.insert(open.end(), llvm::pred_begin(block), llvm::pred_end(block));
    };
    for (const llvm::AtomicCmpXchgInst* swap : swaps_) {
      const llvm::BasicBlock* block = swap->getParent();
      ways_.insert(block);
      if (block != load_.getParent() || swap->comesBefore(&load_)) {
        go_back(block);
      }
    }
    while (!open.empty()) {
      const llvm::BasicBlock* block = open.back();
      open.pop_back();
      if (ways_.insert(block).second && block != load_.getParent()) {
        go_back(block);
      }
    }
  }

  /// Whether something is written on a way from the branch to a swap.
  [[nodiscard]] bool decides_a_write(const llvm::Instruction& branch) const {
    std::set<const llvm::BasicBlock*> seen;
    std::vector<const llvm::BasicBlock*> open(llvm::succ_begin(&branch), llvm::succ_end(&branch));
    while (!open.empty()) {
      const llvm::BasicBlock* block = open.back();
      open.pop_back();
      if (!ways_.contains(block) || !seen.insert(block).second) {
        continue;
      }
      const auto last = std::find_if(block->begin(), block->end(), [&](const auto& instruction) {
        return is_swap(&instruction) || &instruction == &load_;
      });
      if (std::any_of(block->begin(), last, writes)) {
        return true;
      }
      if (last == block->end()) {
        open.insert(open.end(), llvm::succ_begin(block), llvm::succ_end(block));
      }
    }
    return false;
  }

  void follow(const llvm::Value& value, Path path) {
    const bool matters = path.same_bits || !path.checked;
    if (matters && seen_.insert({&value, path}).second) {
      for (const llvm::Use& use : value.uses()) {
        visit(use, path);
      }
    }
  }

  void visit(const llvm::Use& use, Path path) {
    const auto& user = *llvm::cast<llvm::Instruction>(use.getUser());
    const unsigned number = use.getOperandNo();
    if (is_swap(&user) && number != 0) {
      compared_ = compared_ || (path.same_bits && number == 1);
    } else if (llvm::isa<llvm::CmpInst>(user) && is_found_word(user.getOperand(1 - number))) {
      return;  // The swap's answer: whether the guess was right.
    } else if (llvm::isa<llvm::BranchInst, llvm::SwitchInst>(user)) {
      escapes_ = escapes_ || (!path.checked && decides_a_write(user));
    } else if (computes(user)) {
      const bool keeps = keeps_bits(user);
      follow(user, {.same_bits = path.same_bits && keeps,
                    .checked = path.checked || (keeps && is_found_word(&user))});
    } else {
      escapes_ = escapes_ || !path.checked;
    }
  }

  const llvm::LoadInst& load_;
  Swaps swaps_;  ///< Those of the word that is read.
  std::set<const llvm::BasicBlock*> ways_;
  std::set<std::pair<const llvm::Value*, Path>> seen_;
  bool compared_ = false;  ///< A swap is compared with the value.
  bool escapes_ = false;   ///< The value has another effect.
};

}  // namespace

std::set<const llvm::LoadInst*> guesses_of(const llvm::Function& function) {
  Swaps swaps;
  std::vector<const llvm::LoadInst*> loads;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      swaps.push_back(swap);
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      loads.push_back(load);
    }
  }
  std::set<const llvm::LoadInst*> guesses;
  for (const llvm::LoadInst* load : loads) {
    if (!swaps.empty() && load->isSimple() && Guess(*load, swaps).holds()) {
      guesses.insert(load);
    }
  }
  return guesses;
}

}  // namespace ws::clang_engine
