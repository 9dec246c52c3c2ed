// Facts about single statements of a kernel.
#include <algorithm>

#include "runtime/lift/orchestration/kernel_facts.h"

namespace ws::lift {

bool KernelFacts::is_assertion(NodeId id) const {
  const Node& node = tree_.node(id);
  return node.kind == NodeKind::kSelect && changed_.by(id).empty() &&
         std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId kid) {
           return tree_.node(kid).kind == NodeKind::kCall && tree_.node(kid).text == "ws_rt_stop";
         });
}

bool KernelFacts::is_pointer_field(const Node& node) const {
  const Node* const target = is_plain_assignment(node) ? &tree_.node(node.kids[0]) : nullptr;
  return target != nullptr && target->kind == NodeKind::kMember && target->type != kNone &&
         tree_.type(target->type).kind == TypeKind::kPointer &&
         tree_.node(target->kids[0]).kind == NodeKind::kVariable && changes_of_field(*target) == 1;
}

/// How many statements change a field of objects; several where one may, through an address.
int KernelFacts::changes_of_field(const Node& member) const {
  constexpr int kSeveral = 2;
  int changes = 0;
  const auto is_it = [&](NodeId id) {
    return tree_.node(id).kind == NodeKind::kMember && tree_.node(id).text == member.text &&
           tree_.node(id).type == member.type;
  };
  for (const Node& node : tree_.nodes) {
    const bool assigns = node.kind == NodeKind::kAssign || is_step(node.op);
    changes += assigns && is_it(node.kids[0]) ? 1 : 0;
    changes += node.kind == NodeKind::kAddress && is_it(node.kids[0]) ? kSeveral : 0;
    for (std::size_t i = 0; node.kind == NodeKind::kCall && i < node.kids.size(); ++i) {
      changes += changes_argument(node, i) && is_it(node.kids[i]) ? kSeveral : 0;
    }
    const std::size_t outputs =
        node.kind == NodeKind::kAsm ? static_cast<std::size_t>(node.value) : 0;
    for (std::size_t i = 0; i < outputs && i < node.kids.size(); ++i) {
      changes += is_it(node.kids[i]) ? kSeveral : 0;
    }
  }
  return changes;
}

bool KernelFacts::keeps_place(FunctionId id) const {
  const Function& function = tree_.function(id);
  const auto [known, fresh] = places_.emplace(id, true);
  if (!fresh) {
    return known->second;
  }
  const auto pointers =
      std::ranges::count_if(function.params, [&](VariableId param) { return is_pointer(param); });
  bool keeps = pointers < 2;
  std::vector<NodeId> open = {function.body};
  while (keeps && !open.empty() && function.body != kNone) {
    const Node& node = tree_.node(open.back());
    open.pop_back();
    const bool leads = tree_.is(node.type, TypeKind::kPointer);
    const bool chooses = node.kind == NodeKind::kSelect || node.kind == NodeKind::kBinary ||
                         node.kind == NodeKind::kAssign;
    const bool sums = node.op == COperator::kAdd || node.op == COperator::kSubtract ||
                      node.op == COperator::kBitXor;
    const bool address =
        std::ranges::any_of(node.kids, [&](NodeId kid) { return is_address(kid); });
    const bool first =
        node.kind != NodeKind::kIndex ||
        (tree_.node(node.kids[1]).kind == NodeKind::kInt && tree_.node(node.kids[1]).value == 0);
    keeps = first && !(leads && chooses) && !(sums && address) &&
            (node.kind != NodeKind::kCall || node.index == kNone || keeps_place(node.index));
    open.insert(open.end(), node.kids.begin(), node.kids.end());
  }
  places_[id] = keeps;
  return keeps;
}

bool KernelFacts::is_straight(NodeId id) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kBlock) {
    return std::all_of(node.kids.begin(), node.kids.end(),
                       [&](NodeId kid) { return is_straight(kid); });
  }
  return is_assertion(id) ||
         (node.kind == NodeKind::kAssign && is_integer(tree_.node(node.kids[0]).type)) ||
         is_pointer_field(node) ||
         (node.kind == NodeKind::kDeclare && is_integer(tree_.variable(node.index).type));
}

bool KernelFacts::returns(NodeId id) const {
  const Node& node = tree_.node(id);
  return node.kind == NodeKind::kReturn ||
         std::ranges::any_of(node.kids, [&](NodeId kid) { return returns(kid); });
}

bool KernelFacts::names(NodeId id, VariableId variable) const {
  const Node& node = tree_.node(id);
  return (node.kind == NodeKind::kVariable && node.index == variable) ||
         std::ranges::any_of(node.kids, [&](NodeId kid) { return names(kid, variable); });
}

bool KernelFacts::changes_within(NodeId statement) const {
  const Node& node = tree_.node(statement);
  if (node.kind == NodeKind::kBlock || node.kind == NodeKind::kIf) {
    return false;  // Its statements are asked one by one.
  }
  if (node.op == COperator::kComma) {
    return std::ranges::any_of(node.kids, [&](NodeId kid) { return changes_within(kid); });
  }
  std::vector<NodeId> open = node.kids;
  while (!open.empty()) {
    const Node& inner = tree_.node(open.back());
    open.pop_back();
    if (inner.kind == NodeKind::kAssign || is_step(inner.op)) {
      return true;
    }
    if (inner.kind != NodeKind::kBlock && inner.kind != NodeKind::kIf) {
      open.insert(open.end(), inner.kids.begin(), inner.kids.end());
    }
  }
  return false;
}

}  // namespace ws::lift
