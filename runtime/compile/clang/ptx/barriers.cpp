// Barriers of a block: of all of its threads, and of as many as the instruction says.
#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine::ptx {
namespace {

using cpu_abi::BarrierMode;

constexpr std::uint64_t kWarpThreads = 32;

llvm::Value* word(Step& step, BarrierMode mode) {
  return step.b.getInt32(static_cast<std::uint32_t>(mode));
}

/// Refuses numbers that no device takes, where the text says them.
void check_numbers(Step& step, llvm::Value* number, llvm::Value* threads) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(number);
  if (known != nullptr && known->getZExtValue() >= cpu_abi::kPtxBarriers) {
    step.machine.complain("a block has barriers 0 to 15, not " +
                          std::to_string(known->getZExtValue()));
  }
  const auto* count = llvm::dyn_cast<llvm::ConstantInt>(threads);
  if (count != nullptr && count->getZExtValue() % kWarpThreads != 0) {
    step.machine.complain("a number of threads must be a multiple of 32, not " +
                          std::to_string(count->getZExtValue()));
  }
}

/// Barrier 0 of all threads is that of __syncthreads(), which phases know.
bool is_plain(llvm::Value* number, llvm::Value* threads) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(number);
  return threads == nullptr && known != nullptr && known->isZero();
}

/// Arrives at a barrier with a number. @param threads  Null: all of the block. @param flags  A word
/// of cpu_abi::kBarrier...
/// @return Its phase.
llvm::Value* arrive_at(Step& step, llvm::Value* number, llvm::Value* threads, llvm::Value* flags) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* all = b.getInt32(0);
  check_numbers(step, number, threads == nullptr ? all : threads);
  return step.machine.call("ws_rt_barrier_arrive", b.getInt32Ty(),
                           {number, threads == nullptr ? all : threads, flags, b.getInt32(0)});
}

/// @return So many predicates were true.
llvm::Value* arrive_and_wait(Step& step, llvm::Value* number, llvm::Value* threads,
                             llvm::Value* predicate) {
  llvm::Value* phase = arrive_at(step, number, threads, predicate);
  return step.machine.call("ws_rt_barrier_wait", step.b.getInt32Ty(),
                           {number, phase, step.b.getInt32(0)});
}

/// The second operand, where the instruction has one.
llvm::Value* threads_of(Step& step, std::size_t at, bool there) {
  return there ? step.in(at, Type::kB32) : nullptr;
}

llvm::Value* plain_barrier(Step& step, BarrierMode mode, llvm::Value* predicate) {
  return step.machine.call("ws_rt_barrier", step.b.getInt32Ty(),
                           {word(step, mode), predicate, step.b.getInt32(0)});
}

}  // namespace

void emit_bar(Step& step) {
  if (step.has(Modifier::kWarp)) {
    return emit_warp_barrier(step);
  }
  llvm::Value* number = step.in(0, Type::kB32);
  llvm::Value* threads = threads_of(step, 1, step.operands() > 1);
  if (is_plain(number, threads)) {
    plain_barrier(step, BarrierMode::kPlain, step.b.getInt32(0));
  } else {
    arrive_and_wait(step, number, threads, step.b.getInt32(0));
  }
}

/// `bar.red.and.pred p, 0, q;` or `bar.red.and.pred p, 1, 64, q;`
void emit_bar_red(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  const bool some = step.operands() == 4;
  llvm::Value* number = step.in(1, Type::kB32);
  llvm::Value* threads = threads_of(step, 2, some);
  llvm::Value* predicate = step.in(some ? 3 : 2, Type::kPred);
  const bool all_of = step.has(Modifier::kAnd);
  llvm::Value* result = nullptr;
  if (is_plain(number, threads)) {
    const BarrierMode mode = step.has(Modifier::kPopc) ? BarrierMode::kCount
                             : all_of                  ? BarrierMode::kAnd
                                                       : BarrierMode::kOr;
    result = plain_barrier(step, mode, b.CreateZExt(predicate, b.getInt32Ty()));
  } else {
    // All are true where none is false.
    predicate = all_of ? b.CreateNot(predicate) : predicate;
    result = arrive_and_wait(step, number, threads, b.CreateZExt(predicate, b.getInt32Ty()));
    result = all_of ? b.CreateZExt(b.CreateICmpEQ(result, b.getInt32(0)), b.getInt32Ty()) : result;
  }
  step.out(step.type() == Type::kPred ? b.CreateICmpNE(result, b.getInt32(0)) : result);
}

void emit_bar_arrive(Step& step) {
  arrive_at(step, step.in(0, Type::kB32), step.in(1, Type::kB32),
            step.b.getInt32(cpu_abi::kBarrierNoWait));
}

}  // namespace ws::clang_engine::ptx
