#include "runtime/lift/symbolic/registers.h"

#include <algorithm>
#include <map>
#include <optional>

#include "runtime/base/units.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {
namespace {

/// Writes expressions over the builtin indices into a tree.
class Registers {
 public:
  Registers(Tree& tree, const std::array<std::int64_t, 3>& block,
            const std::array<std::int64_t, 3>& cluster)
      : tree_(tree),
        block_(block),
        cluster_(cluster) {}

  /// The value of a register such as "clusterid.x"; nothing: it is of another kind.
  std::optional<NodeId> value(std::string_view name, const Node& read) {
    read_ = read;
    if (name == "laneid") {
      // A warp is 32 threads in a row, whatever the block's dimensions.
      const NodeId thread = linear(Builtin::kThreadIdx, block_);
      return binary(COperator::kRemainder, thread, number(kWarpSize));
    }
    if (name == "cluster_ctarank") {
      NodeId rank = kNone;
      for (std::size_t axis = cluster_.size(); axis-- > 0;) {
        rank = joined(rank, cluster_[axis], in_cluster(axis));
      }
      return rank;
    }
    if (name == "cluster_nctarank") {
      return number(cluster_[0] * cluster_[1] * cluster_[2]);
    }
    const std::size_t dot = name.find('.');
    const bool axes =
        dot != name.npos && dot + 2 == name.size() && name[dot + 1] >= 'x' && name[dot + 1] <= 'z';
    return axes ? by_axis(name.substr(0, dot), static_cast<std::size_t>(name[dot + 1] - 'x'))
                : std::nullopt;
  }

 private:
  std::optional<NodeId> by_axis(std::string_view name, std::size_t axis) {
    if (name == "tid" || name == "ntid" || name == "ctaid" || name == "nctaid") {
      return builtin(name == "tid"     ? Builtin::kThreadIdx
                     : name == "ntid"  ? Builtin::kBlockDim
                     : name == "ctaid" ? Builtin::kBlockIdx
                                       : Builtin::kGridDim,
                     axis);
    }
    if (name == "clusterid" || name == "nclusterid") {
      const NodeId blocks =
          builtin(name == "clusterid" ? Builtin::kBlockIdx : Builtin::kGridDim, axis);
      return cluster_[axis] == 1 ? blocks
                                 : binary(COperator::kDivide, blocks, number(cluster_[axis]));
    }
    if (name == "cluster_ctaid") {
      return in_cluster(axis);
    }
    return name == "cluster_nctaid" ? std::optional(number(cluster_[axis])) : std::nullopt;
  }

  /// The place of the block in its cluster, along one axis.
  NodeId in_cluster(std::size_t axis) {
    return cluster_[axis] == 1 ? number(0)
                               : binary(COperator::kRemainder, builtin(Builtin::kBlockIdx, axis),
                                        number(cluster_[axis]));
  }

  NodeId linear(Builtin index, const std::array<std::int64_t, 3>& sizes) {
    NodeId all = kNone;
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
      all = joined(all, sizes[axis], sizes[axis] == 1 ? number(0) : builtin(index, axis));
    }
    return all;
  }

  /// `outer * size + inner`, where outer may be nothing or zero.
  NodeId joined(NodeId outer, std::int64_t size, NodeId inner) {
    const auto is_zero = [&](NodeId id) {
      return id == kNone || (tree_.node(id).kind == NodeKind::kInt && tree_.node(id).value == 0);
    };
    return is_zero(outer)
               ? inner
               : binary(COperator::kAdd, binary(COperator::kMultiply, outer, number(size)), inner);
  }

  NodeId add(NodeKind kind) {
    Node node;
    node.kind = kind;
    node.type = read_.kids.empty() ? kNone : tree_.node(read_.kids[0]).type;
    node.range = read_.range;
    tree_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(tree_.nodes.size() - 1);
  }

  NodeId number(std::int64_t value) {
    const NodeId id = add(NodeKind::kInt);
    tree_.nodes.back().value = value;
    return id;
  }

  NodeId builtin(Builtin index, std::size_t axis) {
    const NodeId id = add(NodeKind::kBuiltin);
    tree_.nodes.back().builtin = index;
    tree_.nodes.back().value = static_cast<std::int64_t>(axis);
    return id;
  }

  NodeId binary(COperator op, NodeId left, NodeId right) {
    const NodeId id = add(NodeKind::kBinary);
    tree_.nodes.back().op = op;
    tree_.nodes.back().kids = {left, right};
    return id;
  }

  Tree& tree_;
  const std::array<std::int64_t, 3> block_;
  const std::array<std::int64_t, 3> cluster_;
  Node read_;  // The assembly that is replaced.
};

/// Whether nothing but indices and sizes of blocks and threads is in it.
bool is_of_registers(const Tree& tree, NodeId id) {
  const Node& node = tree.node(id);
  return node.kind == NodeKind::kInt || node.kind == NodeKind::kBuiltin ||
         (node.kind == NodeKind::kBinary &&
          std::ranges::all_of(node.kids, [&](NodeId kid) { return is_of_registers(tree, kid); }));
}

/// "clusterid.x", if that is all that an assembly moves to its only operand; empty: it does more.
std::string register_read(const Node& node) {
  if (node.kind != NodeKind::kAsm || node.value != 1 || node.kids.size() != 1 ||
      node.text.find("mov.u32") == std::string::npos) {
    return {};
  }
  const std::vector<std::string> all = instructions_of(node.text);
  const std::size_t comma = all.size() == 1 ? all[0].find(',') : std::string::npos;
  if (comma == std::string::npos || !all[0].starts_with("mov.u32")) {
    return {};
  }
  const std::size_t name = all[0].find_first_not_of(" \t%", comma + 1);
  return name == std::string::npos || all[0].find('%', comma) == std::string::npos
             ? ""
             : all[0].substr(name);
}

/// The value of a function that only reads a register: `int x; x = ...; return x;`. kNone: it does
/// more.
NodeId value_of(const Tree& tree, const Function& function) {
  if (function.body == kNone || !function.params.empty()) {
    return kNone;
  }
  const Node& body = tree.node(function.body);
  if (body.kind != NodeKind::kBlock || body.kids.size() != 3) {
    return kNone;
  }
  const Node& declared = tree.node(body.kids[0]);
  const Node& assigned = tree.node(body.kids[1]);
  const Node* given = &tree.node(body.kids[2]);
  if (declared.kind != NodeKind::kDeclare || assigned.kind != NodeKind::kAssign ||
      given->kind != NodeKind::kReturn || tree.node(assigned.kids[0]).index != declared.index) {
    return kNone;
  }
  while ((given->kind == NodeKind::kReturn || given->kind == NodeKind::kCast) &&
         given->kids.size() == 1) {
    given = &tree.node(given->kids[0]);
  }
  const bool same = given->kind == NodeKind::kVariable && given->index == declared.index;
  return same && is_of_registers(tree, assigned.kids[1]) ? assigned.kids[1] : kNone;
}

/// Calls of functions that only read a register become its value.
void enter_reads(Tree& tree) {
  std::map<FunctionId, NodeId> values;
  for (std::size_t i = 0; i < tree.functions.size(); ++i) {
    if (const NodeId value = value_of(tree, tree.functions[i]); value != kNone) {
      values[static_cast<FunctionId>(i)] = value;
    }
  }
  for (Node& node : tree.nodes) {
    const auto value = node.kind == NodeKind::kCall ? values.find(node.index) : values.end();
    if (value != values.end()) {
      node.kind = NodeKind::kCast;
      node.index = kNone;
      node.text.clear();
      node.kids = {value->second};
    }
  }
}

}  // namespace

Tree without_special_registers(Tree tree, const std::array<std::int64_t, 3>& block,
                               const std::array<std::int64_t, 3>& cluster) {
  Registers registers(tree, block, cluster);
  for (std::size_t id = 0, count = tree.nodes.size(); id < count; ++id) {
    const std::string name = register_read(tree.nodes[id]);
    if (name.empty()) {
      continue;
    }
    const Node read = tree.nodes[id];
    if (const std::optional<NodeId> value = registers.value(name, read)) {
      Node& node = tree.nodes[id];
      node.kind = NodeKind::kAssign;
      node.type = tree.nodes[static_cast<std::size_t>(node.kids[0])].type;
      node.text.clear();
      node.value = 0;
      node.names.clear();
      node.kids.push_back(*value);
    }
  }
  enter_reads(tree);
  return tree;
}

}  // namespace ws::lift
