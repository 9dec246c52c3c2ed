#include "runtime/compile/clang/instruction_class.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace ws::clang_engine {
namespace {

InstrClass arithmetic_class(llvm::Type* type) {
  const llvm::Type* scalar = type->getScalarType();
  if (scalar->isDoubleTy()) {
    return InstrClass::kF64;
  }
  if (scalar->isFloatTy()) {
    return InstrClass::kF32;
  }
  return scalar->isFloatingPointTy() ? InstrClass::kF16 : InstrClass::kInteger;
}

std::uint32_t elements_of(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

/// A product that the code generator fuses into the sum it goes into.
bool fused(const llvm::Instruction& product) {
  if (product.getOpcode() != llvm::Instruction::FMul || !product.hasAllowContract() ||
      !product.hasOneUse()) {
    return false;
  }
  const auto* user = llvm::cast<llvm::Instruction>(*product.user_begin());
  const bool sum =
      user->getOpcode() == llvm::Instruction::FAdd || user->getOpcode() == llvm::Instruction::FSub;
  return sum && user->hasAllowContract();
}

// A GPU has no instructions for these: about so many others take their place.
constexpr std::uint32_t kDoubleDivision = 30;
constexpr std::uint32_t kDivisionBy32Bits = 10;
constexpr std::uint32_t kDivisionBy64Bits = 100;
/// A division by a constant is a product and a shift.
constexpr std::uint32_t kDivisionByConstant = 4;
constexpr std::uint32_t kFunction = 40;
constexpr std::uint32_t kFunctionOfDouble = 100;
constexpr std::uint32_t kSpecialOfDouble = 40;

std::uint32_t division_cost(const llvm::Instruction& division) {
  constexpr unsigned kWord = 32;
  if (llvm::isa<llvm::Constant>(division.getOperand(1))) {
    return kDivisionByConstant;
  }
  return division.getType()->getScalarSizeInBits() > kWord ? kDivisionBy64Bits : kDivisionBy32Bits;
}

InstructionCost arithmetic(const llvm::Instruction& instruction) {
  const std::uint32_t elements = elements_of(instruction.getType());
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
      return instruction.getType()->getScalarType()->isDoubleTy()
                 ? InstructionCost{InstrClass::kF64, kDoubleDivision * elements, elements}
                 : InstructionCost{InstrClass::kSpecial, elements, elements};
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      return {InstrClass::kInteger, division_cost(instruction) * elements, 0};
    default:
      break;
  }
  const InstrClass kind = arithmetic_class(instruction.getType());
  const bool floating = kind != InstrClass::kInteger;
  return {kind, fused(instruction) ? 0 : elements, floating ? elements : 0};
}

/// The name is that of a function for which a GPU has an approximation.
bool is_special(llvm::StringRef name) {
  return name.contains("sqrt") || name.contains("exp") || name.contains("log") ||
         name.contains("sin") || name.contains("cos") || name.contains("pow");
}

/// The name is that of a function, of either precision, for which a GPU has one instruction.
bool is_instruction(llvm::StringRef name) {
  name.consume_back("f");
  return llvm::is_contained({"fma", "floor", "ceil", "trunc", "rint", "nearbyint", "copysign"},
                            name);
}

/// A function of the C library.
InstructionCost function_cost(const llvm::CallBase& call, llvm::StringRef name) {
  if (is_instruction(name)) {
    return {arithmetic_class(call.getType()), 1, name.starts_with("fma") ? 2U : 1U};
  }
  if (call.getType()->isDoubleTy()) {
    return {InstrClass::kF64, is_special(name) ? kSpecialOfDouble : kFunctionOfDouble, 1};
  }
  return is_special(name) ? InstructionCost{InstrClass::kSpecial, 1, 1}
                          : InstructionCost{arithmetic_class(call.getType()), kFunction, 1};
}

/// Library functions of the engine's headers, and LLVM's intrinsics.
InstructionCost call_cost(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  const llvm::StringRef name = callee == nullptr ? "" : callee->getName();
  const std::uint32_t elements = elements_of(call.getType());
  if (name.starts_with("ws_rt_barrier")) {
    return {InstrClass::kBarrier, 1, 0};
  }
  if (name == "ws_rt_warp" || name == "ws_rt_active_mask") {
    return {InstrClass::kWarp, 1, 0};
  }
  if (name.starts_with("ws_rt_")) {
    return {};  // Thread ids lie in registers.
  }
  if (llvm::isa<llvm::MemIntrinsic>(call)) {
    return {InstrClass::kMemory, 1, 0};
  }
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
      return {arithmetic_class(call.getType()), elements, 2 * elements};
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::expect:
      return {};  // Modifiers of operands, or promises.
    case llvm::Intrinsic::not_intrinsic:
      return callee != nullptr && !callee->isDeclaration()
                 ? InstructionCost{InstrClass::kOther, 1, 0}  // Its instructions are counted.
                 : function_cost(call, name);
    default:
      break;
  }
  if (llvm::isa<llvm::DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd()) {
    return {};
  }
  const bool special = is_special(name);
  const InstrClass kind = arithmetic_class(call.getType());
  if (special && call.getType()->getScalarType()->isDoubleTy()) {
    return {InstrClass::kF64, kSpecialOfDouble * elements, elements};
  }
  return {special ? InstrClass::kSpecial : kind, elements,
          kind == InstrClass::kInteger ? 0 : elements};
}

}  // namespace

InstructionCost cost_of(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    return call_cost(*call);
  }
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(
          instruction)) {
    return {InstrClass::kMemory, 1, 0};
  }
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
    return {InstrClass::kControl, branch->isConditional() ? 1U : 0U, 0};
  }
  if (instruction.isTerminator()) {
    return {InstrClass::kControl, 1, 0};
  }
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    return {InstrClass::kInteger, address->hasAllConstantIndices() ? 0U : 1U, 0};
  }
  if (instruction.isBinaryOp() || instruction.isUnaryOp()) {
    return arithmetic(instruction);
  }
  if (llvm::isa<llvm::CmpInst>(instruction)) {
    return {arithmetic_class(instruction.getOperand(0)->getType()),
            elements_of(instruction.getType()), 0};
  }
  if (llvm::isa<llvm::SelectInst>(instruction)) {
    return {InstrClass::kInteger, elements_of(instruction.getType()), 0};
  }
  const bool converts =
      llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst, llvm::SIToFPInst, llvm::UIToFPInst,
                llvm::FPExtInst, llvm::FPTruncInst>(instruction);
  return {InstrClass::kConvert, converts ? elements_of(instruction.getType()) : 0, 0};
}

}  // namespace ws::clang_engine
