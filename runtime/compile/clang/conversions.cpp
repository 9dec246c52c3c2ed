#include "runtime/compile/clang/conversions.h"

#include <vector>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace ws::clang_engine {
namespace {

constexpr unsigned kWordBits = 32;
constexpr unsigned kLongBits = 64;

bool is_signed(const llvm::IntrinsicInst& conversion) {
  return conversion.getIntrinsicID() == llvm::Intrinsic::fptosi_sat;
}

void convert_as_a_gpu(llvm::IntrinsicInst& conversion) {
  llvm::IRBuilder<> builder(&conversion);
  llvm::Type* const type = conversion.getType();
  llvm::Type* const made =
      type->getScalarSizeInBits() < kWordBits ? type->getWithNewBitWidth(kWordBits) : type;
  llvm::Value* const value =
      saturated_integer(builder, conversion.getArgOperand(0), made, is_signed(conversion));
  conversion.replaceAllUsesWith(builder.CreateTruncOrBitCast(value, type));
  conversion.eraseFromParent();
}

/// Replaces a shift by one whose amount is known to be less than the number's bits, and by what is
/// left of the number where it was not.
void shift_as_a_gpu(llvm::BinaryOperator& shift) {
  llvm::IRBuilder<> builder(&shift);
  llvm::Value* const number = shift.getOperand(0);
  llvm::Value* const amount = shift.getOperand(1);
  llvm::Type* const type = shift.getType();
  llvm::Constant* const last = llvm::ConstantInt::get(type, type->getScalarSizeInBits() - 1);
  llvm::Value* const within = builder.CreateICmpULE(amount, last);
  const auto made = [&](llvm::Value* by) {
    return builder.CreateBinOp(shift.getOpcode(), number, by);
  };
  llvm::Value* const nothing = shift.getOpcode() == llvm::Instruction::AShr
                                   ? made(last)
                                   : llvm::Constant::getNullValue(type);
  llvm::Value* const by = builder.CreateSelect(within, amount, llvm::Constant::getNullValue(type));
  shift.replaceAllUsesWith(builder.CreateSelect(within, made(by), nothing));
  shift.eraseFromParent();
}

}  // namespace

llvm::Value* saturated_integer(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Type* type,
                               bool sign) {
  const llvm::Intrinsic::ID convert =
      sign ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  llvm::Value* const made = builder.CreateIntrinsic(convert, {type, value->getType()}, {value});
  const unsigned bits = type->getScalarSizeInBits();
  if (bits != kLongBits && value->getType()->getScalarSizeInBits() != kLongBits) {
    return made;
  }
  llvm::Value* const highest = llvm::ConstantInt::get(type, llvm::APInt::getSignMask(bits));
  return builder.CreateSelect(builder.CreateFCmpUNO(value, value), highest, made);
}

void convert_as_a_gpu(llvm::Module& module) {
  std::vector<llvm::IntrinsicInst*> conversions;
  std::vector<llvm::BinaryOperator*> shifts;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call != nullptr && (call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat ||
                              call->getIntrinsicID() == llvm::Intrinsic::fptoui_sat)) {
        conversions.push_back(call);
      }
      if (instruction.isShift() && !llvm::isa<llvm::Constant>(instruction.getOperand(1))) {
        shifts.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
      }
    }
  }
  for (llvm::IntrinsicInst* const conversion : conversions) {
    convert_as_a_gpu(*conversion);
  }
  for (llvm::BinaryOperator* const shift : shifts) {
    shift_as_a_gpu(*shift);
  }
}

}  // namespace ws::clang_engine
