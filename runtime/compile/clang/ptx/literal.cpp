#include "runtime/compile/clang/ptx/literal.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/Support/Error.h>

namespace ws::clang_engine::ptx {

std::optional<Operand> number_of(llvm::StringRef text) {
  Operand operand;
  operand.name = text.str();
  llvm::StringRef digits = text;
  const auto coded = [&](Operand::Kind kind, std::size_t length) {
    operand.kind = kind;
    return digits.size() == length && !digits.getAsInteger(16, operand.value)
               ? std::optional(operand)
               : std::nullopt;
  };
  if (digits.consume_front_insensitive("0f")) {
    return coded(Operand::Kind::kSingle, 8);
  }
  if (digits.consume_front_insensitive("0d")) {
    return coded(Operand::Kind::kFloat, 16);
  }
  if (!text.starts_with_insensitive("0x") && text.find_first_of(".eE") != llvm::StringRef::npos) {
    llvm::APFloat value(llvm::APFloat::IEEEdouble());
    auto status = value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return std::nullopt;
    }
    operand.kind = Operand::Kind::kFloat;
    operand.value = value.bitcastToAPInt().getZExtValue();
    return operand;
  }
  operand.kind = Operand::Kind::kInteger;
  digits.consume_back("U");
  return digits.getAsInteger(0, operand.value) ? std::nullopt : std::optional(operand);
}

}  // namespace ws::clang_engine::ptx
