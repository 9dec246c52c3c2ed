#include "runtime/compile/clang/phases/exchange.h"

#include <algorithm>
#include <array>

#include "runtime/compile/clang/phases/records.h"
#include "runtime/compile/clang/phases/thread_loops.h"
#include "runtime/device/cpu/abi.h"

namespace ws::clang_engine {
namespace {

using cpu_abi::WarpMode;

constexpr unsigned kLanes = 32;
// The arguments of ws_rt_warp.
constexpr unsigned kMaskArgument = 1;
constexpr unsigned kValueArgument = 2;
constexpr unsigned kLaneArgument = 3;
constexpr unsigned kWidthArgument = 4;

WarpMode mode_of(const Stop& stop) {
  return static_cast<WarpMode>(stop.what.mode);
}

bool is_constant(const llvm::Value* value, std::uint64_t wanted) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
  return number != nullptr && number->getZExtValue() == wanted;
}

/// The lane whose value `lane` gets. @source CUDA C++ Programming Guide, warp shuffle functions.
unsigned source_of(WarpMode mode, unsigned lane, std::uint64_t operand) {
  switch (mode) {
    case WarpMode::kShfl:
      return static_cast<unsigned>(operand % kLanes);
    case WarpMode::kShflUp:
      return lane >= operand ? lane - static_cast<unsigned>(operand) : lane;
    case WarpMode::kShflDown:
      return operand < kLanes - lane ? lane + static_cast<unsigned>(operand) : lane;
    default:
      return (lane ^ operand) < kLanes ? lane ^ static_cast<unsigned>(operand) : lane;
  }
}

/// The same for values that are known when the kernel runs.
llvm::Value* source_of(llvm::IRBuilder<>& builder, WarpMode mode, llvm::Value* lane,
                       llvm::Value* operand) {
  llvm::Value* lanes = builder.getInt32(kLanes);
  const auto or_own = [&](llvm::Value* valid, llvm::Value* source) {
    return builder.CreateSelect(valid, source, lane);
  };
  switch (mode) {
    case WarpMode::kShfl:
      return builder.CreateAnd(operand, builder.getInt32(kLanes - 1));
    case WarpMode::kShflUp:
      return or_own(builder.CreateICmpUGE(lane, operand), builder.CreateSub(lane, operand));
    case WarpMode::kShflDown:
      return or_own(builder.CreateICmpULT(operand, builder.CreateSub(lanes, lane)),
                    builder.CreateAdd(lane, operand));
    default: {
      llvm::Value* source = builder.CreateXor(lane, operand);
      return or_own(builder.CreateICmpULT(source, lanes), source);
    }
  }
}

/// The records' field of the unit's first thread.
llvm::Value* first_of(llvm::IRBuilder<>& builder, unsigned field, unsigned bytes) {
  std::array<llvm::Value*, 3> id{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    id.at(axis) = block_field(builder, cpu_abi::kBoxLowOffset + 4 * axis, builder.getInt32Ty());
  }
  return thread_slot(builder, thread_number(builder, id), field, bytes);
}

/// Where the lanes' values are, and where their results go.
struct Places {
  unsigned values = cpu_abi::kPhaseValue;
  unsigned results = cpu_abi::kPhaseResult;
  unsigned bytes = 8;
};

void exchange_constant(llvm::IRBuilder<>& builder, const Places& places, WarpMode mode,
                       std::uint64_t operand) {
  auto* warp = llvm::FixedVectorType::get(builder.getIntNTy(8 * places.bytes), kLanes);
  std::array<int, kLanes> sources{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    sources.at(lane) = static_cast<int>(source_of(mode, lane, operand));
  }
  const llvm::Align alignment(places.bytes);
  llvm::Value* values =
      builder.CreateAlignedLoad(warp, first_of(builder, places.values, places.bytes), alignment);
  builder.CreateAlignedStore(builder.CreateShuffleVector(values, sources),
                             first_of(builder, places.results, places.bytes), alignment);
}

void exchange_by_lane(llvm::IRBuilder<>& builder, const Places& places, WarpMode mode) {
  llvm::Value* values = first_of(builder, places.values, places.bytes);
  llvm::Value* operands = first_of(builder, cpu_abi::kPhaseLane, 4);
  llvm::Value* results = first_of(builder, places.results, places.bytes);
  llvm::Value* zero = builder.getInt32(0);
  llvm::Value* one = builder.getInt32(1);
  ThreadLoops loops;
  llvm::Value* lane =
      loops.open(builder, {zero, zero, zero}, {builder.getInt32(kLanes), one, one})[0];
  llvm::MDNode* group = llvm::MDNode::getDistinct(builder.getContext(), {});
  const auto own = [&](llvm::Instruction* access) {
    access->setMetadata(llvm::LLVMContext::MD_access_group, group);
    return access;
  };
  const auto element = [&](llvm::Type* type, llvm::Value* base, llvm::Value* index) {
    return builder.CreateGEP(type, base, builder.CreateZExt(index, builder.getInt64Ty()));
  };
  llvm::Type* word = builder.getInt32Ty();
  llvm::Type* wide = builder.getIntNTy(8 * places.bytes);
  llvm::Value* operand = own(builder.CreateLoad(word, element(word, operands, lane)));
  llvm::Value* source = source_of(builder, mode, lane, operand);
  llvm::Value* value = own(builder.CreateLoad(wide, element(wide, values, source)));
  own(builder.CreateStore(value, element(wide, results, lane)));
  loops.close(builder, group, ThreadLoops::Unroll::kNever);
}

/// All lanes have the same operand. In a loop over a warp it is a power of two, whose permutation
/// needs no gather.
void exchange_by_power(llvm::IRBuilder<>& builder, const Places& places, WarpMode mode) {
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  const auto new_block = [&] {
    return llvm::BasicBlock::Create(builder.getContext(), "exchange", function);
  };
  llvm::Value* operand =
      builder.CreateLoad(builder.getInt32Ty(), first_of(builder, cpu_abi::kPhaseLane, 4));
  llvm::BasicBlock* any = new_block();
  llvm::BasicBlock* done = new_block();
  llvm::SwitchInst* ways = builder.CreateSwitch(operand, any);
  for (unsigned power = 1; power < kLanes; power *= 2) {
    llvm::BasicBlock* way = new_block();
    ways->addCase(builder.getInt32(power), way);
    builder.SetInsertPoint(way);
    exchange_constant(builder, places, mode, power);
    builder.CreateBr(done);
  }
  builder.SetInsertPoint(any);
  exchange_by_lane(builder, places, mode);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
}

}  // namespace

bool is_exchange_of_all(const Stop& stop) {
  constexpr std::uint64_t kAll = 0xffffffff;
  if (!stop.what.warp || !is_constant(stop.call->getArgOperand(kMaskArgument), kAll)) {
    return false;
  }
  switch (mode_of(stop)) {
    case WarpMode::kSync:
      return true;
    case WarpMode::kShfl:
    case WarpMode::kShflUp:
    case WarpMode::kShflDown:
    case WarpMode::kShflXor:
      return is_constant(stop.call->getArgOperand(kWidthArgument), kLanes);
    default:
      return false;
  }
}

llvm::Value* narrow_operand(const Stop& stop) {
  constexpr unsigned kBits = 32;
  if (!is_exchange_of_all(stop)) {
    return nullptr;
  }
  const auto* wide = llvm::dyn_cast<llvm::ZExtInst>(stop.call->getArgOperand(kValueArgument));
  const bool narrow_uses =
      std::all_of(stop.call->user_begin(), stop.call->user_end(), [](const llvm::User* user) {
        return llvm::isa<llvm::TruncInst>(user) && user->getType()->getIntegerBitWidth() <= kBits;
      });
  const bool narrow = wide != nullptr && narrow_uses && wide->getSrcTy()->isIntegerTy(kBits);
  return narrow ? wide->getOperand(0) : nullptr;
}

void make_exchange(llvm::IRBuilder<>& builder, const Stop& stop, const Uniformity& uniformity) {
  if (mode_of(stop) == WarpMode::kSync) {
    return;
  }
  const Places places = narrow_operand(stop) == nullptr
                            ? Places()
                            : Places{.values = cpu_abi::kPhaseNarrowValue,
                                     .results = cpu_abi::kPhaseNarrowResult,
                                     .bytes = 4};
  const llvm::Value* operand = stop.call->getArgOperand(kLaneArgument);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(operand)) {
    exchange_constant(builder, places, mode_of(stop), number->getZExtValue());
  } else if (uniformity.same_for_unit(*operand)) {
    exchange_by_power(builder, places, mode_of(stop));
  } else {
    exchange_by_lane(builder, places, mode_of(stop));
  }
}

}  // namespace ws::clang_engine
