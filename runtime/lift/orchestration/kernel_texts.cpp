#include "runtime/lift/orchestration/kernel_texts.h"

#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {
KernelTexts::KernelTexts(const Tree& tree, const LaunchInput& input, Symbols& symbols,
                         const KernelFacts& facts, const ThreadValues& values,
                         const SharedBuffers& buffers, const ProgramDraft& draft)
    : tree_(tree),
      input_(input),
      symbols_(symbols),
      facts_(facts),
      values_(values),
      buffers_(buffers),
      draft_(draft),
      local_names_(tree, input.entry) {}

void KernelTexts::begin_walk() {
  names_.assign(1, {});
  arguments_.clear();
  results_.clear();
  fields_.clear();
  pointers_.clear();
  made_of_.clear();
  stale_.clear();
  const Function& entry = tree_.function(input_.entry);
  for (std::size_t i = 0; i < entry.params.size() && i < input_.args.size(); ++i) {
    names_.back()[entry.params[i]] = argument_text(input_.args[i], entry.params[i]);
  }
}

NodeId KernelTexts::argument(VariableId param) const {
  const auto found = arguments_.find(param);
  return found == arguments_.end() ? kNone : found->second;
}

std::string KernelTexts::of(NodeId id) const {
  const Node& node = tree_.node(id);
  if (!facts_.from_memory().has_form(id)) {
    return {};
  }
  if (const auto result = results_.find(id); result != results_.end()) {
    return result->second;
  }
  if (node.kind == NodeKind::kBinary) {
    // As it is written, where its operands can be: `wg == 2` says more than a number.
    if (std::string made = binary(node); !made.empty()) {
      return made;
    }
  }
  if (const auto threads = exact(id); threads && threads->size() > 1) {
    return draft_.role().number_text(*threads);
  }
  if (node.kind == NodeKind::kVariable) {
    const std::string name = named(id);
    const std::optional<Lanes> fixed = draft_.is_integer(name) ? std::nullopt : values_.of(id);
    return fixed && fixed->size() == 1 ? std::to_string(fixed->front()) : name;
  }
  return plain(id);
}

std::optional<Lanes> KernelTexts::exact(NodeId id) const {
  return values_.of(id);
}

std::string KernelTexts::variable(VariableId id) const {
  if (const auto at = names_.back().find(id); at != names_.back().end()) {
    return at->second;
  }
  const Variable& variable = tree_.variable(id);
  if (variable.space == Space::kShared) {
    return buffers_.name_of(variable.name);
  }
  return local_names_.of(id);
}

std::string KernelTexts::member(const Node& node) const {
  const std::string base = of(node.kids[0]);
  if (base.empty()) {
    return {};
  }
  const Node& object = tree_.node(node.kids[0]);
  const bool local = object.kind == NodeKind::kVariable && !base.starts_with("self.") &&
                     tree_.variable(object.index).space != Space::kShared;
  const bool laid_over = local && tree_.variable(object.index).reference &&
                         tree_.variable(object.index).name != "this" &&
                         facts_.initial(object.index) != kNone;
  if (local && !laid_over) {
    const std::string name = is_identifier(base) ? base + "_" + node.text : "";
    const std::string place = field(name);
    return place.empty() ? name : place;
  }
  return is_one_object(node) ? buffers_.name_of(node.text) : "";
}

/// Whether an array of an object in memory is known by its field's name alone: the object is no
/// element of an array, and nothing else is called so.
bool KernelTexts::is_one_object(const Node& member) const {
  const Node* object = &tree_.node(member.kids[0]);
  bool nested = false;
  while (object->kind == NodeKind::kDereference || object->kind == NodeKind::kCast ||
         object->kind == NodeKind::kAddress || object->kind == NodeKind::kMember) {
    nested = nested || object->kind == NodeKind::kMember;
    object = &tree_.node(object->kids[0]);
  }
  if (object->kind != NodeKind::kVariable || nested) {
    return false;
  }
  const Variable& whole = tree_.variable(object->index);
  const auto has_it = [&](const Type& type) {
    return std::ranges::any_of(type.fields, [&](const Field& field) {
      return field.name == member.text && tree_.type(field.type).kind != TypeKind::kPointer;
    });
  };
  const auto is_other = [&](const Variable& variable) {
    return variable.space == Space::kShared && &variable != &whole &&
           (variable.name == member.text ||
            (whole.space == Space::kShared && variable.type == whole.type));
  };
  return std::ranges::count_if(tree_.types, has_it) == 1 &&
         std::ranges::none_of(tree_.variables, is_other);
}

std::string KernelTexts::operand(const Instruction& parts, std::size_t at, const Node& node) const {
  return word(parts.first_word(at), node);
}

std::string KernelTexts::word(const std::string& word, const Node& node) const {
  if (!word.empty() && is_digit(word[0])) {
    return word;
  }
  const NodeId named = operand_node(node, word);
  return named == kNone ? "" : of(named);
}

std::string KernelTexts::argument_text(const Argument& argument, VariableId param) const {
  if (argument.kind == Argument::Kind::kTensor) {
    const bool whole = argument.integer.number() == 0;
    return whole ? "self." + input_.tensors[argument.tensor].name : "";
  }
  if (argument.kind == Argument::Kind::kInteger) {
    const std::string made = symbols_.text_of(argument.integer);
    return made.find(' ') == std::string::npos ? made : "(" + made + ")";
  }
  if (facts_.is_pointer(param)) {
    return {};
  }
  return is_identifier(argument.text) ? "self." + argument.text : argument.text;
}

bool KernelTexts::is_place(NodeId id) const {
  const NodeKind kind = tree_.node(id).kind;
  return kind == NodeKind::kVariable || kind == NodeKind::kIndex || kind == NodeKind::kMember ||
         kind == NodeKind::kDereference || (kind == NodeKind::kCall && facts_.is_address(id)) ||
         (kind == NodeKind::kCast && is_place(tree_.node(id).kids[0]));
}

/// An integer keeps its name; a pointer, a reference or a descriptor is what it was made from.
std::string KernelTexts::named(NodeId id) const {
  const Node& node = tree_.node(id);
  const NodeId value = facts_.initial(node.index);
  const Variable& declared = tree_.variable(node.index);
  const bool known = value != kNone && value < id;
  const bool pointer = declared.reference ||
                       (node.type != kNone && tree_.type(node.type).kind == TypeKind::kPointer);
  if (stale_.contains(node.index)) {
    return {};
  }
  if (const auto place = pointers_.find(node.index); place != pointers_.end()) {
    return place->second;
  }
  if (known && (pointer || facts_.is_address(value))) {
    std::string made = of(value);
    if (declared.reference && !is_unchanged(value) &&
        (facts_.from_memory().is_data(value) || !is_place(value))) {
      return {};  // It stands for an element of memory, or for a value, that may have changed
                  // since.
    }
    if (!made.empty() && (pointer || made.starts_with("self."))) {
      return made;
    }
    if (!pointer && tree_.node(value).kind == NodeKind::kBinary) {
      return {};  // An address that is computed has no name here.
    }
  }
  const std::string name = variable(node.index);
  // One that was declared with what has no form here; others get their values by assignments.
  const bool valueless = value != kNone && draft_.is_unknown(name) && !draft_.is_integer(name) &&
                         facts_.is_integer(declared.type);
  const bool unknown = facts_.is_pointer(node.index) && !names_.back().contains(node.index);
  return unknown || valueless ? "" : name;  // Memory may have no name here.
}

}  // namespace ws::lift
