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
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call != nullptr && (call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat ||
                              call->getIntrinsicID() == llvm::Intrinsic::fptoui_sat)) {
        conversions.push_back(call);
      }
    }
  }
  for (llvm::IntrinsicInst* const conversion : conversions) {
    convert_as_a_gpu(*conversion);
  }
}

}  // namespace ws::clang_engine
