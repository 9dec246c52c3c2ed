// Integers and places in memory as a skeleton has them.
#include <algorithm>

#include "runtime/ir/syntax/ops.h"
#include "runtime/lift/skeleton.h"

namespace ws::lift {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

std::string python_operator(const std::string& op) {
  return op == "/" ? "//" : op == "&&" ? "and" : op == "||" ? "or" : op;
}

}  // namespace

std::string Skeleton::variable_text(VariableId id) const {
  if (const auto at = names_.back().find(id); at != names_.back().end()) {
    return at->second;
  }
  const Variable& variable = tree_.variable(id);
  if (variable.space == Space::kShared) {
    return "self." + variable.name;
  }
  // A name of CuIR's own cannot be given to a variable.
  return ir::find_op(variable.name) ? variable.name + "_" : variable.name;
}

std::string Skeleton::text(NodeId id) const {
  const Node& node = tree_.node(id);
  switch (node.kind) {
    case NodeKind::kInt:
      return std::to_string(node.value);
    case NodeKind::kVariable: {
      const auto value = initial_.find(node.index);
      const bool pointer = node.type != kNone && tree_.type(node.type).kind == TypeKind::kPointer;
      // A pointer is what it was made from; an integer keeps its name.
      if (pointer && value != initial_.end() && value->second < id) {
        if (std::string made = text(value->second); !made.empty()) {
          return made;
        }
      }
      if (const auto threads = values_.of(id); threads && threads->size() > 1) {
        return {};
      }
      return variable_text(node.index);
    }
    case NodeKind::kBuiltin:
      return node.text.starts_with("blockIdx") || node.text.starts_with("gridDim") ? node.text : "";
    case NodeKind::kUnary: {
      const std::string inner = text(node.kids[0]);
      const bool known = node.text == "-" || node.text == "!" || node.text == "~";
      return inner.empty() || !known ? ""
                                     : (node.text == "!" ? "not " : node.text) + "(" + inner + ")";
    }
    case NodeKind::kBinary:
      return binary_text(node);
    case NodeKind::kCast:
    case NodeKind::kAddress:
    case NodeKind::kDereference:
      return text(node.kids[0]);
    case NodeKind::kIndex: {
      const std::string base = text(node.kids[0]);
      const std::string index = text(node.kids[1]);
      return base.empty() || index.empty() ? "" : base + "[" + index + "]";
    }
    case NodeKind::kMember: {
      const std::string base = text(node.kids[0]);
      return base.empty() ? "" : "self." + node.text;
    }
    case NodeKind::kCall:
      return call_text(node);
    default:
      return {};
  }
}

std::string Skeleton::binary_text(const Node& node) const {
  const std::string left = text(node.kids[0]);
  const std::string right = text(node.kids[1]);
  if (left.empty() || right.empty() || node.text == ",") {
    return {};
  }
  const bool pointer = node.type != kNone && tree_.type(node.type).kind == TypeKind::kPointer;
  if (pointer) {
    return node.text == "+" ? left + "[" + right + "]" : "";
  }
  return "(" + left + ") " + python_operator(node.text) + " (" + right + ")";
}

/// A function that makes an address or a descriptor of memory stands for that memory.
std::string Skeleton::call_text(const Node& node) const {
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

/// What a hole reads and writes: variables by their names, memory as the program has it.
void Skeleton::note_names(NodeId id, Hole& hole, bool target) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kDeclare) {
    add_once(hole.outputs, variable_text(node.index));
    declared_.insert(node.index);
  } else if (node.kind == NodeKind::kVariable) {
    const auto threads = values_.of(id);
    const bool own = threads && threads->size() > 1;
    if (!own && target) {
      add_once(hole.outputs, variable_text(node.index));
    }
    if (!own && !declared_.contains(node.index)) {
      add_once(hole.inputs, variable_text(node.index));
    }
    return;
  } else if (node.kind == NodeKind::kAssign) {
    note_names(node.kids[0], hole, true);
    note_names(node.kids[1], hole, false);
    return;
  } else if (node.kind == NodeKind::kIndex) {
    note_names(node.kids[0], hole, target);
    note_names(node.kids[1], hole, false);
    return;
  }
  const bool through = node.kind == NodeKind::kMember || node.kind == NodeKind::kDereference ||
                       node.kind == NodeKind::kCast;
  for (const NodeId kid : node.kids) {
    note_names(kid, hole, through && target);
  }
}

}  // namespace ws::lift
