#include "runtime/compile/clang/phases/arrival.h"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "runtime/compile/clang/phases/exchange.h"
#include "runtime/compile/clang/phases/records.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

class OperandStore {
 public:
  OperandStore(const Stop& stop, llvm::CallInst& call, const ThreadPlace& place)
      : stop_(stop),
        call_(call),
        place_(place),
        builder_(&call) {}

  void barrier(cpu_abi::BarrierMode mode) {
    if (mode != cpu_abi::BarrierMode::kPlain && mode != cpu_abi::BarrierMode::kCut) {
      note(cpu_abi::kPhaseValue,
           builder_.CreateZExt(call_.getArgOperand(1), builder_.getInt64Ty()));
    }
  }

  /// @param exchange  Where all threads of a warp are at the stop, its code knows the constants.
  void warp_operation(bool exchange) {
    const bool narrow = narrow_operand(stop_) != nullptr;
    const bool lane_for_alone = is_lane_known() || (exchange && stop_.lane_at);
    if (!lane_for_alone) {
      note(cpu_abi::kPhaseLane, call_.getArgOperand(kLane));
    }
    if (narrow && !exchange) {
      note_narrow();
    }
    if (exchange) {
      llvm::Instruction* alone = nullptr;
      llvm::Instruction* together = nullptr;
      llvm::SplitBlockAndInsertIfThenElse(place_.alone, &call_, &alone, &together);
      builder_.SetInsertPoint(together);
      if (narrow) {
        note_narrow();
      } else {
        note(cpu_abi::kPhaseValue, call_.getArgOperand(kValue));
      }
      builder_.SetInsertPoint(alone);
    }
    note(cpu_abi::kPhaseValue, call_.getArgOperand(kValue));
    note(cpu_abi::kPhaseMask, call_.getArgOperand(kMask));
    note(cpu_abi::kPhaseWidth, call_.getArgOperand(kWidth));
    if (lane_for_alone) {
      note(cpu_abi::kPhaseLane, call_.getArgOperand(kLane));
    }
  }

 private:
  // The arguments of ws_rt_warp.
  static constexpr unsigned kMask = 1;
  static constexpr unsigned kValue = 2;
  static constexpr unsigned kLane = 3;
  static constexpr unsigned kWidth = 4;

  [[nodiscard]] bool is_lane_known() const {
    return llvm::isa<llvm::Constant>(call_.getArgOperand(kLane));
  }

  /// The bits come from the operand of the call: what that was made of may not be known in the
  /// phase.
  void note_narrow() {
    if (stop_.narrow_at == cpu_abi::kPhaseNarrowValue) {
      note(cpu_abi::kPhaseNarrowValue,
           builder_.CreateTrunc(call_.getArgOperand(kValue), builder_.getInt32Ty()));
    }
  }

  void note(unsigned field, llvm::Value* value) {
    const unsigned bytes = value->getType()->getIntegerBitWidth() / 8;
    builder_.CreateStore(value, thread_slot(builder_, place_.number, field, bytes));
  }

  const Stop& stop_;
  llvm::CallInst& call_;
  const ThreadPlace& place_;
  llvm::IRBuilder<> builder_;
};

}  // namespace

void store_operands(const Stop& stop, llvm::CallInst& call, const ThreadPlace& place) {
  OperandStore store(stop, call, place);
  if (stop.what.warp) {
    store.warp_operation(place.same_way && is_exchange_of_all(stop));
  } else {
    store.barrier(static_cast<cpu_abi::BarrierMode>(stop.what.mode));
  }
}

llvm::Value* load_result(llvm::IRBuilder<>& builder, const Stop& stop, const ThreadPlace& place) {
  llvm::Value* result = builder.CreateLoad(
      builder.getInt64Ty(), thread_slot(builder, place.number, cpu_abi::kPhaseResult, 8));
  if (narrow_operand(stop) != nullptr) {
    llvm::Value* narrow = builder.CreateLoad(
        builder.getInt32Ty(), thread_slot(builder, place.number, cpu_abi::kPhaseNarrowResult, 4));
    result =
        builder.CreateSelect(place.alone, result, builder.CreateZExt(narrow, builder.getInt64Ty()));
  }
  return builder.CreateTrunc(result, stop.call->getType());
}

}  // namespace ws::clang_engine
