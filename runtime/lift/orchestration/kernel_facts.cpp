#include "runtime/lift/orchestration/kernel_facts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/lift/orchestration/places.h"
#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {

KernelFacts::KernelFacts(const Tree& tree)
    : tree_(tree),
      from_memory_(tree),
      changed_(tree) {
  for (const Node& node : tree_.nodes) {
    if (node.kind == NodeKind::kDeclare && node.kids.size() == 1) {
      initial_[node.index] = node.kids[0];
    }
    for (std::size_t i = 0; node.kind == NodeKind::kCall && i < node.kids.size(); ++i) {
      if (node.index != kNone && tree_.node(node.kids[i]).kind == NodeKind::kVariable &&
          is_written(node, i)) {
        outputs_.insert(tree_.node(node.kids[i]).index);
      }
    }
    if (node.kind == NodeKind::kVariable) {
      ++uses_[node.index];
    }
    for (const NodeId kid : node.kind == NodeKind::kBlock ? node.kids : std::vector<NodeId>()) {
      blocks_[kid] = &node;
      if (tree_.node(kid).kind == NodeKind::kDeclare) {
        declarations_[tree_.node(kid).index] = kid;
      }
    }
    const bool assigns = is_plain_assignment(node);
    for (std::size_t i = assigns ? 1 : 0; i < node.kids.size(); ++i) {
      if (tree_.node(node.kids[i]).kind == NodeKind::kVariable) {
        read_.insert(tree_.node(node.kids[i]).index);
      }
    }
  }
}

bool KernelFacts::has_primitives(NodeId id) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAsm) {
    const std::vector<std::string> all = instructions_of(node.text);
    return std::any_of(all.begin(), all.end(),
                       [](const std::string& one) { return orchestrates(meaning_of_ptx(one)); });
  }
  if (node.kind == NodeKind::kCall && node.index == kNone &&
      orchestrates(meaning_of_function(node.text))) {
    return true;
  }
  if (node.kind == NodeKind::kCall && node.index != kNone) {
    const NodeId body = tree_.function(node.index).body;
    // A function that calls itself adds nothing to what it has: false until that is known.
    const auto [known, is_new] = primitive_.emplace(node.index, false);
    if (is_new && body != kNone) {
      primitive_[node.index] = has_primitives(body);
    }
    if (known->second) {
      return true;
    }
  }
  return std::any_of(node.kids.begin(), node.kids.end(),
                     [&](NodeId kid) { return has_primitives(kid); });
}

Cooperation KernelFacts::cooperation_of(NodeId id) const {
  const auto either = [](Cooperation a, Cooperation b) {
    return a == Cooperation::kNothing || a == b ? b
           : b == Cooperation::kNothing         ? a
                                                : Cooperation::kOther;
  };
  const Node& node = tree_.node(id);
  Cooperation cooperation = Cooperation::kNothing;
  if (node.kind == NodeKind::kAsm) {
    for (const std::string& one : instructions_of(node.text)) {
      const std::string name = take_apart(one).name;
      const Meaning* meaning = meaning_of_ptx(one);
      const bool plain = meaning != nullptr &&
                         (meaning->effect == Effect::kValue || meaning->effect == Effect::kMemory);
      cooperation = either(cooperation, is_piece_copy(name)     ? Cooperation::kCopies
                                        : is_warp_product(name) ? Cooperation::kProducts
                                        : plain                 ? Cooperation::kNothing
                                                                : Cooperation::kOther);
    }
    return cooperation;
  }
  if (node.kind == NodeKind::kCall && has_primitives(id)) {
    const NodeId body = node.index == kNone ? kNone : tree_.function(node.index).body;
    // A function that calls itself, which its own calls see first, is not followed.
    const auto [known, fresh] = cooperations_.emplace(node.index, Cooperation::kOther);
    if (fresh && body != kNone) {
      cooperations_[node.index] = cooperation_of(body);
    }
    cooperation = known->second;
  }
  for (const NodeId kid : node.kids) {
    cooperation = either(cooperation, cooperation_of(kid));
  }
  return cooperation;
}

bool KernelFacts::waits(NodeId id) const {
  std::set<FunctionId> seen;
  return waits(id, seen);
}

bool KernelFacts::waits(NodeId id, std::set<FunctionId>& seen) const {
  const auto is_wait = [](const Meaning* meaning) {
    if (meaning == nullptr || meaning->effect != Effect::kSync) {
      return false;
    }
    return meaning->operation.empty() || meaning->handling == Handling::kWait ||
           meaning->handling == Handling::kBlockBarrier ||
           meaning->handling == Handling::kWarpBarrier;
  };
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAsm) {
    const std::vector<std::string> all = instructions_of(node.text);
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& one) { return is_wait(meaning_of_ptx(one)); });
  }
  if (node.kind == NodeKind::kCall && node.index == kNone &&
      is_wait(meaning_of_function(node.text))) {
    return true;
  }
  if (node.kind == NodeKind::kCall && node.index != kNone && seen.insert(node.index).second) {
    const NodeId body = tree_.function(node.index).body;
    if (body != kNone && waits(body, seen)) {
      return true;
    }
  }
  return std::any_of(node.kids.begin(), node.kids.end(),
                     [&](NodeId kid) { return waits(kid, seen); });
}

/// Whether a parameter is written to by a function, or by one that it calls.
bool KernelFacts::assigns(NodeId id, VariableId param) const {
  const Node& node = tree_.node(id);
  const auto is_param = [&](NodeId target) {
    while (tree_.node(target).kind == NodeKind::kIndex) {
      target = tree_.node(target).kids[0];
    }
    return tree_.node(target).kind == NodeKind::kVariable && tree_.node(target).index == param;
  };
  const bool steps = is_step(node.op);
  const std::size_t results = node.kind == NodeKind::kAsm ? static_cast<std::size_t>(node.value)
                              : node.kind == NodeKind::kAssign || steps ? 1
                                                                        : 0;
  for (std::size_t i = 0; i < results && i < node.kids.size(); ++i) {
    if (is_param(node.kids[i])) {
      return true;
    }
  }
  for (std::size_t i = 0; node.kind == NodeKind::kCall && i < node.kids.size(); ++i) {
    if (is_param(node.kids[i]) && is_written(node, i)) {
      return true;
    }
  }
  return std::any_of(node.kids.begin(), node.kids.end(),
                     [&](NodeId kid) { return assigns(kid, param); });
}

bool KernelFacts::is_written(const Node& call, std::size_t argument) const {
  if (call.index == kNone) {
    return false;
  }
  const Function& callee = tree_.function(call.index);
  if (callee.body == kNone || argument >= callee.params.size() ||
      !tree_.variable(callee.params[argument]).reference) {
    return false;
  }
  const auto [known, fresh] = written_.emplace(callee.params[argument], false);
  if (fresh) {
    written_[callee.params[argument]] = assigns(callee.body, callee.params[argument]);
  }
  return known->second;
}

bool KernelFacts::is_address(NodeId id) const {
  const Node& node = tree_.node(id);
  const bool whole = node.type != kNone && tree_.type(node.type).kind == TypeKind::kInt;
  if (node.kind == NodeKind::kCast) {
    const TypeId from = tree_.node(node.kids[0]).type;
    const bool pointer = from != kNone && tree_.type(from).kind == TypeKind::kPointer;
    return (pointer && whole) || is_address(node.kids[0]);
  }
  if (node.kind == NodeKind::kVariable) {
    const NodeId value = initial(node.index);
    return value != kNone && value < id && is_address(value);
  }
  if (node.kind == NodeKind::kBinary) {
    const bool moves = node.op == COperator::kAdd || node.op == COperator::kSubtract ||
                       node.op == COperator::kBitXor;
    return whole && moves &&
           std::ranges::any_of(node.kids, [&](NodeId kid) { return is_address(kid); });
  }
  if (node.kind != NodeKind::kCall) {
    return false;
  }
  const Meaning* meaning = node.index == kNone ? meaning_of_function(node.text) : nullptr;
  return node.index == kNone ? meaning != nullptr && meaning->handling == Handling::kAddress
                             : makes_address(node.index);
}

bool KernelFacts::makes_address(FunctionId id) const {
  const auto [known, fresh] = addresses_.emplace(id, false);
  const NodeId body = tree_.function(id).body;
  if (fresh && body != kNone) {
    std::vector<NodeId> rest = {body};
    bool found = false;
    while (!rest.empty() && !found) {
      const Node& node = tree_.node(rest.back());
      rest.pop_back();
      found = node.kind == NodeKind::kCall &&
              (node.index != kNone
                   ? makes_address(node.index)
                   : meaning_of_function(node.text) != nullptr &&
                         meaning_of_function(node.text)->handling == Handling::kAddress);
      rest.insert(rest.end(), node.kids.begin(), node.kids.end());
    }
    addresses_[id] = found;
  }
  return addresses_.at(id);
}

bool KernelFacts::is_integer(TypeId id) const {
  return tree_.is(id, TypeKind::kInt);
}

bool KernelFacts::is_pointer(VariableId id) const {
  return tree_.is(tree_.variable(id).type, TypeKind::kPointer);
}

bool KernelFacts::is_alias(const Node& node) const {
  const Variable& variable = tree_.variable(node.index);
  return variable.reference || tree_.is(variable.type, TypeKind::kPointer);
}

int KernelFacts::uses(VariableId id) const {
  const auto found = uses_.find(id);
  return found == uses_.end() ? 0 : found->second;
}

NodeId KernelFacts::declaration(VariableId id) const {
  const auto found = declarations_.find(id);
  return found == declarations_.end() ? kNone : found->second;
}

bool KernelFacts::are_in_one_block(NodeId one, NodeId other) const {
  const auto first = blocks_.find(one);
  const auto second = blocks_.find(other);
  return first != blocks_.end() && second != blocks_.end() && first->second == second->second;
}

NodeId KernelFacts::initial(VariableId id) const {
  const auto found = initial_.find(id);
  return found == initial_.end() ? kNone : found->second;
}

}  // namespace ws::lift
