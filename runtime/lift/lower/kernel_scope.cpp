#include "runtime/lift/lower/kernel_scope.h"

#include <algorithm>

namespace ws::lift {
namespace {

bool opens_scope(const Node& node) {
  return node.kind == NodeKind::kBlock || node.kind == NodeKind::kFor ||
         node.kind == NodeKind::kWhile || node.kind == NodeKind::kDo || node.kind == NodeKind::kIf;
}

bool lies_within(const Range& inner, const Range& outer) {
  return inner.region == outer.region && inner.line >= outer.line &&
         inner.end_line <= outer.end_line;
}

}  // namespace

VariableId variable_of(const Tree& tree, NodeId id) {
  while (id != kNone) {
    const Node& node = tree.node(id);
    if (node.kind == NodeKind::kVariable) {
      return node.index;
    }
    const bool part = node.kind == NodeKind::kIndex || node.kind == NodeKind::kMember ||
                      node.kind == NodeKind::kCast || node.kind == NodeKind::kDereference ||
                      node.kind == NodeKind::kAddress;
    if (!part || node.kids.empty()) {
      break;
    }
    id = node.kids[0];
  }
  return kNone;
}

KernelScope::KernelScope(const Tree& tree, FunctionId entry)
    : tree_(tree),
      entry_(tree.function(entry)) {
  for (const VariableId param : entry_.params) {
    declared_.push_back({param, kNone, 0, entry_.range.end_line});
  }
  for (const Node& node : tree.nodes) {
    if (node.kind == NodeKind::kDeclare && lies_within(node.range, entry_.range)) {
      declared_.push_back({node.index, node.kids.empty() ? kNone : node.kids[0], node.range.line,
                           last_line_around(node.range)});
    }
  }
}

/// The end of the innermost block around a declaration.
std::int32_t KernelScope::last_line_around(const Range& range) const {
  const Node* innermost = nullptr;
  for (const Node& node : tree_.nodes) {
    const bool around = opens_scope(node) && lies_within(range, node.range) &&
                        lies_within(node.range, entry_.range) &&
                        (node.kind != NodeKind::kBlock || node.range.line < range.line ||
                         node.range.end_line > range.end_line);
    const auto lines = [](const Node& one) { return one.range.end_line - one.range.line; };
    if (around && (innermost == nullptr || lines(node) < lines(*innermost))) {
      innermost = &node;
    }
  }
  return innermost == nullptr ? entry_.range.end_line : innermost->range.end_line;
}

/// One that an `int` beside it does not change: numbers of 64 bits would need casts.
bool KernelScope::is_integer(VariableId id) const {
  constexpr std::int64_t kWord = 4;
  const TypeId type = tree_.variable(id).type;
  return type != kNone && tree_.type(type).kind == TypeKind::kInt &&
         tree_.type(type).bytes <= kWord;
}

std::vector<IndexText> KernelScope::integers(
    std::int32_t line, const std::map<std::string, std::string>& arguments) const {
  // Unsigned numbers would make those beside them unsigned, and a difference below zero large.
  std::vector<IndexText> integers = {{"(int)blockIdx.x", "blockIdx.x"},
                                     {"(int)blockIdx.y", "blockIdx.y"},
                                     {"(int)blockIdx.z", "blockIdx.z"},
                                     {"(int)(threadIdx.x / 128)", "wg"}};
  for (const Declared& one : declared_) {
    const std::string& name = tree_.variable(one.variable).name;
    if (!is_integer(one.variable) || one.line >= line || line > one.last_line) {
      continue;
    }
    const bool is_signed = tree_.type(tree_.variable(one.variable).type).is_signed;
    const std::string text = is_signed ? name : "(int)" + name;
    if (one.line > 0) {
      integers.push_back({text, name});
      continue;
    }
    for (const auto& [ir, c] : arguments) {
      if (c == name) {
        integers.push_back({text, ir});
      }
    }
  }
  return integers;
}

std::optional<ArrayVariable> KernelScope::array(const std::string& name) const {
  std::optional<ArrayVariable> found;
  for (const Declared& one : declared_) {
    const Variable& variable = tree_.variable(one.variable);
    if (variable.name != name || variable.type == kNone || variable.reference) {
      continue;
    }
    ArrayVariable array{one.variable, {}};
    TypeId type = variable.type;
    while (tree_.type(type).kind == TypeKind::kArray && tree_.type(type).element != kNone) {
      array.dims.push_back(tree_.type(type).count);
      type = tree_.type(type).element;
    }
    if (array.dims.empty() || tree_.type(type).kind != TypeKind::kFloat) {
      continue;
    }
    if (found) {
      return std::nullopt;
    }
    found = std::move(array);
  }
  return found;
}

NodeId KernelScope::initial(const std::string& name) const {
  NodeId found = kNone;
  for (const Declared& one : declared_) {
    if (tree_.variable(one.variable).name != name || !is_integer(one.variable)) {
      continue;
    }
    if (found != kNone || one.initial == kNone) {
      return kNone;
    }
    found = one.initial;
  }
  return found;
}

std::vector<NodeId> KernelScope::calls(FunctionId function, VariableId given) const {
  const Range& called = tree_.function(function).range;
  std::vector<NodeId> calls;
  for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
    const Node& node = tree_.nodes[i];
    if (node.kind != NodeKind::kCall || node.index == kNone ||
        !lies_within(node.range, entry_.range)) {
      continue;
    }
    const Range& range = tree_.function(node.index).range;
    const bool gets = std::any_of(node.kids.begin(), node.kids.end(),
                                  [&](NodeId kid) { return variable_of(tree_, kid) == given; });
    if (range.region == called.region && range.line == called.line && gets) {
      calls.push_back(static_cast<NodeId>(i));
    }
  }
  return calls;
}

bool KernelScope::has(const std::string& name) const {
  return std::any_of(declared_.begin(), declared_.end(), [&](const Declared& one) {
    return tree_.variable(one.variable).name == name;
  });
}

}  // namespace ws::lift
