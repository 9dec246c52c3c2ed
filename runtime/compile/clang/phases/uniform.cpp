#include "runtime/compile/clang/phases/uniform.h"

#include <algorithm>
#include <vector>

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassInstrumentation.h>

#include "runtime/compile/clang/phases/stops.h"
#include "runtime/compile/clang/phases/warp_starts.h"

namespace ws::clang_engine {
namespace {

/// The parameters of a thread function that are its thread's id, and differ from thread to thread.
bool is_divergent_id(const llvm::Argument& argument, bool aligned) {
  constexpr unsigned kX = 1;
  return argument.getType()->isIntegerTy() && (!aligned || argument.getArgNo() == kX);
}

/// A barrier tells all of its threads the same.
bool is_barrier_call(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getName() == "ws_rt_barrier";
}

/// Tells the analysis where values come from that differ from thread to thread.
class ThreadIds : public llvm::TargetTransformInfoImplCRTPBase<ThreadIds> {
 public:
  /// @param joins  Values of which the analysis has not found by itself that they differ.
  ThreadIds(const llvm::DataLayout& layout, bool aligned, const std::set<const llvm::Value*>& joins)
      : TargetTransformInfoImplCRTPBase(layout),
        aligned_(aligned),
        joins_(joins) {}

  static bool hasBranchDivergence(const llvm::Function* /*function*/) { return true; }

  bool isSourceOfDivergence(const llvm::Value* value) const {
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
      return is_divergent_id(*argument, aligned_);
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(value)) {
      return !call->doesNotAccessMemory() && !is_barrier_call(*call);
    }
    // Another thread may have written a moment ago where this one reads.
    return joins_.contains(value) || llvm::isa<llvm::LoadInst, llvm::AtomicRMWInst,
                                               llvm::AtomicCmpXchgInst, llvm::AllocaInst>(value);
  }

  static bool isAlwaysUniform(const llvm::Value* value) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(value);
    return call != nullptr && (is_barrier_call(*call) || is_warp_start(*call));
  }

 private:
  bool aligned_;
  const std::set<const llvm::Value*>& joins_;
};

/// True for a stop at which all threads of a unit that have not ended wait for each other.
bool is_for_all(const llvm::CallInst& stop) {
  constexpr unsigned kMask = 1;
  constexpr std::uint64_t kAll = 0xffffffff;
  if (is_barrier_call(stop)) {
    return true;
  }
  const auto* mask = stop.arg_size() <= kMask
                         ? nullptr
                         : llvm::dyn_cast<llvm::ConstantInt>(stop.getArgOperand(kMask));
  return mask != nullptr && mask->getZExtValue() == kAll;
}

bool leads_to_stop(const llvm::BasicBlock& block) {
  for (const llvm::BasicBlock* reached : blocks_before_stops(block)) {
    if (stop_in(*reached) != nullptr) {
      return true;
    }
  }
  return false;
}

}  // namespace

Uniformity::Uniformity(llvm::Function& function, bool aligned) {
  analyses_.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses_.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses_.registerPass([] { return llvm::CycleAnalysis(); });
  analyses_.registerPass([] { return llvm::UniformityInfoAnalysis(); });
  analyses_.registerPass([this, aligned] {
    return llvm::TargetIRAnalysis([this, aligned](const llvm::Function& any) {
      return llvm::TargetTransformInfo(
          ThreadIds(any.getParent()->getDataLayout(), aligned, joins_));
    });
  });
  const llvm::PostDominatorTree behind(function);
  do {
    analyses_.clear();
    uniform_ = &analyses_.getResult<llvm::UniformityInfoAnalysis>(function);
  } while (find_joins(function, behind));
  find_parted_blocks(function, behind);
}

/// LLVM 19 does not find each place where ways of a branch meet: one of two ways that have branches
/// of their own may reach it by two edges. @return Whether there are more than before.
bool Uniformity::find_joins(const llvm::Function& function, const llvm::PostDominatorTree& behind) {
  const std::size_t before = joins_.size();
  for (const llvm::BasicBlock& block : function) {
    if (!uniform_->hasDivergentTerminator(block)) {
      continue;
    }
    const std::vector<const llvm::BasicBlock*> ways(llvm::succ_begin(&block),
                                                    llvm::succ_end(&block));
    const llvm::BasicBlock* end = common_end(ways, behind);
    Blocks by_one;
    Blocks by_more;
    for (const llvm::BasicBlock* way : std::set(ways.begin(), ways.end())) {
      Blocks arm;
      if (end != nullptr) {
        arm.insert(end);
      }
      add_blocks(arm, *way, [&](const auto& reached) { return &reached == end; });
      for (const llvm::BasicBlock* reached : arm) {
        (by_one.insert(reached).second ? by_one : by_more).insert(reached);
      }
    }
    for (const llvm::BasicBlock* join : by_more) {
      for (const llvm::PHINode& phi : join->phis()) {
        if (!phi.hasConstantOrUndefValue() && !uniform_->isDivergent(&phi)) {
          joins_.insert(&phi);
        }
      }
    }
  }
  return joins_.size() != before;
}

void Uniformity::find_parted_blocks(const llvm::Function& function,
                                    const llvm::PostDominatorTree& behind) {
  for (const llvm::BasicBlock& block : function) {
    if (!uniform_->hasDivergentTerminator(block)) {
      continue;
    }
    // Threads that only end keep nobody waiting: the others go on together.
    std::vector<const llvm::BasicBlock*> ways;
    for (const llvm::BasicBlock* next : llvm::successors(&block)) {
      if (leads_to_stop(*next)) {
        ways.push_back(next);
      }
    }
    if (ways.size() < 2) {
      continue;
    }
    const llvm::BasicBlock* meeting = common_end(ways, behind);
    Blocks arms;
    for (const llvm::BasicBlock* way : ways) {
      add_blocks(arms, *way, [&](const auto& block) { return &block == meeting; });
    }
    parted_.insert(arms.begin(), arms.end());
    find_overtaking(arms, meeting);
  }
}

void Uniformity::find_overtaking(const Blocks& arms, const llvm::BasicBlock* meeting) {
  Overtaking found;
  const auto add_stops = [&](const Blocks& blocks) {
    for (const llvm::BasicBlock* block : blocks) {
      const llvm::CallInst* stop = stop_in(*block);
      if (stop != nullptr && !is_for_all(*stop)) {
        found.stops.insert(stop);
      }
    }
  };
  add_stops(arms);
  if (meeting == nullptr || found.stops.empty()) {
    return;
  }
  add_blocks(found.blocks, *meeting, [](const auto& block) {
    const llvm::CallInst* stop = stop_in(block);
    return stop != nullptr && is_for_all(*stop);
  });
  add_stops(found.blocks);
  apart_.insert(found.blocks.begin(), found.blocks.end());
  overtaking_.push_back(std::move(found));
}

bool Uniformity::is_overtaken(const llvm::Instruction& value, const llvm::CallInst& stop) const {
  return std::any_of(overtaking_.begin(), overtaking_.end(), [&](const Overtaking& found) {
    return found.stops.contains(&stop) && found.blocks.contains(value.getParent());
  });
}

bool Uniformity::same_for_unit(const llvm::Value& value) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  return instruction != nullptr && !uniform_->isDivergent(&value) &&
         !parted_.contains(instruction->getParent());
}

}  // namespace ws::clang_engine
