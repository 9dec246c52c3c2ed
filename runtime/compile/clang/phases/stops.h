// The stops of a kernel: barriers and warp operations, at which its threads wait for each other.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "runtime/compile/compile.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {

struct Stop {
  llvm::CallInst* call = nullptr;     ///< In a block of its own.
  llvm::BasicBlock* after = nullptr;  ///< Where its threads go on; its only way in is the stop.
  PhaseStop what;
  /// A cut in a loop that threads of a unit may leave at different times, or reach at such: one
  /// that runs alone goes on to its next round by itself.
  bool alone = false;
  /// Behind it lanes read what others have kept (lane_reads.h).
  bool read_behind = false;
  /// Behind an exchange between all lanes of a warp all of them go on together, in any case: no
  /// guard may send them on one by one.
  bool stay_together = false;
  /// Where the 32 bits are that each lane gives to an exchange: in a field of its record, or in the
  /// slot of a value that it carries over the stop anyway.
  std::uint64_t narrow_at = cpu_abi::kPhaseNarrowValue;
  /// The unit's slot that has the lane operand, where all lanes have the same and carry it over the
  /// stop anyway.
  std::optional<std::uint64_t> lane_at;
};

/// The function that a cut in a loop calls (loop_cuts.h). A dot: no source can have such a name.
inline constexpr const char* kLoopCut = "ws.loop_cut";

bool is_loop_cut(const Stop& stop);

/// True for barriers, warp operations and cuts in loops.
bool is_stop(const llvm::Instruction& instruction);

/// Gives each stop of `function` a block of its own. A function that must keep a stack while it
/// waits, or waits in another way than at barriers and warp operations, has no such stops.
/// @return  Nothing where the function cannot be cut; never an empty list.
std::optional<std::vector<Stop>> separate_stops(llvm::Function& function);

/// The blocks that can be reached from `from` without going on behind a stop.
std::set<const llvm::BasicBlock*> blocks_before_stops(const llvm::BasicBlock& from);

/// Adds the blocks that can be reached from `from`, but by none for which is_end(block).
void add_blocks(std::set<const llvm::BasicBlock*>& found, const llvm::BasicBlock& from,
                llvm::function_ref<bool(const llvm::BasicBlock&)> is_end);

/// The first block that all of `ways` come to, unless they end before; null where there is none.
const llvm::BasicBlock* common_end(const std::vector<const llvm::BasicBlock*>& ways,
                                   const llvm::PostDominatorTree& behind);

/// The stop at which `block` ends, if it does.
const llvm::CallInst* stop_in(const llvm::BasicBlock& block);

}  // namespace ws::clang_engine
