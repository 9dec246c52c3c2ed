// mbarriers: words of shared memory that count arrivals, and bytes that somebody else copies. A
// word holds, from its lowest bit on, the arrivals that its phase still waits for, those of each
// phase, the bytes that are missing, and the parity of its phase.
#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/compile/clang/ptx/memory.h"

namespace ws::clang_engine::ptx {
namespace {

constexpr std::uint64_t kCountBits = 20;
constexpr std::uint64_t kCountMask = (std::uint64_t{1} << kCountBits) - 1;
constexpr std::uint64_t kBytesAt = 2 * kCountBits;
constexpr std::uint64_t kBytesMask = (std::uint64_t{1} << 23U) - 1;
/// The field's value where no bytes are missing. It may be less for a while.
constexpr std::uint64_t kNoBytes = std::uint64_t{1} << 21U;
constexpr std::uint64_t kPhase = std::uint64_t{1} << 63U;

using Update = llvm::AtomicRMWInst::BinOp;

llvm::Value* update(Step& step, llvm::Value* word, Update how, llvm::Value* value) {
  return step.b.CreateAtomicRMW(how, word, value, llvm::Align(8),
                                llvm::AtomicOrdering::SequentiallyConsistent);
}

void fence(Step& step) {
  step.b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
}

llvm::Value* field(Step& step, llvm::Value* state, std::uint64_t at, std::uint64_t mask) {
  return step.b.CreateAnd(step.b.CreateLShr(state, at), mask);
}

/// Begins the next phase where this one, whose state is given, waits for nothing any more.
void end_phase(Step& step, llvm::Value* word, llvm::Value* state) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* no_arrivals = b.CreateICmpEQ(field(step, state, 0, kCountMask), b.getInt64(0));
  llvm::Value* no_bytes =
      b.CreateICmpEQ(field(step, state, kBytesAt, kBytesMask), b.getInt64(kNoBytes));
  step.machine.when(b.CreateAnd(no_arrivals, no_bytes), [&] {
    llvm::Value* again = field(step, state, kCountBits, kCountMask);
    update(step, word, Update::Add, b.CreateAdd(again, b.getInt64(kPhase)));
  });
}

/// @param each  What one arrival takes from the word. @return The state before.
llvm::Value* arrive(Step& step, llvm::Value* word, llvm::Value* arrivals, std::uint64_t each) {
  llvm::IRBuilder<>& b = step.b;
  fence(step);
  llvm::Value* taken = b.CreateMul(arrivals, b.getInt64(each));
  llvm::Value* before = update(step, word, Update::Sub, taken);
  end_phase(step, word, b.CreateSub(before, taken));
  return before;
}

void change_bytes(Step& step, llvm::Value* word, llvm::Value* bytes, Update how) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* change = b.CreateShl(bytes, kBytesAt);
  llvm::Value* before = update(step, word, how, change);
  if (how == Update::Sub) {
    end_phase(step, word, b.CreateSub(before, change));
  }
}

llvm::Value* word_at(Step& step, std::size_t index) {
  return step.machine.pointer(step.operand(index), space_of(step));
}

llvm::Value* number(Step& step, std::size_t index) {
  return step.b.CreateZExt(step.in(index, Type::kB32), step.b.getInt64Ty());
}

/// One, where the instruction does not say how many.
llvm::Value* arrivals_of(Step& step) {
  return step.operands() > 2 ? number(step, 2) : step.b.getInt64(1);
}

}  // namespace

void emit_mbarrier_init(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* count = number(step, 1);
  llvm::Value* state = b.CreateOr(b.CreateOr(count, b.CreateShl(count, kCountBits)),
                                  b.getInt64(kNoBytes << kBytesAt));
  b.CreateAlignedStore(state, word_at(step, 0), llvm::Align(8));
}

void emit_mbarrier_arrive(Step& step) {
  step.machine.write(step.operand(0), arrive(step, word_at(step, 1), arrivals_of(step), 1));
}

void emit_mbarrier_drop(Step& step) {
  constexpr std::uint64_t kNowAndLater = 1 + (std::uint64_t{1} << kCountBits);
  step.machine.write(step.operand(0),
                     arrive(step, word_at(step, 1), arrivals_of(step), kNowAndLater));
}

void emit_mbarrier_expect(Step& step) {
  change_bytes(step, word_at(step, 0), number(step, 1), Update::Add);
}

void emit_mbarrier_complete(Step& step) {
  change_bytes(step, word_at(step, 0), number(step, 1), Update::Sub);
}

void emit_mbarrier_arrive_expect(Step& step) {
  llvm::Value* word = word_at(step, 1);
  change_bytes(step, word, number(step, 2), Update::Add);
  step.machine.write(step.operand(0), arrive(step, word, step.b.getInt64(1), 1));
}

void emit_mbarrier_wait(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  llvm::LoadInst* state = b.CreateAlignedLoad(b.getInt64Ty(), word_at(step, 1), llvm::Align(8));
  state->setAtomic(llvm::AtomicOrdering::Acquire);
  llvm::Value* waited = step.has(Modifier::kParity) ? b.CreateShl(number(step, 2), 63)
                                                    : b.CreateAnd(step.in(2, Type::kB64), kPhase);
  llvm::Value* over = b.CreateICmpNE(b.CreateAnd(state, kPhase), waited);
  fence(step);
  step.machine.write(step.operand(0), over);
}

void emit_mbarrier_pending(Step& step) {
  llvm::Value* count = field(step, step.in(1, Type::kB64), 0, kCountMask);
  step.machine.write(step.operand(0), step.b.CreateTrunc(count, step.b.getInt32Ty()));
}

void emit_cp_async_arrive(Step& step) {
  if (step.has(Modifier::kNoinc)) {
    arrive(step, word_at(step, 0), step.b.getInt64(1), 1);
  }
  // Without `.noinc` the instruction first expects the arrival that it makes: nothing changes.
}

}  // namespace ws::clang_engine::ptx
