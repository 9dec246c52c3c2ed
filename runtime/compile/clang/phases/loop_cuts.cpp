#include "runtime/compile/clang/phases/loop_cuts.h"

#include <algorithm>
#include <map>
#include <optional>

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "runtime/compile/clang/bounds_check.h"
#include "runtime/compile/clang/launch_values.h"

namespace ws::clang_engine {
namespace {

/// How far a value moves from one thread to its neighbour on the x axis; nothing where that is not
/// one known number.
class Strides {
 public:
  explicit Strides(const llvm::LoopInfo& loops)
      : loops_(loops) {}

  std::optional<std::int64_t> of(const llvm::Value& value) {
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
      constexpr unsigned kX = 1;
      return argument->getArgNo() == kX ? 1 : 0;
    }
    if (llvm::isa<llvm::Constant>(value)) {
      return 0;
    }
    const auto [at, fresh] = known_.try_emplace(&value, 0);  // Where it depends on itself.
    if (fresh) {
      const auto stride = of_instruction(llvm::cast<llvm::Instruction>(value));
      known_[&value] = stride;
    }
    return known_[&value];
  }

 private:
  using Stride = std::optional<std::int64_t>;

  Stride of_instruction(const llvm::Instruction& instruction) {
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
        return sum(of(*instruction.getOperand(0)), of(*instruction.getOperand(1)),
                   instruction.getOpcode() == llvm::Instruction::Add ? 1 : -1);
      case llvm::Instruction::Mul:
      case llvm::Instruction::Shl:
        return product(instruction);
      case llvm::Instruction::ZExt:
      case llvm::Instruction::SExt:
      case llvm::Instruction::Trunc:
        return of(*instruction.getOperand(0));
      case llvm::Instruction::PHI:
        return same_of_all(instruction);
      case llvm::Instruction::GetElementPtr:
        return of_address(llvm::cast<llvm::GEPOperator>(instruction));
      case llvm::Instruction::Call: {
        const auto* callee = llvm::cast<llvm::CallInst>(instruction).getCalledFunction();
        return callee != nullptr && launch_value_of(*callee) ? Stride(0) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  static Stride sum(Stride one, Stride other, std::int64_t times) {
    return one && other ? Stride(*one + times * *other) : std::nullopt;
  }

  Stride product(const llvm::Instruction& instruction) {
    const Stride one = of(*instruction.getOperand(0));
    const Stride other = of(*instruction.getOperand(1));
    if (one == 0 && other == 0) {
      return 0;
    }
    const auto* factor = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    if (!one || factor == nullptr || factor->getBitWidth() > 64) {
      return std::nullopt;
    }
    const std::int64_t by = factor->getSExtValue();
    return instruction.getOpcode() == llvm::Instruction::Mul ? *one * by : *one << by;
  }

  Stride same_of_all(const llvm::Instruction& instruction) {
    const auto& phi = llvm::cast<llvm::PHINode>(instruction);
    const llvm::Loop* loop = loops_.getLoopFor(phi.getParent());
    const llvm::BasicBlock* before = loop != nullptr && loop->getHeader() == phi.getParent()
                                         ? loop->getLoopPredecessor()
                                         : nullptr;
    // The value that a loop begins with does not depend on the loop.
    const Stride first =
        of(before == nullptr ? *phi.getIncomingValue(0) : *phi.getIncomingValueForBlock(before));
    known_[&instruction] = first;
    for (const llvm::Value* operand : instruction.operands()) {
      if (of(*operand) != first) {
        return std::nullopt;
      }
    }
    return first;
  }

  Stride of_address(const llvm::GEPOperator& address) {
    const llvm::DataLayout& layout =
        llvm::cast<llvm::Instruction>(address).getModule()->getDataLayout();
    llvm::MapVector<llvm::Value*, llvm::APInt> terms;
    llvm::APInt constant(layout.getIndexTypeSizeInBits(address.getType()), 0);
    if (!address.collectOffset(layout, constant.getBitWidth(), terms, constant)) {
      return std::nullopt;
    }
    Stride stride = of(*address.getPointerOperand());
    for (const auto& [index, scale] : terms) {
      stride = sum(stride, of(*index), scale.getSExtValue());
    }
    return stride;
  }

  const llvm::LoopInfo& loops_;
  std::map<const llvm::Value*, Stride> known_;
};

/// The address that an instruction loads from or stores to, and how much.
struct Access {
  const llvm::Value* address = nullptr;
  llvm::Type* type = nullptr;
};

std::optional<Access> access_of(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isSimple()) {
    return Access{load->getPointerOperand(), load->getType()};
  }
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  if (store != nullptr && store->isSimple()) {
    return Access{store->getPointerOperand(), store->getValueOperand()->getType()};
  }
  return std::nullopt;
}

/// Vectors of threads pay where they load and store vectors.
bool suits_vectors(const llvm::Loop& loop, const llvm::LoopInfo& loops) {
  Strides strides(loops);
  bool moves = false;
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& instruction : *block) {
      if (bounds_check(instruction)) {
        continue;
      }
      if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction) &&
          !llvm::cast<llvm::CallBase>(instruction).doesNotAccessMemory()) {
        return false;
      }
      if (!instruction.mayReadOrWriteMemory()) {
        continue;
      }
      const auto access = access_of(instruction);
      const auto stride = access ? strides.of(*access->address) : std::nullopt;
      if (!stride) {
        return false;
      }
      const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
      const auto element = static_cast<std::int64_t>(layout.getTypeAllocSize(access->type));
      if (*stride != 0 && *stride != element) {
        return false;
      }
      moves = moves || *stride == element;
    }
  }
  return moves;
}

/// True for a loop that ends by comparing a counter with a bound, where the counter moves by
/// `stride` from one thread to its neighbour and both have the same bound.
bool counts_with_stride(const llvm::Loop& loop, const llvm::LoopInfo& loops, std::int64_t stride) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop.getExitingBlocks(exits);
  if (exits.size() != 1) {
    return false;
  }
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(exits[0]->getTerminator());
  const auto* compare = branch == nullptr || !branch->isConditional()
                            ? nullptr
                            : llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compare == nullptr) {
    return false;
  }
  Strides strides(loops);
  const llvm::Value* counter = compare->getOperand(0);
  const llvm::Value* bound = compare->getOperand(1);
  if (loop.isLoopInvariant(counter)) {
    std::swap(counter, bound);
  }
  return loop.isLoopInvariant(bound) && strides.of(*bound) == 0 && strides.of(*counter) == stride;
}

/// A thread loads and stores what it carries once in so many rounds.
constexpr unsigned kRoundsAtOnce = 2;
/// A loop with more instructions does enough in one round.
constexpr std::size_t kMostUnrolled = 40;

/// Puts some rounds of a loop that neighbours run equally often into one, in which the loop may
/// still end after each of them.
void unroll(llvm::Loop& loop, llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  std::size_t instructions = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    instructions += block->size();
  }
  if (instructions > kMostUnrolled || !counts_with_stride(loop, loops, 0)) {
    return;
  }
  llvm::UnrollLoopOptions options{};
  options.Count = kRoundsAtOnce;
  options.Force = true;
  llvm::OptimizationRemarkEmitter remarks(&function);
  llvm::UnrollLoop(&loop, options, &loops,
                   &analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                   &analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                   &analyses.getResult<llvm::AssumptionAnalysis>(function),
                   &analyses.getResult<llvm::TargetIRAnalysis>(function), &remarks,
                   /*PreserveLCSSA=*/true);
}

}  // namespace

void insert_loop_cuts(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  llvm::Module& module = *function.getParent();
  const llvm::FunctionCallee cut =
      module.getOrInsertFunction(kLoopCut, llvm::Type::getVoidTy(module.getContext()));
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const bool stops = std::any_of(loop->block_begin(), loop->block_end(), [](const auto* block) {
      return std::any_of(block->begin(), block->end(),
                         [](const llvm::Instruction& instruction) { return is_stop(instruction); });
    });
    // One of known length is unrolled, so that a loop over the threads around it is innermost.
    const bool unrolled = evolution.getSmallConstantTripCount(loop) != 0;
    if (loop->isInnermost() && !stops && !unrolled && suits_vectors(*loop, loops)) {
      unroll(*loop, function, analyses);
      llvm::IRBuilder<> builder(&*loop->getHeader()->getFirstInsertionPt());
      builder.CreateCall(cut);
    }
  }
}

void remove_parted_cuts(llvm::Function& function, std::vector<Stop>& stops,
                        Uniformity& uniformity) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::erase_if(stops, [&](Stop& stop) {
    if (!is_loop_cut(stop)) {
      return false;
    }
    const llvm::Loop& loop = *loops.getLoopFor(stop.call->getParent());
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop.getExitingBlocks(exits);
    const bool together = !uniformity.is_parted(*stop.call->getParent()) &&
                          std::all_of(exits.begin(), exits.end(), [&](const auto* block) {
                            return uniformity.same_way(*block);
                          });
    stop.alone = !together;
    // Neighbours that share out elements run equally often, but for the last round.
    const bool useful = together || counts_with_stride(loop, loops, 1);
    if (!useful) {
      stop.call->eraseFromParent();
    }
    return !useful;
  });
}

}  // namespace ws::clang_engine
