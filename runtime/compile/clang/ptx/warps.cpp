// Instructions of a warp: they call the functions that stand behind CUDA's own names.
#include "runtime/compile/clang/ptx/emit.h"
#include "runtime/compile/clang/ptx/special.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine::ptx {
namespace {

using cpu_abi::WarpMode;

constexpr unsigned kAllLanes = 32;

bool names_one_of(Step& step, Modifiers modifiers) {
  const bool does = step.modifiers().has_any(modifiers);
  if (!does) {
    step.machine.complain(expected_one_of(modifiers));
  }
  return does;
}

/// The result has 64 bits.
llvm::Value* warp_call(Step& step, WarpMode mode, llvm::Value* mask, llvm::Value* value,
                       llvm::Value* lane, llvm::Value* width) {
  llvm::IRBuilder<>& b = step.b;
  return step.machine.call("ws_rt_warp", b.getInt64Ty(),
                           {b.getInt32(static_cast<std::uint32_t>(mode)), mask,
                            b.CreateZExt(value, b.getInt64Ty()), lane, width, b.getInt32(0)});
}

llvm::Value* warp_call(Step& step, WarpMode mode, llvm::Value* mask, llvm::Value* value) {
  return warp_call(step, mode, mask, value, step.b.getInt32(0), step.b.getInt32(kAllLanes));
}

llvm::Value* low_word(Step& step, llvm::Value* value) {
  return step.b.CreateTrunc(value, step.b.getInt32Ty());
}

/// The lane that a shuffle reads, by PTX's own rule, and whether it may.
struct Source {
  llvm::Value* lane = nullptr;
  llvm::Value* within = nullptr;
};

Source source_of_shuffle(Step& step) {
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* self = lane_of_thread(step.machine);
  llvm::Value* operand = b.CreateAnd(step.in(2, Type::kB32), kAllLanes - 1);
  llvm::Value* control = step.in(3, Type::kB32);
  llvm::Value* clamp = b.CreateAnd(control, kAllLanes - 1);
  llvm::Value* segment = b.CreateAnd(b.CreateLShr(control, 8), kAllLanes - 1);
  llvm::Value* least = b.CreateAnd(self, segment);
  llvm::Value* most = b.CreateOr(least, b.CreateAnd(clamp, b.CreateNot(segment)));
  if (step.has(Modifier::kUp)) {
    llvm::Value* lane = b.CreateSub(self, operand);
    return {lane, b.CreateICmpSGE(lane, most)};
  }
  llvm::Value* lane = step.has(Modifier::kDown) ? b.CreateAdd(self, operand)
                      : step.has(Modifier::kBfly)
                          ? b.CreateXor(self, operand)
                          : b.CreateOr(least, b.CreateAnd(operand, b.CreateNot(segment)));
  return {lane, b.CreateICmpSLE(lane, most)};
}

/// The CUDA function's mode and width where the control word is that of one: it needs no lanes
/// that are computed.
struct PlainShuffle {
  WarpMode mode;
  unsigned width;
};

std::optional<PlainShuffle> plain_shuffle(Step& step) {
  const auto* control = llvm::dyn_cast<llvm::ConstantInt>(step.in(3, Type::kB32));
  const unsigned clamp = step.has(Modifier::kUp) ? 0 : kAllLanes - 1;
  if (control == nullptr || (control->getZExtValue() & (kAllLanes - 1)) != clamp) {
    return std::nullopt;
  }
  const auto segment = static_cast<unsigned>(control->getZExtValue() >> 8U & (kAllLanes - 1));
  const unsigned width = kAllLanes - segment;
  if ((width & (width - 1)) != 0) {
    return std::nullopt;
  }
  return PlainShuffle{step.has(Modifier::kUp)     ? WarpMode::kShflUp
                      : step.has(Modifier::kDown) ? WarpMode::kShflDown
                      : step.has(Modifier::kBfly) ? WarpMode::kShflXor
                                                  : WarpMode::kShfl,
                      width};
}

struct ReductionRow {
  Modifier modifier;
  WarpMode of_unsigned;
  WarpMode of_signed;
};

constexpr ReductionRow kReductionRows[] = {
    {Modifier::kAdd, WarpMode::kAdd, WarpMode::kAdd},
    {Modifier::kMin, WarpMode::kMinU, WarpMode::kMinS},
    {Modifier::kMax, WarpMode::kMaxU, WarpMode::kMaxS},
    {Modifier::kAnd, WarpMode::kAnd, WarpMode::kAnd},
    {Modifier::kOr, WarpMode::kOr, WarpMode::kOr},
    {Modifier::kXor, WarpMode::kXor, WarpMode::kXor},
};

}  // namespace

void emit_warp_barrier(Step& step) {
  warp_call(step, WarpMode::kSync, step.in(0, Type::kB32), step.b.getInt32(0));
}

void emit_shfl(Step& step) {
  if (!names_one_of(step, {Modifier::kIdx, Modifier::kUp, Modifier::kDown, Modifier::kBfly})) {
    return;
  }
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* value = step.in(1);
  llvm::Value* mask = step.in(4, Type::kB32);
  const auto plain = plain_shuffle(step);
  std::optional<Source> source;
  if (!plain || step.text().second) {
    source = source_of_shuffle(step);
  }
  llvm::Value* result = nullptr;
  if (plain) {
    llvm::Value* operand = b.CreateAnd(step.in(2, Type::kB32), kAllLanes - 1);
    result = warp_call(step, plain->mode, mask, value, operand, b.getInt32(plain->width));
  } else {
    llvm::Value* lane = b.CreateSelect(source->within, source->lane, lane_of_thread(step.machine));
    result = warp_call(step, WarpMode::kShfl, mask, value, lane, b.getInt32(kAllLanes));
  }
  if (step.text().second) {
    step.machine.write(*step.text().second, source->within);
  }
  step.out(low_word(step, result));
}

void emit_vote(Step& step) {
  if (!names_one_of(step, {Modifier::kAll, Modifier::kAny, Modifier::kUni, Modifier::kBallot})) {
    return;
  }
  llvm::IRBuilder<>& b = step.b;
  llvm::Value* predicate = step.in(1, Type::kPred);
  llvm::Value* mask = step.in(2, Type::kB32);
  const auto vote = [&](WarpMode mode, llvm::Value* value) {
    return warp_call(step, mode, mask, value);
  };
  if (step.has(Modifier::kBallot)) {
    return step.out(low_word(step, vote(WarpMode::kBallot, predicate)));
  }
  const WarpMode mode = step.has(Modifier::kAny) ? WarpMode::kAny : WarpMode::kAll;
  llvm::Value* result = b.CreateICmpNE(vote(mode, predicate), b.getInt64(0));
  if (step.has(Modifier::kUni)) {
    llvm::Value* none = vote(WarpMode::kAll, b.CreateNot(predicate));
    result = b.CreateOr(result, b.CreateICmpNE(none, b.getInt64(0)));
  }
  step.out(result);
}

void emit_match(Step& step) {
  if (!names_one_of(step, {Modifier::kAll, Modifier::kAny})) {
    return;
  }
  llvm::Value* mask = step.in(2, Type::kB32);
  llvm::Value* equal = low_word(step, warp_call(step, WarpMode::kMatchAny, mask, step.in(1)));
  if (step.has(Modifier::kAny)) {
    return step.machine.write(step.operand(0), equal);
  }
  llvm::Value* all = step.b.CreateICmpEQ(equal, mask);
  if (step.text().second) {
    step.machine.write(*step.text().second, all);
  }
  step.machine.write(step.operand(0), step.b.CreateSelect(all, mask, step.b.getInt32(0)));
}

void emit_redux(Step& step) {
  if (!names_one_of(step, {Modifier::kAdd, Modifier::kMin, Modifier::kMax, Modifier::kAnd,
                           Modifier::kOr, Modifier::kXor})) {
    return;
  }
  for (const ReductionRow& row : kReductionRows) {
    if (step.has(row.modifier)) {
      const WarpMode mode = is_signed(step.type()) ? row.of_signed : row.of_unsigned;
      llvm::Value* mask = step.in(2, Type::kB32);
      return step.out(low_word(step, warp_call(step, mode, mask, step.in(1))));
    }
  }
}

void emit_activemask(Step& step) {
  step.out(step.machine.call("ws_rt_active_mask", step.b.getInt32Ty(), {step.b.getInt32(0)}));
}

void emit_trap(Step& step) {
  llvm::Value* zero = step.b.getInt32(0);
  const auto kind = static_cast<std::uint32_t>(cpu_abi::Trap::kTrap);
  step.machine
      .call("ws_rt_trap", step.b.getVoidTy(), {step.b.getInt32(kind), zero, zero, zero, zero})
      ->setDoesNotReturn();
}

void emit_nanosleep(Step& step) {
  step.machine.call("ws_rt_sleep", step.b.getVoidTy(),
                    {step.machine.read(step.operand(0), Type::kU32), step.b.getInt32(0)});
}

}  // namespace ws::clang_engine::ptx
