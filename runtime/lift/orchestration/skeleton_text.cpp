// Integers and places in memory as a skeleton has them.
#include <algorithm>

#include "runtime/ir/syntax/reserved.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

/// Empty where one of them has no form.
std::string select_text(const std::string& condition, const std::string& yes,
                        const std::string& no) {
  return condition.empty() || yes.empty() || no.empty()
             ? ""
             : "((" + yes + ") if (" + condition + ") else (" + no + "))";
}

}  // namespace

std::string python_operator(COperator op) {
  return op == COperator::kDivide ? "//"
         : op == COperator::kAnd  ? "and"
         : op == COperator::kOr   ? "or"
         : op == COperator::kNot  ? "not "
                                  : std::string(text_of(op));
}

std::string Skeleton::variable_text(VariableId id) const {
  if (const auto at = names_.back().find(id); at != names_.back().end()) {
    return at->second;
  }
  const Variable& variable = tree_.variable(id);
  if (variable.space == Space::kShared) {
    return buffers_.name_of(variable.name);
  }
  // A name of CuIR's own cannot be given to a variable.
  return ir::free_name(variable.name);
}

std::string Skeleton::argument_text(const Argument& argument, VariableId param) const {
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

std::string Skeleton::text(NodeId id) const {
  const Node& node = tree_.node(id);
  if (const auto result = results_.find(id); result != results_.end()) {
    return result->second;
  }
  if (node.kind == NodeKind::kBinary) {
    // As it is written, where its operands can be: `wg == 2` says more than a number.
    if (std::string made = binary_text(node); !made.empty()) {
      return made;
    }
  }
  if (const auto threads = exact(id); threads && threads->size() > 1) {
    return worker_number(*threads);
  }
  if (node.kind == NodeKind::kVariable) {
    const std::string name = named_text(id);
    const std::optional<Lanes> fixed = draft_.is_integer(name) ? std::nullopt : values_.of(id);
    return fixed && fixed->size() == 1 ? std::to_string(fixed->front()) : name;
  }
  return plain_text(node);
}

/// The value for each thread, where all of it is known: a conjunction of which one side is known
/// does not count.
std::optional<Lanes> Skeleton::exact(NodeId id) const {
  const Node& node = tree_.node(id);
  const bool both = node.op == COperator::kAnd;
  return both && !(exact(node.kids[0]) && exact(node.kids[1])) ? std::nullopt : values_.of(id);
}

/// An integer keeps its name; a pointer, a reference or a descriptor is what it was made from.
std::string Skeleton::named_text(NodeId id) const {
  const Node& node = tree_.node(id);
  const NodeId value = facts_.initial(node.index);
  const Variable& variable = tree_.variable(node.index);
  const bool known = value != kNone && value < id;
  const bool pointer = variable.reference ||
                       (node.type != kNone && tree_.type(node.type).kind == TypeKind::kPointer);
  if (const auto place = pointers_.find(node.index); place != pointers_.end()) {
    return place->second;
  }
  if (known && (pointer || facts_.is_address(value))) {
    const std::string made = text(value);
    if (!made.empty() && (pointer || made.starts_with("self."))) {
      return made;
    }
    if (!pointer && tree_.node(value).kind == NodeKind::kBinary) {
      return {};  // An address that is computed has no name here.
    }
  }
  const std::string name = variable_text(node.index);
  // One that was declared with what has no form here; others get their values by assignments.
  const bool valueless = value != kNone && draft_.is_unknown(name) && !draft_.is_integer(name) &&
                         facts_.is_integer(variable.type);
  const bool unknown = facts_.is_pointer(node.index) && !names_.back().contains(node.index);
  return unknown || valueless ? "" : name;  // Memory may have no name here.
}

std::string Skeleton::plain_text(const Node& node) const {
  switch (node.kind) {
    case NodeKind::kInt:
      return std::to_string(node.value);
    case NodeKind::kBuiltin: {
      const std::optional<Lanes> size =
          node.builtin == Builtin::kBlockDim ? values_.builtin(node) : std::nullopt;
      return size                                  ? std::to_string(size->front())
             : node.builtin == Builtin::kThreadIdx ? ""
                                                   : builtin_text(node);
    }
    case NodeKind::kUnary: {
      const std::string inner = text(node.kids[0]);
      return inner.empty() || is_step(node.op) ? "" : python_operator(node.op) + "(" + inner + ")";
    }
    case NodeKind::kCast:
    case NodeKind::kAddress:
    case NodeKind::kDereference:
      return text(node.kids[0]);
    case NodeKind::kIndex: {
      const std::string base = text(node.kids[0]);
      const std::string index = text(node.kids[1]);
      return base.empty() || index.empty() ? "" : base + "[" + index + "]";
    }
    case NodeKind::kMember:
      return member_text(node);
    case NodeKind::kSelect:
      return select_text(text(node.kids[0]), text(node.kids[1]), text(node.kids[2]));
    case NodeKind::kCall:
      return call_text(node);
    default:
      return {};
  }
}

std::string Skeleton::binary_text(const Node& node) const {
  const std::string left = text(node.kids[0]);
  const std::string right = text(node.kids[1]);
  if (left.empty() || right.empty() || node.op == COperator::kComma) {
    return {};
  }
  const bool pointer = node.type != kNone && tree_.type(node.type).kind == TypeKind::kPointer;
  if (pointer) {
    return node.op == COperator::kAdd ? left + "[" + right + "]" : "";
  }
  return "(" + left + ") " + python_operator(node.op) + " (" + right + ")";
}

/// A function that makes an address or a descriptor of memory stands for that memory; the smaller
/// and the larger of two integers are choices.
std::string Skeleton::call_text(const Node& node) const {
  const Meaning* meaning = node.index == kNone ? meaning_of_function(node.text) : nullptr;
  const Handling handling = meaning == nullptr ? Handling::kOther : meaning->handling;
  const bool least = handling == Handling::kMinimum;
  const bool integer = node.type != kNone && tree_.type(node.type).kind == TypeKind::kInt;
  if (integer && node.kids.size() == 2 && (least || handling == Handling::kMaximum)) {
    const std::string left = text(node.kids[0]);
    const std::string right = text(node.kids[1]);
    const std::string op = least ? " < " : " > ";
    const bool known = !left.empty() && !right.empty();
    return select_text(known ? "(" + left + ")" + op + "(" + right + ")" : "", left, right);
  }
  for (const NodeId kid : node.kids) {
    const Node& argument = tree_.node(kid);
    const bool pointer =
        argument.type != kNone && (tree_.type(argument.type).kind == TypeKind::kPointer ||
                                   tree_.type(argument.type).kind == TypeKind::kArray);
    if (pointer) {
      return text(kid);
    }
  }
  return {};
}

}  // namespace ws::lift
