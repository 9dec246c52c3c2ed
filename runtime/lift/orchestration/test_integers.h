// Integers of several types in a kernel, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/small_kernel.h"

namespace ws::lift {

/// A kernel with `__shared__ unsigned u[8]; __shared__ int v[8];`.
struct TestIntegers {
  TestIntegers() {
    Tree& tree = kernel.tree();
    whole = tree.node(kernel.number(0)).type;
    word = static_cast<TypeId>(tree.types.size());
    tree.types.push_back({TypeKind::kInt, "unsigned int", 4, false, kNone, 0, {}});
    tree.types.push_back({TypeKind::kInt, "unsigned char", 1, false, kNone, 0, {}});
    tree.types.push_back({TypeKind::kArray, "", 32, false, word, 8, {}});
    tree.types.push_back({TypeKind::kArray, "", 32, false, whole, 8, {}});
    small = word + 1;
    u = add_variable(tree, "u", word + 2, Space::kShared);
    v = add_variable(tree, "v", word + 3, Space::kShared);
  }

  VariableId add(const std::string& name, TypeId type) {
    return add_variable(kernel.tree(), name, type);
  }

  NodeId node(NodeKind kind, TypeId type, std::vector<NodeId> kids,
              COperator op = COperator::kNone) {
    return add_node(kernel.tree(), kind, kNone, std::move(kids), type, op);
  }

  /// `u[blockIdx.x]`
  NodeId read(VariableId array, TypeId type) {
    return node(NodeKind::kIndex, type, {kernel.variable(array), kernel.block()});
  }

  SmallKernel kernel{32};
  TypeId whole = kNone;
  TypeId word = kNone;
  TypeId small = kNone;
  VariableId u = kNone;
  VariableId v = kNone;
};

}  // namespace ws::lift
