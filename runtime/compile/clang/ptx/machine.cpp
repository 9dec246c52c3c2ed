#include "runtime/compile/clang/ptx/machine.h"

#include <optional>

#include "runtime/compile/clang/ptx/special.h"

namespace ws::clang_engine::ptx {
namespace {

/// The bits of the register that a constraint asks for; 0 for a constant, nothing for others.
std::optional<unsigned> bits_of_constraint(const std::string& code) {
  struct Row {
    const char* code;
    unsigned bits;
  };

  constexpr Row kRows[] = {{"h", 16}, {"r", 32}, {"l", 64}, {"f", 32},
                           {"d", 64}, {"b", 1},  {"n", 0},  {"i", 0}};
  for (const Row& row : kRows) {
    if (code == row.code) {
      return row.bits;
    }
  }
  return std::nullopt;
}

}  // namespace

Machine::Machine(llvm::CallInst& call, const Program& program, Complaint& complaint)
    : call_(call),
      program_(program),
      complaint_(complaint),
      builder_(&call) {
  for (const Register& declared : program.registers) {
    registers_.push_back({bits_of(declared.type), builder_.getIntN(bits_of(declared.type), 0)});
  }
  unsigned input = 0;
  const auto* text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  for (const llvm::InlineAsm::ConstraintInfo& constraint : text->ParseConstraints()) {
    if (constraint.Type == llvm::InlineAsm::isClobber) {
      continue;
    }
    const std::string code = constraint.Codes.empty() ? "" : constraint.Codes.front();
    unsigned tied = 0;
    if (constraint.Type == llvm::InlineAsm::isInput &&
        !llvm::StringRef(code).getAsInteger(10, tied) && tied < arguments_.size()) {
      arguments_[tied].value = call.getArgOperand(input++);
      arguments_.push_back(arguments_[tied]);
      continue;
    }
    const auto bits = bits_of_constraint(code);
    if (!bits || constraint.isIndirect) {
      complain("constraint \"" + code + "\" is not supported on the CPU engine");
      return;
    }
    if (constraint.Type == llvm::InlineAsm::isOutput) {
      outputs_.push_back(static_cast<unsigned>(arguments_.size()));
      arguments_.push_back({*bits, builder_.getIntN(*bits, 0)});
    } else {
      arguments_.push_back({*bits, call.getArgOperand(input++)});
    }
  }
}

void Machine::complain(std::string message, bool syntax) {
  if (good()) {
    complaint_.message = std::move(message);
    complaint_.syntax = syntax;
  }
}

Machine::Place* Machine::place_of(const Operand& operand) {
  if (operand.kind == Operand::Kind::kArgument && operand.index < arguments_.size()) {
    return &arguments_[operand.index];
  }
  return operand.kind == Operand::Kind::kRegister ? &registers_[operand.index] : nullptr;
}

unsigned Machine::register_bits(const Operand& operand) const {
  const Place* place = const_cast<Machine*>(this)->place_of(operand);
  return place == nullptr ? 0 : place->bits;
}

llvm::Value* Machine::as_integer(llvm::Value* value, unsigned bits, bool sign) {
  llvm::Type* type = value->getType();
  if (type->isPointerTy()) {
    value = builder_.CreatePtrToInt(value, builder_.getInt64Ty());
  } else if (!type->isIntegerTy()) {
    const auto own = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
    value = builder_.CreateBitCast(value, builder_.getIntNTy(own));
  }
  llvm::Type* wanted = builder_.getIntNTy(bits);
  return sign ? builder_.CreateSExtOrTrunc(value, wanted)
              : builder_.CreateZExtOrTrunc(value, wanted);
}

llvm::Value* Machine::number(const Operand& operand, Type type) {
  llvm::Type* wanted = llvm_type(type, call_.getContext());
  if (operand.kind == Operand::Kind::kInteger) {
    if (!wanted->isIntegerTy()) {
      complain("operand `" + operand.name + "` is no `" + name_of(type) +
               "`: it has no decimal point");
      return llvm::ConstantFP::get(wanted, 0.0);
    }
    return builder_.CreateTrunc(builder_.getInt64(operand.value), wanted);
  }
  const bool single = operand.kind == Operand::Kind::kSingle;
  if (wanted->isIntegerTy() && bits_of(type) != (single ? 32 : 64)) {
    complain("operand `" + operand.name + "` is no `" + name_of(type) + "`");
  }
  llvm::Value* bits = single ? builder_.getInt32(static_cast<std::uint32_t>(operand.value))
                             : builder_.getInt64(operand.value);
  if (wanted->isIntegerTy()) {
    return builder_.CreateZExtOrTrunc(bits, wanted);
  }
  llvm::Value* value =
      builder_.CreateBitCast(bits, single ? builder_.getFloatTy() : builder_.getDoubleTy());
  return builder_.CreateFPCast(value, wanted);
}

llvm::Value* Machine::raw(const Operand& operand, Type type, bool wider) {
  const Place* place = place_of(operand);
  if (operand.kind == Operand::Kind::kUnknown) {
    complain("`" + operand.name + "` is not declared", /*syntax=*/true);
    return builder_.getIntN(bits_of(type), 0);
  }
  if (place != nullptr) {
    const unsigned bits = bits_of(type);
    if (place->bits != 0 && (place->bits < bits || (place->bits > bits && !wider))) {
      complain("operand `" + operand.name + "` has " + std::to_string(place->bits) + " bits, `" +
               name_of(type) + "` has " + std::to_string(bits));
    }
    // A constant is a number with a sign, however few bits it has.
    return place->bits == 0 ? as_integer(place->value, 64, /*sign=*/true) : place->value;
  }
  llvm::Value* special =
      operand.kind == Operand::Kind::kSpecial ? special_register(*this, operand.name) : nullptr;
  if (special == nullptr) {
    complain(operand.kind == Operand::Kind::kSpecial
                 ? "special register `" + operand.name + "` is not known on the CPU engine"
                 : "operand `" + operand.name + "` is no `" + name_of(type) + "`");
    return builder_.getIntN(bits_of(type), 0);
  }
  return special;
}

llvm::Value* Machine::read(const Operand& operand, Type type, bool wider) {
  if (operand.negated && type != Type::kPred) {
    complain("`!` stands only before a predicate");
  }
  switch (operand.kind) {
    case Operand::Kind::kInteger:
    case Operand::Kind::kFloat:
    case Operand::Kind::kSingle:
      return number(operand, type);
    default:
      break;
  }
  llvm::Value* value = raw(operand, type, wider);
  llvm::Type* wanted = llvm_type(type, call_.getContext());
  if (value->getType() != wanted) {
    value = builder_.CreateBitCast(as_integer(value, bits_of(type)), wanted);
  }
  return operand.negated && type == Type::kPred ? builder_.CreateNot(value) : value;
}

void Machine::write(const Operand& operand, llvm::Value* value, bool sign) {
  if (operand.kind == Operand::Kind::kSink) {
    return;
  }
  Place* place = place_of(operand);
  const bool input =
      operand.kind == Operand::Kind::kArgument && !llvm::is_contained(outputs_, operand.index);
  if (place == nullptr || input) {
    const bool unknown = operand.kind == Operand::Kind::kUnknown;
    return complain("`" + operand.name + "` is " +
                        (unknown ? "not declared" : "no register that can be written"),
                    unknown);
  }
  const bool pointer = value->getType()->isPointerTy();
  const auto bits =
      pointer ? 64U
              : static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits().getFixedValue());
  if (bits > place->bits) {
    return complain("`" + operand.name + "` has " + std::to_string(place->bits) +
                    " bits, the result has " + std::to_string(bits));
  }
  place->value = pointer ? value : as_integer(value, place->bits, sign);
}

}  // namespace ws::clang_engine::ptx
