#include "runtime/compile/clang/phases/ranges.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "runtime/compile/clang/launch_values.h"
#include "runtime/compile/clang/phases/warp_starts.h"

namespace ws::clang_engine {
namespace {

bool is_number(const llvm::Type& type) {
  return type.isPointerTy() ||
         (type.isIntegerTy() && type.getIntegerBitWidth() <= Ranges::kWordBits);
}

}  // namespace

unsigned Ranges::bits_in(const llvm::Value& value) {
  return value.getType()->isPointerTy() ? kWordBits : value.getType()->getIntegerBitWidth();
}

Ranges::Ranges(llvm::IRBuilder<>& builder, const Phase& phase, UnitRanges unit)
    : builder_(builder),
      phase_(phase),
      unit_(std::move(unit)),
      dominators_(*phase.function),
      loops_(dominators_) {}

std::optional<Range> Ranges::of(const llvm::Value& value, const llvm::BasicBlock& at) {
  if (!is_number(*value.getType())) {
    return std::nullopt;
  }
  // A value that is being looked for depends on itself.
  const auto [place, fresh] = found_.try_emplace({&value, &at}, std::nullopt);
  if (fresh) {
    Found range = find(value, at);
    if (range && !llvm::isa<llvm::Constant>(value)) {
      refine(value, at, *range);
    }
    found_[{&value, &at}] = range;
    return range;
  }
  return place->second;
}

Ranges::Found Ranges::find(const llvm::Value& value, const llvm::BasicBlock& at) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    return this->constant(constant->getSExtValue());
  }
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    return of_argument(*argument);
  }
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  return instruction == nullptr ? std::nullopt : of_instruction(*instruction, at);
}

Ranges::Found Ranges::of_argument(const llvm::Argument& argument) {
  const unsigned at = argument.getArgNo();
  if (at >= 1 && at <= unit_.id.size()) {
    return unit_.id.at(at - 1);
  }
  if (at == kNumberParameter) {
    return unit_.number;
  }
  if (at >= kFirstUnitValue && at - kFirstUnitValue < unit_.of_unit.size()) {
    return same(unit_.of_unit[at - kFirstUnitValue]);
  }
  return std::nullopt;
}

Ranges::Found Ranges::of_instruction(const llvm::Instruction& instruction,
                                     const llvm::BasicBlock& at) {
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    return of_arithmetic(*operation, at);
  }
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    return of_cast(*cast, at);
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    return of_call(*call, at);
  }
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    return of_address(*address, at);
  }
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    return of_phi(*phi);
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return of_slot(*load);
  }
  if (llvm::isa<llvm::FreezeInst>(instruction)) {
    return of(*instruction.getOperand(0), at);
  }
  if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    const Found one = of(*choice->getTrueValue(), at);
    const Found other = of(*choice->getFalseValue(), at);
    return one && other ? Found(both(*one, *other)) : std::nullopt;
  }
  return std::nullopt;
}

Ranges::Found Ranges::of_arithmetic(const llvm::BinaryOperator& operation,
                                    const llvm::BasicBlock& at) {
  const unsigned bits = bits_in(operation);
  const Found left = of(*operation.getOperand(0), at);
  const Found right = of(*operation.getOperand(1), at);
  if (!left || !right) {
    return std::nullopt;
  }
  switch (operation.getOpcode()) {
    case llvm::Instruction::Add:
      return fitting(sum(*left, *right), bits);
    case llvm::Instruction::Sub:
      return fitting(sum(*left, {builder_.CreateNeg(right->high), builder_.CreateNeg(right->low),
                                 right->same, right->size}),
                     bits);
    case llvm::Instruction::Mul:
      if (right->same) {
        return fitting(product(*left, *right), bits);
      }
      return left->same ? Found(fitting(product(*right, *left), bits)) : std::nullopt;
    case llvm::Instruction::Shl: {
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
      constexpr unsigned kMostShift = 28;
      return by != nullptr && by->getValue().ule(kMostShift)
                 ? Found(fitting(product(*left, constant(std::int64_t{1} << by->getZExtValue())),
                                 bits))
                 : std::nullopt;
    }
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return of_bits(operation, *left, *right);
    default:
      return of_division(operation, *left, *right);
  }
}

Ranges::Found Ranges::of_bits(const llvm::BinaryOperator& operation, const Range& left,
                              const Range& right) {
  const unsigned bits = bits_in(operation);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  llvm::Value* natural = builder_.CreateAnd(is_natural(left), is_natural(right));
  switch (operation.getOpcode()) {
    case llvm::Instruction::And:
      if (constant != nullptr && !constant->isNegative()) {
        llvm::Value* most =
            builder_.CreateSelect(is_natural(left), least(left.high, right.high), right.high);
        return Range{number(0), most, false, constant->getValue().getActiveBits()};
      }
      if (constant != nullptr && constant->getValue().isNegatedPowerOf2()) {
        const Range cut = {builder_.CreateAnd(left.low, right.low),
                           builder_.CreateAnd(left.high, right.low)};
        return where(is_natural(left), cut, bits);
      }
      return where(natural, {number(0), least(left.high, right.high)}, bits);
    case llvm::Instruction::Or:
      return fitting(
          where(natural, {greatest(left.low, right.low), builder_.CreateAdd(left.high, right.high)},
                bits),
          bits);
    case llvm::Instruction::Xor:
      return fitting(where(natural, {number(0), builder_.CreateAdd(left.high, right.high)}, bits),
                     bits);
    default:
      break;
  }
  if (constant == nullptr || constant->getValue().uge(bits)) {
    return std::nullopt;
  }
  // A number that is not known leaves bits that are not known either.
  llvm::Value* known = is_within(left, kMostKnown);
  if (operation.getOpcode() == llvm::Instruction::LShr) {
    known = builder_.CreateAnd(known, is_natural(left));
  }
  llvm::Value* by = number(static_cast<std::int64_t>(constant->getZExtValue()));
  return where(known, {builder_.CreateAShr(left.low, by), builder_.CreateAShr(left.high, by)},
               bits);
}

Ranges::Found Ranges::of_division(const llvm::BinaryOperator& operation, const Range& left,
                                  const Range& right) {
  const unsigned bits = bits_in(operation);
  if (!right.same) {
    return std::nullopt;
  }
  llvm::Value* divisor = greatest(right.low, number(1));
  llvm::Value* one = builder_.CreateAnd(builder_.CreateICmpEQ(divisor, right.low),
                                        builder_.CreateICmpEQ(divisor, right.high));
  llvm::Value* known =
      builder_.CreateAnd(one, builder_.CreateAnd(is_natural(left), is_within(left, kMostKnown)));
  switch (operation.getOpcode()) {
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
      return where(
          known, {builder_.CreateUDiv(left.low, divisor), builder_.CreateUDiv(left.high, divisor)},
          bits);
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      return where(known, {number(0), least(left.high, builder_.CreateSub(divisor, number(1)))},
                   bits);
    default:
      return std::nullopt;
  }
}

Ranges::Found Ranges::of_cast(const llvm::CastInst& cast, const llvm::BasicBlock& at) {
  if (!is_number(*cast.getType()) || !is_number(*cast.getSrcTy())) {
    return std::nullopt;
  }
  const unsigned from = bits_in(*cast.getOperand(0));
  if (from == 1) {
    return cast.getOpcode() == llvm::Instruction::ZExt ? Found(Range{number(0), number(1)})
                                                       : std::nullopt;
  }
  const Found range = of(*cast.getOperand(0), at);
  if (!range) {
    return std::nullopt;
  }
  switch (cast.getOpcode()) {
    case llvm::Instruction::ZExt: {
      llvm::Value* natural = is_natural(*range);
      return Range{
          builder_.CreateSelect(natural, range->low, number(0)),
          builder_.CreateSelect(natural, range->high, number((std::int64_t{1} << from) - 1)),
          range->same, from};
    }
    case llvm::Instruction::Trunc:
      return fitting(*range, bits_in(cast));
    case llvm::Instruction::SExt:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::BitCast:
      return range;
    default:
      return std::nullopt;
  }
}

Ranges::Found Ranges::of_call(const llvm::CallInst& call, const llvm::BasicBlock& at) {
  const llvm::Function* callee = call.getCalledFunction();
  if (const auto value = callee == nullptr ? std::nullopt : launch_value_of(*callee)) {
    return same(read_launch_value(builder_, *value, call.getType()));
  }
  if (is_warp_start(call)) {
    return Range{unit_.id[0].low, unit_.id[0].low, true, unit_.id[0].size};
  }
  const auto* extreme = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&call);
  if (extreme == nullptr) {
    return std::nullopt;
  }
  const Found a = of(*extreme->getLHS(), at);
  const Found b = of(*extreme->getRHS(), at);
  if (!a || !b) {
    return std::nullopt;
  }
  const bool smaller = llvm::ICmpInst::isLT(extreme->getPredicate());
  const Range range = smaller ? Range{least(a->low, b->low), least(a->high, b->high)}
                              : Range{greatest(a->low, b->low), greatest(a->high, b->high)};
  llvm::Value* alike =
      extreme->isSigned() ? builder_.getTrue() : builder_.CreateAnd(is_natural(*a), is_natural(*b));
  return where(alike, range, bits_in(call));
}

Ranges::Found Ranges::of_address(const llvm::GetElementPtrInst& address,
                                 const llvm::BasicBlock& at) {
  const llvm::DataLayout& layout = address.getModule()->getDataLayout();
  llvm::MapVector<llvm::Value*, llvm::APInt> terms;
  llvm::APInt constant(kWordBits, 0);
  const Found base = of(*address.getPointerOperand(), at);
  if (!base ||
      !llvm::cast<llvm::GEPOperator>(address).collectOffset(layout, kWordBits, terms, constant)) {
    return std::nullopt;
  }
  // A base or one index that is not known leaves a sum far beyond all that is known.
  constexpr unsigned kSmall = 58;
  Range range = sum(*base, this->constant(constant.getSExtValue()));
  bool grown = false;
  for (const auto& [index, scale] : terms) {
    const Found term = of(*index, at);
    if (!term || scale.getSignificantBits() > 28) {
      return std::nullopt;
    }
    const Range bytes = product(*term, this->constant(scale.getSExtValue()));
    range = sum(grown ? fitting(range, kWordBits) : range, bytes);
    grown = grown || bytes.size > kSmall;
  }
  range.size = Range().size;
  return range;
}

}  // namespace ws::clang_engine
