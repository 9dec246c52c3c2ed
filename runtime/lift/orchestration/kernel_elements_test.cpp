// Integers from memory in the texts of a skeleton.
#include <doctest/doctest.h>

#include "runtime/lift/orchestration/test_texts.h"
#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

/// A kernel with `__shared__ unsigned u[8]; __shared__ int v[8];` and an argument `self.order` of
/// (rows, 4) integers, which its parameter `in` points to.
struct Elements {
  Elements() {
    Tree& tree = kernel.tree();
    whole = tree.node(kernel.number(0)).type;
    word = static_cast<TypeId>(tree.types.size());
    tree.types.push_back({TypeKind::kInt, "unsigned int", 4, false, kNone, 0, {}});
    small = word + 1;
    tree.types.push_back({TypeKind::kInt, "unsigned char", 1, false, kNone, 0, {}});
    tree.types.push_back({TypeKind::kArray, "", 32, false, word, 8, {}});
    tree.types.push_back({TypeKind::kArray, "", 32, false, whole, 8, {}});
    u = add("u", word + 2);
    v = add("v", word + 3);
    tree.variables[static_cast<std::size_t>(u)].space = Space::kShared;
    tree.variables[static_cast<std::size_t>(v)].space = Space::kShared;
    input.entry = 0;
    input.tensors = {{"order", DType::kI32, {Poly(3), Poly(4)}, false}};
    Argument argument;
    argument.kind = Argument::Kind::kTensor;
    input.args = {argument};
  }

  VariableId add(const std::string& name, TypeId type) {
    Variable variable;
    variable.name = name;
    variable.type = type;
    kernel.tree().variables.push_back(std::move(variable));
    return static_cast<VariableId>(kernel.tree().variables.size()) - 1;
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
  LaunchInput input;
  TypeId whole = kNone;
  TypeId word = kNone;
  TypeId small = kNone;
  VariableId u = kNone;
  VariableId v = kNone;
};

}  // namespace

TEST_SUITE("lift.kernel_elements") {
  TEST_CASE("an element has the sum of its indices, or a row and a column of a tensor") {
    Elements all;
    const NodeId at = all.node(NodeKind::kAddress, kNone, {all.read(all.v, all.whole)});
    const NodeId behind = all.node(NodeKind::kIndex, all.whole, {at, all.kernel.number(2)});
    const NodeId given =
        all.node(NodeKind::kIndex, all.whole, {all.kernel.in(), all.kernel.block()});
    const NodeId first = all.node(NodeKind::kDereference, all.whole, {all.kernel.variable(all.v)});
    const NodeId other = all.read(all.v, all.word);
    const TestTexts made(all.kernel.tree(), 32, all.input);
    CHECK(made.texts.of(behind) == "self.v[(blockIdx.x) + (2)]");
    CHECK(made.texts.of(given) == "self.order[(blockIdx.x) // (4), (blockIdx.x) % (4)]");
    CHECK(made.texts.of(first) == "self.v[0]");
    CHECK(made.texts.is_data(behind));
    CHECK_FALSE(made.texts.is_data(at));
    CHECK(made.texts.of(other).empty());  // The array has another type.
  }

  TEST_CASE("a pointer that was made of what changes has no elements") {
    Elements all;
    Tree& tree = all.kernel.tree();
    const VariableId i = all.add("i", all.whole);
    const TypeId pointer = tree.node(all.kernel.in()).type;
    const VariableId p = all.add("p", pointer);
    const NodeId sum =
        all.node(NodeKind::kBinary, pointer, {all.kernel.variable(all.v), all.kernel.variable(i)},
                 COperator::kAdd);
    all.node(NodeKind::kDeclare, kNone, {sum});
    tree.nodes.back().index = p;
    const NodeId read = all.node(NodeKind::kDereference, all.whole, {all.kernel.variable(p)});
    {
      const TestTexts made(all.kernel.tree(), 32, all.input);
      CHECK(made.texts.of(read) == "self.v[i]");
    }
    for (int times = 0; times < 2; ++times) {
      all.node(NodeKind::kAssign, all.whole, {all.kernel.variable(i), all.kernel.number(1)});
    }
    const TestTexts made(all.kernel.tree(), 32, all.input);
    CHECK(made.texts.of(read).empty());
  }

  TEST_CASE("a pointer in an object points to its place") {
    Elements all;
    TestTexts made(all.kernel.tree(), 32, all.input);
    CHECK(made.texts.field("order_tiles").empty());
    made.texts.set_field("order_tiles", "self.v");
    CHECK(made.texts.field("order_tiles") == "self.v");
    made.texts.begin_walk();
    CHECK(made.texts.field("order_tiles").empty());
  }
}

}  // namespace ws::lift
