#include "runtime/compile/spirv/types.h"

#include <algorithm>

namespace ws::spirv {
namespace {

constexpr int kMostNested = 32;
constexpr std::uint32_t kBitsPerByte = 8;

/// The ids of types and constants: where an instruction has its result, which most have after their
/// type.
Id result_of(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::kTypeVoid:
    case Op::kTypeBool:
    case Op::kTypeInt:
    case Op::kTypeFloat:
    case Op::kTypeVector:
    case Op::kTypeMatrix:
    case Op::kTypeArray:
    case Op::kTypeRuntimeArray:
    case Op::kTypeStruct:
    case Op::kTypePointer:
    case Op::kTypeFunction:
      return instruction.operand(0);
    case Op::kConstantTrue:
    case Op::kConstantFalse:
    case Op::kConstant:
    case Op::kConstantComposite:
    case Op::kSpecConstant:
    case Op::kSpecConstantComposite:
    case Op::kVariable:
      return instruction.operand(1);
    default:
      return 0;
  }
}

template <typename Map, typename Key>
std::optional<std::uint32_t> found(const Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

Types::Types(std::span<const Instruction> instructions) {
  for (const Instruction& instruction : instructions) {
    if (const Id id = result_of(instruction); id != 0) {
      makers_[id] = &instruction;
    }
    const Id target = instruction.operand(0);
    if (instruction.op == Op::kName) {
      names_[target] = instruction.text(1);
    } else if (instruction.op == Op::kMemberName) {
      member_names_[{target, instruction.operand(1)}] = instruction.text(2);
    } else if (instruction.op == Op::kDecorate) {
      decorations_[{target, static_cast<Decoration>(instruction.operand(1))}] =
          instruction.operand(2);
    } else if (instruction.op == Op::kMemberDecorate) {
      member_decorations_[{{target, instruction.operand(1)},
                           static_cast<Decoration>(instruction.operand(2))}] =
          instruction.operand(3);
    }
  }
}

const Instruction* Types::find(Id id) const {
  const auto at = makers_.find(id);
  return at == makers_.end() ? nullptr : at->second;
}

std::string Types::name(Id id) const {
  const auto at = names_.find(id);
  return at == names_.end() ? std::string() : at->second;
}

std::string Types::member_name(Id type, std::uint32_t member) const {
  const auto at = member_names_.find({type, member});
  return at == member_names_.end() ? std::string() : at->second;
}

std::optional<std::uint32_t> Types::decoration(Id id, Decoration kind) const {
  return found(decorations_, std::pair(id, kind));
}

std::optional<std::uint32_t> Types::member_decoration(Id type, std::uint32_t member,
                                                      Decoration kind) const {
  return found(member_decorations_, std::pair(std::pair(type, member), kind));
}

Id Types::pointee(Id type) const {
  const Instruction* const maker = find(type);
  return maker != nullptr && maker->op == Op::kTypePointer ? maker->operand(2) : 0;
}

std::optional<std::uint32_t> Types::constant(Id id) const {
  const Instruction* const maker = find(id);
  const bool number =
      maker != nullptr && (maker->op == Op::kConstant || maker->op == Op::kSpecConstant);
  return number && maker->operands() == 3 ? std::optional(maker->operand(2)) : std::nullopt;
}

std::uint32_t Types::length(Id type) const {
  const Instruction* const maker = find(type);
  if (maker == nullptr) {
    return 0;
  }
  if (maker->op == Op::kTypeArray) {
    return constant(maker->operand(2)).value_or(0);
  }
  return maker->op == Op::kTypeVector || maker->op == Op::kTypeMatrix ? maker->operand(2) : 0;
}

Id Types::element(Id type) const {
  const Instruction* const maker = find(type);
  const bool has =
      maker != nullptr && (maker->op == Op::kTypeArray || maker->op == Op::kTypeRuntimeArray ||
                           maker->op == Op::kTypeVector || maker->op == Op::kTypeMatrix);
  return has ? maker->operand(1) : 0;
}

std::uint64_t Types::size(Id type) const {
  return size_within(type, kMostNested);
}

std::uint64_t Types::size_within(Id type, int depth) const {
  const Instruction* const maker = find(type);
  if (maker == nullptr || depth == 0) {
    return 0;
  }
  switch (maker->op) {
    case Op::kTypeBool:
      return sizeof(std::uint32_t);
    case Op::kTypeInt:
    case Op::kTypeFloat:
      return maker->operand(1) / kBitsPerByte;
    case Op::kTypeVector:
    case Op::kTypeMatrix:
      return maker->operand(2) * size_within(maker->operand(1), depth - 1);
    case Op::kTypeArray: {
      const std::uint64_t stride = decoration(type, Decoration::kArrayStride).value_or(0);
      return length(type) * (stride != 0 ? stride : size_within(maker->operand(1), depth - 1));
    }
    case Op::kTypeStruct: {
      std::uint64_t end = 0;
      for (std::uint32_t member = 0; member + 1 < maker->operands(); ++member) {
        const std::uint64_t bytes = size_within(maker->operand(member + 1), depth - 1);
        end = member_decoration(type, member, Decoration::kOffset).value_or(end) + bytes;
      }
      return end;
    }
    default:
      return 0;
  }
}

const Instruction* Types::number_in(Id type) const {
  return number_within(type, kMostNested);
}

const Instruction* Types::number_within(Id type, int depth) const {
  const Instruction* const maker = find(type);
  if (maker == nullptr || depth == 0) {
    return nullptr;
  }
  if (maker->op == Op::kTypeInt || maker->op == Op::kTypeFloat) {
    return maker;
  }
  if (maker->op != Op::kTypeStruct) {
    return number_within(element(type), depth - 1);
  }
  const Instruction* common = nullptr;
  for (std::size_t member = 1; member < maker->operands(); ++member) {
    const Instruction* const number = number_within(maker->operand(member), depth - 1);
    if (number == nullptr || (common != nullptr && common != number)) {
      return nullptr;
    }
    common = number;
  }
  return common;
}

std::string number_name(const Instruction& type) {
  const std::uint32_t bits = type.operand(1);
  const std::string width = std::to_string(bits) + "_t";
  constexpr std::uint32_t kWord = 32;
  if (type.op == Op::kTypeFloat) {
    return bits == kWord ? "float" : bits == 2 * kWord ? "double" : "float" + width;
  }
  const bool is_signed = type.operand(2) != 0;
  return bits == kWord ? (is_signed ? "int" : "uint") : (is_signed ? "int" : "uint") + width;
}

std::string number_dtype(const Instruction& type) {
  const std::string bits = std::to_string(type.operand(1));
  if (type.op == Op::kTypeFloat) {
    return "f" + bits;
  }
  return type.operand(2) != 0 ? "i" + bits : "";
}

}  // namespace ws::spirv
