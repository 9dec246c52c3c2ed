#include <map>

#include <llvm/IR/IRBuilder.h>

#include "runtime/compile/clang/bounds_check.h"
#include "runtime/compile/clang/phases/entries.h"
#include "runtime/compile/clang/phases/entry_parts.h"
#include "runtime/compile/clang/phases/exchange.h"
#include "runtime/compile/clang/phases/guards.h"
#include "runtime/compile/clang/phases/records.h"
#include "runtime/compile/clang/phases/thread_loops.h"
#include "runtime/compile/clang/phases/warp_starts.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

class RowsBuilder {
 public:
  RowsBuilder(const std::vector<Phase>& phases, const std::vector<Stop>& stops,
              const Uniformity& uniformity, bool warps, bool checked, const std::string& name)
      : phases_(phases),
        stops_(stops),
        uniformity_(uniformity),
        warps_(warps),
        checked_(checked),
        entry_(new_entry(phases[0], name, 1)),
        builder_(llvm::BasicBlock::Create(entry_->getContext(), "entry", entry_)) {}

  void run() {
    warp_start_ = corner(cpu_abi::kBoxLowOffset)[0];
    llvm::SwitchInst* ways = builder_.CreateSwitch(entry_->getArg(1), make_trap(*entry_));
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      starts_.push_back(llvm::BasicBlock::Create(entry_->getContext(), "phase", entry_));
      ways->addCase(builder_.getInt32(static_cast<std::uint32_t>(i)), starts_[i]);
    }
    leave_ = llvm::BasicBlock::Create(entry_->getContext(), "leave", entry_);
    result_ = llvm::PHINode::Create(builder_.getInt32Ty(), 2, "", leave_);
    for (std::size_t stop = 0; stop < stops_.size(); ++stop) {
      make_way_on(stop);
    }
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      builder_.SetInsertPoint(starts_[i]);
      run_phase(i);
    }
    builder_.SetInsertPoint(leave_);
    builder_.CreateRet(result_);
    for (const auto& [call, phase] : calls_) {
      inline_with_lines(*call, *phase->function);
    }
    replace_warp_starts(*entry_, [&](llvm::IRBuilder<>&, llvm::Value*) { return warp_start_; });
    remove_bounds_checks(*entry_);
  }

 private:
  /// Where all threads that are at a stop go on without the worker, if they can.
  void make_way_on(std::size_t stop) {
    const PhaseStop& what = stops_[stop].what;
    llvm::BasicBlock* behind = starts_[stop + 1];
    if (warps_ && is_exchange_of_all(stops_[stop])) {
      llvm::BasicBlock* exchange =
          llvm::BasicBlock::Create(entry_->getContext(), "exchange", entry_);
      builder_.SetInsertPoint(exchange);
      make_exchange(builder_, stops_[stop], uniformity_);
      builder_.CreateBr(behind);
      ways_on_[stop] = exchange;
    } else if (is_loop_cut(stops_[stop]) ||
               (!warps_ && !what.warp &&
                what.mode == static_cast<std::uint32_t>(cpu_abi::BarrierMode::kPlain))) {
      ways_on_[stop] = behind;
    }
  }

  /// All threads of the unit run the phase, and go on from there.
  void run_phase(std::size_t number_of_phase) {
    const Phase& phase = phases_[number_of_phase];
    const std::vector<llvm::Value*> values =
        load_unit_values(builder_, phase, cpu_abi::kUnitValuesOffset);
    const ThreadLoops::Id low = corner(cpu_abi::kBoxLowOffset);
    if (checked_ && !guard(number_of_phase, low, values)) {
      return;
    }
    llvm::MDNode* group = llvm::MDNode::getDistinct(builder_.getContext(), {});
    put_in_access_group(*phase.function, group);
    ThreadLoops loops;
    ThreadLoops::Id id{};
    llvm::Value* number = nullptr;
    // In 64 bits from the start: no vector of addresses has to be made from one of 32 bits.
    const auto plus = [&](llvm::Value* first, llvm::Value* index) {
      return builder_.CreateNUWAdd(first, builder_.CreateZExt(index, builder_.getInt64Ty()));
    };
    if (warps_) {
      llvm::Value* first = thread_number(builder_, low);
      llvm::Value* one = builder_.getInt32(1);
      id = loops.open(builder_, {builder_.getInt32(0), low[1], low[2]},
                      {builder_.getInt32(kWarpLanes), builder_.CreateNUWAdd(low[1], one),
                       builder_.CreateNUWAdd(low[2], one)});
      number = plus(first, id[0]);
      id[0] = builder_.CreateAdd(low[0], id[0], "", true, true);
    } else {
      id = loops.open(builder_, low, corner(cpu_abi::kBoxHighOffset));
      number = plus(thread_number(builder_, {builder_.getInt32(0), id[1], id[2]}), id[0]);
    }
    llvm::CallInst* next = call_phase(builder_, phase, id, number, /*alone=*/false, values);
    calls_.emplace_back(next, &phase);
    // Unrolled code takes longer to compile than it saves, and a loop of 32 threads would be
    // unrolled as one of known length before it is made of vectors.
    if (phase.same_way) {
      loops.close(builder_, group, ThreadLoops::Unroll::kNever);
      go_on(next);
      return;
    }
    llvm::Value* all = loops.fold(builder_, llvm::Instruction::And, next);
    llvm::Value* any = loops.fold(builder_, llvm::Instruction::Or, next);
    loops.close(builder_, group, ThreadLoops::Unroll::kNever);
    llvm::BasicBlock* together = llvm::BasicBlock::Create(entry_->getContext(), "together", entry_);
    result_->addIncoming(builder_.getInt32(cpu_abi::kPhaseMixed), builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpEQ(all, any), together, leave_);
    builder_.SetInsertPoint(together);
    go_on(all);
  }

  /// Leaves where a check of the phase may fail: the worker runs its threads one by one then.
  /// @return  False: it always may.
  bool guard(std::size_t number, const ThreadLoops::Id& low,
             const std::vector<llvm::Value*>& values) {
    const ThreadLoops::Id last = last_ids(low);
    UnitRanges unit{.id = {}, .number = {}, .of_unit = values};
    const auto wide = [&](llvm::Value* value) {
      return builder_.CreateZExt(value, builder_.getInt64Ty());
    };
    for (std::size_t axis = 0; axis < low.size(); ++axis) {
      unit.id.at(axis) = {wide(low.at(axis)), wide(last.at(axis)), false, kIdSize};
    }
    unit.number = {thread_number(builder_, low), thread_number(builder_, last), false, kIdSize};
    llvm::Value* const fine = make_guard(builder_, phases_[number], std::move(unit));
    llvm::Value* const alone =
        builder_.getInt32(cpu_abi::kPhaseAlone | static_cast<std::uint32_t>(number));
    result_->addIncoming(alone, builder_.GetInsertBlock());
    if (fine == nullptr) {
      builder_.CreateBr(leave_);
      return false;
    }
    llvm::BasicBlock* run = llvm::BasicBlock::Create(entry_->getContext(), "run", entry_);
    builder_.CreateCondBr(fine, run, leave_);
    builder_.SetInsertPoint(run);
    return true;
  }

  ThreadLoops::Id last_ids(const ThreadLoops::Id& low) {
    if (warps_) {
      llvm::Value* last = builder_.CreateAdd(low[0], builder_.getInt32(kWarpLanes - 1));
      return {last, low[1], low[2]};
    }
    ThreadLoops::Id last = corner(cpu_abi::kBoxHighOffset);
    for (llvm::Value*& id : last) {
      id = builder_.CreateSub(id, builder_.getInt32(1));
    }
    return last;
  }

  /// All threads of the unit go on at `next`.
  void go_on(llvm::Value* next) {
    result_->addIncoming(next, builder_.GetInsertBlock());
    llvm::SwitchInst* then = builder_.CreateSwitch(next, leave_);
    for (const auto& [stop, way] : ways_on_) {
      then->addCase(builder_.getInt32(static_cast<std::uint32_t>(stop) + 1), way);
    }
  }

  /// The three fields of the Block from `offset` on.
  ThreadLoops::Id corner(unsigned offset) {
    ThreadLoops::Id values{};
    for (unsigned axis = 0; axis < 3; ++axis) {
      values.at(axis) = block_field(builder_, offset + 4 * axis, builder_.getInt32Ty());
    }
    return values;
  }

  const std::vector<Phase>& phases_;
  const std::vector<Stop>& stops_;
  const Uniformity& uniformity_;
  const bool warps_;
  const bool checked_;
  llvm::Function* entry_;
  llvm::IRBuilder<> builder_;
  std::vector<llvm::BasicBlock*> starts_;             ///< By phase.
  std::map<std::size_t, llvm::BasicBlock*> ways_on_;  ///< By stop.
  std::vector<std::pair<llvm::CallInst*, const Phase*>> calls_;
  llvm::Value* warp_start_ = nullptr;  ///< The x of the unit's first thread.
  llvm::BasicBlock* leave_ = nullptr;
  llvm::PHINode* result_ = nullptr;
};

}  // namespace

void make_rows_function(const std::vector<Phase>& phases, const std::vector<Stop>& stops,
                        const Uniformity& uniformity, bool warps, bool checked,
                        const std::string& name) {
  RowsBuilder(phases, stops, uniformity, warps, checked, name).run();
}

}  // namespace ws::clang_engine
