#include "runtime/compile/spirv/editor.h"

#include <algorithm>

namespace ws::spirv {
namespace {

constexpr std::uint32_t kWordBytes = 4;

/// Whether the instruction belongs to the part of a module that begins with its types.
bool is_global(const Instruction& each) {
  switch (each.op) {
    case Op::kTypeVoid:
    case Op::kTypeBool:
    case Op::kTypeInt:
    case Op::kTypeFloat:
    case Op::kTypeVector:
    case Op::kTypeFunction:
      return true;
    default:
      return false;
  }
}

/// Types have their ids first, constants after their types.
std::size_t id_place(Op op) {
  return op == Op::kConstant ? 1 : 0;
}

}  // namespace

void append(Words& into, const Words& words) {
  into.insert(into.end(), words.begin(), words.end());
}

Words instruction(Op op, std::span<const std::uint32_t> operands) {
  Words words = {static_cast<std::uint32_t>(operands.size() + 1) << kLengthShift |
                 static_cast<std::uint32_t>(op)};
  words.insert(words.end(), operands.begin(), operands.end());
  return words;
}

Words instruction(Op op, std::initializer_list<std::uint32_t> operands) {
  return instruction(op, std::span(operands.begin(), operands.size()));
}

ModuleEditor::ModuleEditor(std::span<const Instruction> instructions,
                           std::span<const std::uint32_t> words)
    : instructions_(instructions),
      header_(words.first(kHeaderWords)),
      types_(instructions),
      bound_(words[kBoundWord]) {}

Id ModuleEditor::type(Op op, std::initializer_list<std::uint32_t> operands) {
  const std::size_t place = id_place(op);
  const Words wanted = instruction(op, operands);
  for (const Instruction& each : instructions_) {
    if (each.op != op || each.operands() != operands.size() + 1) {
      continue;
    }
    Words others(each.words.begin() + 1, each.words.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(place));
    if (std::ranges::equal(others, operands)) {
      return each.operand(place);
    }
  }
  const auto added = std::ranges::find(added_, wanted, &std::pair<Words, Id>::first);
  if (added != added_.end()) {
    return added->second;
  }
  const Id id = fresh();
  Words with_id(operands);
  with_id.insert(with_id.begin() + static_cast<std::ptrdiff_t>(place), id);
  append(globals_, instruction(op, with_id));
  added_.emplace_back(wanted, id);
  return id;
}

Id ModuleEditor::block_of_words(std::uint32_t members) {
  const Id word = type(Op::kTypeInt, {32, 0});
  const Id id = fresh();
  Words operands(members + 1, word);
  operands.front() = id;
  append(globals_, instruction(Op::kTypeStruct, operands));
  decorate(id, Decoration::kBlock);
  for (std::uint32_t member = 0; member < members; ++member) {
    append(annotations_, instruction(Op::kMemberDecorate,
                                     {id, member, static_cast<std::uint32_t>(Decoration::kOffset),
                                      member * kWordBytes}));
  }
  return id;
}

Id ModuleEditor::constant(std::uint32_t value) {
  return type(Op::kConstant, {type(Op::kTypeInt, {32, 0}), value});
}

Id ModuleEditor::pointer(StorageClass storage, Id pointee) {
  return type(Op::kTypePointer, {static_cast<std::uint32_t>(storage), pointee});
}

Id ModuleEditor::variable(StorageClass storage, Id pointee, Id initial) {
  const Id of = pointer(storage, pointee);
  const Id id = fresh();
  Words operands = {of, id, static_cast<std::uint32_t>(storage)};
  if (initial != 0) {
    operands.push_back(initial);
  }
  append(globals_, instruction(Op::kVariable, operands));
  interface_.push_back(id);
  return id;
}

Id ModuleEditor::built_in(std::uint32_t meaning, Id type) {
  for (const Instruction& each : instructions_) {
    if (each.op == Op::kVariable &&
        types_.decoration(each.operand(1), Decoration::kBuiltIn) == meaning) {
      return each.operand(1);
    }
  }
  const Id id = variable(StorageClass::kInput, type);
  decorate(id, Decoration::kBuiltIn, {meaning});
  return id;
}

void ModuleEditor::decorate(Id id, Decoration kind, std::initializer_list<std::uint32_t> operands) {
  Words all = {id, static_cast<std::uint32_t>(kind)};
  all.insert(all.end(), operands);
  append(annotations_, instruction(Op::kDecorate, all));
}

Words ModuleEditor::finish(const Words& bodies, const Words& functions) const {
  Words words(header_.begin(), header_.end());
  words.at(kBoundWord) = bound_;
  bool annotated = false;
  for (const Instruction& each : instructions_) {
    if (each.op == Op::kFunction) {
      break;
    }
    if (is_global(each) && !annotated) {
      append(words, annotations_);
      annotated = true;
    }
    Words copy(each.words.begin(), each.words.end());
    if (each.op == Op::kEntryPoint) {
      append(copy, interface_);
      copy.front() = static_cast<std::uint32_t>(copy.size()) << kLengthShift |
                     static_cast<std::uint32_t>(Op::kEntryPoint);
    }
    append(words, copy);
  }
  append(words, globals_);
  append(words, bodies);
  append(words, functions);
  return words;
}

}  // namespace ws::spirv
