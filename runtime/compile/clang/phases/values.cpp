#include "runtime/compile/clang/phases/values.h"

#include <algorithm>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/phases/lane_reads.h"
#include "runtime/compile/clang/phases/warp_starts.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

/// The most instructions that are computed again in place of one value kept.
constexpr std::size_t kMostAgain = 24;
constexpr std::size_t kNever = kMostAgain + 1;

using BlockSet = std::set<const llvm::BasicBlock*>;

/// The blocks at whose start `value` is needed by what follows.
BlockSet needing_blocks(const llvm::Instruction& value) {
  BlockSet needing;
  std::vector<const llvm::BasicBlock*> open;
  const auto add = [&](const llvm::BasicBlock* block) {
    if (needing.insert(block).second) {
      open.push_back(block);
    }
  };
  const auto add_before = [&](const llvm::BasicBlock* block) {  // Needed at this one's end.
    if (block != value.getParent()) {
      add(block);
    }
  };
  for (const llvm::Use& use : value.uses()) {
    const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
      add_before(phi->getIncomingBlock(use));
    } else {
      add_before(user->getParent());
    }
  }
  while (!open.empty()) {
    const llvm::BasicBlock* block = open.back();
    open.pop_back();
    for (const llvm::BasicBlock* before : llvm::predecessors(block)) {
      add_before(before);
    }
  }
  return needing;
}

bool only_depends_on_operands(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    const llvm::Function* callee = call->getCalledFunction();
    return is_warp_start(*call) || (callee != nullptr && launch_value_of(*callee).has_value());
  }
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst,
                   llvm::SelectInst, llvm::FreezeInst>(instruction);
}

}  // namespace

llvm::Type* type_in_slot(llvm::Type* type) {
  return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
}

CarriedValues::CarriedValues(llvm::Function& function, const std::vector<Stop>& stops,
                             const Uniformity* uniformity)
    : needed_(stops.size()) {
  find_needed(function, stops);
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    bool kept = false;
    bool own = uniformity == nullptr || !uniformity->same_for_unit(instruction) ||
               is_read_by_lanes(instruction);
    for (std::size_t i = 0; i < stops.size(); ++i) {
      if (std::find(needed_[i].begin(), needed_[i].end(), &instruction) != needed_[i].end()) {
        kept = true;
        own = own || uniformity->is_overtaken(instruction, *stops[i].call);
      }
    }
    if (kept && !is_computed_again(instruction)) {
      place(layout, instruction, /*of_unit=*/!own);
    }
  }
  if (std::any_of(stops.begin(), stops.end(), [](const Stop& stop) { return stop.read_behind; })) {
    constexpr std::uint64_t bytes = 4;
    thread_bytes_ = llvm::alignTo(thread_bytes_, bytes);
    meetings_at_ = cpu_abi::kPhaseValues + thread_bytes_;
    thread_bytes_ += bytes;
  }
}

void CarriedValues::find_needed(llvm::Function& function, const std::vector<Stop>& stops) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.getType()->isVoidTy() || instruction.use_empty()) {
      continue;
    }
    const BlockSet needing = needing_blocks(instruction);
    for (std::size_t i = 0; i < stops.size(); ++i) {
      if (&instruction != stops[i].call && needing.contains(stops[i].after)) {
        needed_[i].push_back(&instruction);
      }
    }
  }
}

void CarriedValues::place(const llvm::DataLayout& layout, const llvm::Instruction& value,
                          bool of_unit) {
  llvm::Type* type = type_in_slot(value.getType());
  std::uint64_t& end = of_unit ? unit_bytes_ : thread_bytes_;
  end = llvm::alignTo(end, layout.getABITypeAlign(type));
  slots_[&value] = {.of_unit = of_unit, .offset = (of_unit ? 0 : cpu_abi::kPhaseValues) + end};
  end += layout.getTypeAllocSize(type);
}

bool CarriedValues::is_computed_again(const llvm::Value& value) const {
  return cost_again(value) <= kMostAgain;
}

std::optional<Slot> CarriedValues::slot_over(std::size_t number, const llvm::Value& value) const {
  const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&value);
  const llvm::Value* bits = cast == nullptr ? &value : cast->getOperand(0);
  for (const llvm::Instruction* carried : needed_[number]) {
    if ((carried == bits || carried == &value) && !is_computed_again(*carried)) {
      return slot(*carried);
    }
  }
  return std::nullopt;
}

std::size_t CarriedValues::cost_again(const llvm::Value& value) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr) {
    return 0;  // A constant, or one of the thread's parameters.
  }
  if (!only_depends_on_operands(*instruction) || is_read_by_lanes(*instruction)) {
    return kNever;
  }
  const auto [at, fresh] = costs_.try_emplace(instruction, kNever);
  if (fresh) {
    std::size_t cost = 1;
    for (const llvm::Value* operand : instruction->operands()) {
      cost = std::min(kNever, cost + cost_again(*operand));
    }
    costs_[instruction] = cost;
  }
  return costs_[instruction];
}

}  // namespace ws::clang_engine
