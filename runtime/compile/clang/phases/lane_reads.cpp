#include "runtime/compile/clang/phases/lane_reads.h"

#include <algorithm>
#include <set>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "runtime/compile/clang/phases/crossed_arms.h"
#include "runtime/compile/clang/phases/exchange.h"
#include "runtime/compile/clang/phases/records.h"
#include "runtime/compile/clang/phases/warp_starts.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

// A dot: no function of a source can have such a name.
constexpr const char* kLaneRead = "ws.lane_read";
// The arguments of ws_rt_warp.
constexpr unsigned kGivenArgument = 2;
constexpr unsigned kFromArgument = 3;
constexpr unsigned kNarrowBits = 32;
/// The most instructions that are moved for one value.
constexpr std::size_t kMostMoved = 32;

bool is_lane_read(const llvm::Value& value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName().starts_with(kLaneRead);
}

/// T lane_read(T value, i32 lane), which reads memory: its result differs from lane to lane.
llvm::Function* lane_read(llvm::Module& module, llvm::Type* type) {
  const std::string name =
      std::string(kLaneRead) + "." + std::to_string(type->getIntegerBitWidth());
  llvm::Type* lane = llvm::Type::getInt32Ty(module.getContext());
  auto* function =
      llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type, type, lane).getCallee());
  function->setOnlyReadsMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return function;
}

/// The value that the lanes of `stop` give, if it is a shuffle of all lanes by number; else null.
llvm::Instruction* given_by_number(const Stop& stop) {
  if (!stop.what.warp || !is_exchange_of_all(stop) ||
      stop.what.mode != static_cast<std::uint32_t>(cpu_abi::WarpMode::kShfl)) {
    return nullptr;
  }
  llvm::Value* given = stop.call->getArgOperand(kGivenArgument);
  if (auto* wide = llvm::dyn_cast<llvm::ZExtInst>(given);
      wide != nullptr && wide->getSrcTy()->isIntegerTy(kNarrowBits)) {
    given = wide->getOperand(0);
  }
  return llvm::dyn_cast<llvm::Instruction>(given);
}

/// Stops behind which a thread goes on only when all others of its warp have come to them. One that
/// may become a read is none until it is known to stay.
class Meetings {
 public:
  Meetings(llvm::Function& function, const std::vector<Stop>& stops, Uniformity& uniformity,
           llvm::FunctionAnalysisManager& analyses)
      : dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        behind_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)),
        arms_(function, stops, uniformity, behind_),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)) {
    for (const Stop& stop : stops) {
      if (given_by_number(stop) == nullptr) {
        add(stop);
      }
    }
  }

  void add(const Stop& stop) {
    if (stop.what.warp ? is_exchange_of_all(stop) : !is_loop_cut(stop)) {
      all_.insert(stop.call->getParent());
    }
    if (stop.what.warp && is_exchange_of_all(stop)) {
      of_warps_.push_back(stop.call->getParent());
    }
  }

  /// A meeting over which all lanes that come to `shuffle` have kept `value`; they meet again
  /// before they compute it anew. Moves the computation before a meeting where that makes it so.
  /// @return  Null: there is none.
  [[nodiscard]] const llvm::BasicBlock* keep(llvm::Instruction& value,
                                             const llvm::BasicBlock& shuffle) const {
    if (arms_.contains(shuffle)) {
      return nullptr;
    }
    const auto found =
        std::find_if(of_warps_.begin(), of_warps_.end(), [&](llvm::BasicBlock* meeting) {
          return lead_to(*meeting, shuffle) && keep_from(value, *meeting, shuffle);
        });
    return found == of_warps_.end() ? nullptr : *found;
  }

 private:
  using Blocks = std::set<const llvm::BasicBlock*>;

  /// Whether all lanes that pass `meeting` come to `shuffle` before they end or meet again, and no
  /// others do.
  [[nodiscard]] bool lead_to(const llvm::BasicBlock& meeting,
                             const llvm::BasicBlock& shuffle) const {
    Blocks before_shuffle = all_;
    before_shuffle.insert(&shuffle);
    return !arms_.contains(meeting) && dominators_.dominates(&meeting, &shuffle) &&
           behind_.dominates(&shuffle, &meeting) && as_often(meeting, shuffle) &&
           std::none_of(all_.begin(), all_.end(), [&](const llvm::BasicBlock* next) {
             return reaches(meeting, *next, before_shuffle);
           });
  }

  [[nodiscard]] bool keep_from(llvm::Instruction& value, llvm::BasicBlock& meeting,
                               const llvm::BasicBlock& shuffle) const {
    llvm::BasicBlock& made = *value.getParent();
    if (&made != &meeting && dominators_.dominates(&made, &meeting)) {
      return keep_over(made, meeting, shuffle);
    }
    llvm::BasicBlock& before = *meeting.getSinglePredecessor();
    std::vector<llvm::Instruction*> parts;
    if (!is_known_at(value, before, parts) || !keep_over(before, meeting, shuffle)) {
      return false;
    }
    for (llvm::Instruction* part : parts) {
      part->moveBefore(before.getTerminator());
    }
    return true;
  }

  /// The same for a value that is computed in block `made`.
  [[nodiscard]] bool keep_over(const llvm::BasicBlock& made, const llvm::BasicBlock& meeting,
                               const llvm::BasicBlock& shuffle) const {
    return !reaches(made, shuffle, {&meeting}) && !reaches(meeting, made, all_) &&
           !reaches(shuffle, made, all_);
  }

  /// Whether `value` follows from what is known at the end of `block`.
  /// @param parts  Gets the instructions behind it that have to be moved, operands first.
  [[nodiscard]] bool is_known_at(llvm::Instruction& value, const llvm::BasicBlock& block,
                                 std::vector<llvm::Instruction*>& parts) const {
    if (dominators_.dominates(&value, block.getTerminator()) ||
        std::find(parts.begin(), parts.end(), &value) != parts.end()) {
      return true;
    }
    // It was found that lanes keep what they read already where it is made now.
    if (llvm::isa<llvm::PHINode>(value) || value.mayReadOrWriteMemory() ||
        !llvm::isSafeToSpeculativelyExecute(&value) || is_read_by_lanes(value) ||
        parts.size() >= kMostMoved) {
      return false;
    }
    for (llvm::Value* operand : value.operands()) {
      auto* part = llvm::dyn_cast<llvm::Instruction>(operand);
      if (part != nullptr && !is_known_at(*part, block, parts)) {
        return false;
      }
    }
    parts.push_back(&value);
    return true;
  }

  /// Whether all lanes that come to `meeting` come to `shuffle` behind it equally often.
  [[nodiscard]] bool as_often(const llvm::BasicBlock& meeting,
                              const llvm::BasicBlock& shuffle) const {
    const llvm::Loop* const common = loops_.getLoopFor(&meeting);
    const llvm::Loop* loop = loops_.getLoopFor(&shuffle);
    while (loop != nullptr && loop != common) {
      const llvm::BasicBlock* const end = loop->getLoopLatch();
      if (end == nullptr || !dominators_.dominates(&shuffle, end) ||
          evolution_.getSmallConstantTripCount(loop) == 0) {
        return false;
      }
      loop = loop->getParentLoop();
    }
    return loop == common;
  }

  /// Whether a thread that leaves `from` can come to `to` without passing one of `over`.
  static bool reaches(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                      const Blocks& over) {
    Blocks seen;
    std::vector<const llvm::BasicBlock*> open(llvm::succ_begin(&from), llvm::succ_end(&from));
    while (!open.empty()) {
      const llvm::BasicBlock* block = open.back();
      open.pop_back();
      if (block == &to) {
        return true;
      }
      if (!over.contains(block) && seen.insert(block).second) {
        open.insert(open.end(), llvm::succ_begin(block), llvm::succ_end(block));
      }
    }
    return false;
  }

  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& behind_;
  const CrossedArms arms_;
  const llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  Blocks all_;
  std::vector<llvm::BasicBlock*> of_warps_;
};

}  // namespace

bool make_lane_reads(llvm::Function& function, std::vector<Stop>& stops, Uniformity& uniformity,
                     llvm::FunctionAnalysisManager& analyses) {
  if (std::none_of(stops.begin(), stops.end(),
                   [](const Stop& stop) { return given_by_number(stop) != nullptr; })) {
    return false;
  }
  Meetings meetings(function, stops, uniformity, analyses);
  std::set<const llvm::BasicBlock*> used;
  std::erase_if(stops, [&](const Stop& stop) {
    llvm::Instruction* value = given_by_number(stop);
    if (value == nullptr) {
      return false;
    }
    const llvm::BasicBlock* meeting = meetings.keep(*value, *stop.call->getParent());
    if (meeting == nullptr) {
      meetings.add(stop);
      return false;
    }
    used.insert(meeting);
    llvm::IRBuilder<> builder(stop.call);
    llvm::Value* read = builder.CreateCall(lane_read(*function.getParent(), value->getType()),
                                           {value, stop.call->getArgOperand(kFromArgument)});
    stop.call->replaceAllUsesWith(builder.CreateZExt(read, stop.call->getType()));
    stop.call->eraseFromParent();
    return true;
  });
  for (Stop& stop : stops) {
    stop.read_behind = used.contains(stop.call->getParent());
  }
  return !used.empty();
}

bool is_read_by_lanes(const llvm::Value& value) {
  return std::any_of(value.user_begin(), value.user_end(), [&](const llvm::User* user) {
    return is_lane_read(*user) && user->getOperand(0) == &value;
  });
}

std::vector<llvm::CallInst*> lane_reads(llvm::Function& function) {
  std::vector<llvm::CallInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_lane_read(instruction)) {
      found.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
  }
  return found;
}

llvm::Value* source_of_read(llvm::IRBuilder<>& builder, const llvm::CallInst& read,
                            llvm::Value* number) {
  llvm::Value* first = builder.CreateAnd(number, ~std::uint64_t{kWarpLanes - 1});
  llvm::Value* lane = builder.CreateAnd(read.getArgOperand(1), kWarpLanes - 1);
  return builder.CreateOr(first, builder.CreateZExt(lane, number->getType()));
}

llvm::Value* threads_of_block(llvm::IRBuilder<>& builder) {
  llvm::Value* threads = builder.getInt64(1);
  for (unsigned axis = 0; axis < 3; ++axis) {
    llvm::Value* size =
        block_field(builder, cpu_abi::kBlockDimOffset + 4 * axis, builder.getInt32Ty());
    threads = builder.CreateMul(threads, builder.CreateZExt(size, builder.getInt64Ty()));
  }
  return threads;
}

}  // namespace ws::clang_engine
