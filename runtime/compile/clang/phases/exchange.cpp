#include "runtime/compile/clang/phases/exchange.h"

#include <algorithm>
#include <array>
#include <string>

#include <llvm/IR/Module.h>

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
  llvm::Value* values = nullptr;
  llvm::Value* results = nullptr;
  unsigned bytes = 8;
};

Places places_of(llvm::IRBuilder<>& builder, const Stop& stop) {
  if (narrow_operand(stop) == nullptr) {
    return {.values = first_of(builder, cpu_abi::kPhaseValue, 8),
            .results = first_of(builder, cpu_abi::kPhaseResult, 8),
            .bytes = 8};
  }
  return {.values = first_of(builder, static_cast<unsigned>(stop.narrow_at), 4),
          .results = first_of(builder, cpu_abi::kPhaseNarrowResult, 4),
          .bytes = 4};
}

void exchange_constant(llvm::IRBuilder<>& builder, const Places& places, WarpMode mode,
                       std::uint64_t operand) {
  auto* warp = llvm::FixedVectorType::get(builder.getIntNTy(8 * places.bytes), kLanes);
  std::array<int, kLanes> sources{};
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    sources.at(lane) = static_cast<int>(source_of(mode, lane, operand));
  }
  const llvm::Align alignment(places.bytes);
  llvm::Value* values = builder.CreateAlignedLoad(warp, places.values, alignment);
  builder.CreateAlignedStore(builder.CreateShuffleVector(values, sources), places.results,
                             alignment);
}

/// @param operand  Gives the operand of a lane, in the loop over them.
void exchange_by_lane(llvm::IRBuilder<>& builder, const Places& places, WarpMode mode,
                      llvm::function_ref<llvm::Value*(llvm::Value* lane)> operand) {
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
  llvm::Type* type = builder.getIntNTy(8 * places.bytes);
  const auto element = [&](llvm::Value* base, llvm::Value* index) {
    return builder.CreateGEP(type, base, builder.CreateZExt(index, builder.getInt64Ty()));
  };
  llvm::Value* wanted = operand(lane);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(wanted)) {
    own(load);
  }
  llvm::Value* source = source_of(builder, mode, lane, wanted);
  llvm::Value* value = own(builder.CreateLoad(type, element(places.values, source)));
  own(builder.CreateStore(value, element(places.results, lane)));
  loops.close(builder, group, ThreadLoops::Unroll::kNever);
}

/// Where an exchange that is being made stands.
struct NewExchange {
  llvm::IRBuilder<>& builder;
  Places places;
  llvm::Value* operand;

  [[nodiscard]] llvm::BasicBlock* new_block() const {
    return llvm::BasicBlock::Create(builder.getContext(), "exchange",
                                    builder.GetInsertBlock()->getParent());
  }
};

/// Exchanges are functions that all stops of a module share: code for each stop would be most of a
/// kernel's. void(values, results, `operand`). @param make  Writes the code of a new one.
llvm::Function* exchange_function(llvm::Module& module, const char* kind, WarpMode mode,
                                  unsigned bytes, llvm::Type* operand,
                                  llvm::function_ref<void(const NewExchange&)> make) {
  // Dots: no function of a source can have such a name.
  const std::string name = std::string("ws.exchange.") + kind + "." +
                           std::to_string(static_cast<unsigned>(mode)) + "." +
                           std::to_string(bytes);
  if (llvm::Function* made = module.getFunction(name)) {
    return made;
  }
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, operand}, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  // Phases store vectors of 256 bits: a wider load would have to wait until they are in the cache.
  function->addFnAttr("min-legal-vector-width", "256");
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "exchange", function));
  make(NewExchange{
      .builder = builder,
      .places = {.values = function->getArg(0), .results = function->getArg(1), .bytes = bytes},
      .operand = function->getArg(2)});
  return function;
}

/// All lanes have the same operand. In a loop over a warp it is a power of two, whose permutation
/// needs no gather.
llvm::Function* power_exchange(llvm::Module& module, WarpMode mode, unsigned bytes) {
  llvm::Type* number = llvm::Type::getInt32Ty(module.getContext());
  return exchange_function(module, "power", mode, bytes, number, [&](const NewExchange& made) {
    llvm::IRBuilder<>& builder = made.builder;
    llvm::BasicBlock* any = made.new_block();
    llvm::SwitchInst* ways = builder.CreateSwitch(made.operand, any);
    for (unsigned power = 1; power < kLanes; power *= 2) {
      llvm::BasicBlock* way = made.new_block();
      ways->addCase(builder.getInt32(power), way);
      builder.SetInsertPoint(way);
      exchange_constant(builder, made.places, mode, power);
      builder.CreateRetVoid();
    }
    builder.SetInsertPoint(any);
    exchange_by_lane(builder, made.places, mode, [&](llvm::Value*) { return made.operand; });
    builder.CreateRetVoid();
  });
}

/// Each lane has an operand of its own, but nearly always it is that of the others: it counts the
/// rounds of a loop which the compiler cannot know that all lanes run together.
llvm::Function* lanes_exchange(llvm::Module& module, WarpMode mode, unsigned bytes) {
  llvm::Type* pointer = llvm::PointerType::get(module.getContext(), 0);
  return exchange_function(module, "lanes", mode, bytes, pointer, [&](const NewExchange& made) {
    llvm::IRBuilder<>& builder = made.builder;
    auto* warp = llvm::FixedVectorType::get(builder.getInt32Ty(), kLanes);
    llvm::Value* operands = builder.CreateAlignedLoad(warp, made.operand, llvm::Align(4));
    llvm::Value* first = builder.CreateExtractElement(operands, std::uint64_t{0});
    llvm::Value* alike = builder.CreateAndReduce(
        builder.CreateICmpEQ(operands, builder.CreateVectorSplat(kLanes, first)));
    llvm::BasicBlock* together = made.new_block();
    llvm::BasicBlock* by_lane = made.new_block();
    builder.CreateCondBr(alike, together, by_lane);
    builder.SetInsertPoint(together);
    builder.CreateCall(power_exchange(module, mode, bytes),
                       {made.places.values, made.places.results, first});
    builder.CreateRetVoid();
    builder.SetInsertPoint(by_lane);
    exchange_by_lane(builder, made.places, mode, [&](llvm::Value* lane) {
      llvm::Value* place = builder.CreateGEP(builder.getInt32Ty(), made.operand,
                                             builder.CreateZExt(lane, builder.getInt64Ty()));
      return builder.CreateLoad(builder.getInt32Ty(), place);
    });
    builder.CreateRetVoid();
  });
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
  if (!stop.stay_together || !is_exchange_of_all(stop)) {
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

void find_operands(Stop& stop, std::size_t number, const CarriedValues& values,
                   const Uniformity& uniformity) {
  if (!is_exchange_of_all(stop)) {
    return;
  }
  if (const llvm::Value* narrow = narrow_operand(stop)) {
    const std::optional<Slot> slot = values.slot_over(number, *narrow);
    stop.narrow_at = slot && !slot->of_unit ? slot->offset : stop.narrow_at;
  }
  const llvm::Value* lane = stop.call->getArgOperand(kLaneArgument);
  const std::optional<Slot> slot = values.slot_over(number, *lane);
  if (slot && slot->of_unit && uniformity.same_for_unit(*lane)) {
    stop.lane_at = slot->offset;
  }
}

void make_exchange(llvm::IRBuilder<>& builder, const Stop& stop, const Uniformity& uniformity) {
  if (mode_of(stop) == WarpMode::kSync) {
    return;
  }
  const Places places = places_of(builder, stop);
  llvm::Value* const lanes = stop.lane_at
                                 ? unit_slot(builder, cpu_abi::kUnitValuesOffset, *stop.lane_at)
                                 : first_of(builder, cpu_abi::kPhaseLane, 4);
  const llvm::Value* operand = stop.call->getArgOperand(kLaneArgument);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(operand)) {
    exchange_constant(builder, places, mode_of(stop), number->getZExtValue());
  } else {
    llvm::Module& module = *builder.GetInsertBlock()->getModule();
    const bool same = uniformity.same_for_unit(*operand);
    llvm::Function* exchange = same ? power_exchange(module, mode_of(stop), places.bytes)
                                    : lanes_exchange(module, mode_of(stop), places.bytes);
    builder.CreateCall(exchange, {places.values, places.results,
                                  same ? builder.CreateLoad(builder.getInt32Ty(), lanes) : lanes});
  }
}

}  // namespace ws::clang_engine
