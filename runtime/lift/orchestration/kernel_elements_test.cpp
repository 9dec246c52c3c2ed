// Integers from memory in the texts of a skeleton.
#include <doctest/doctest.h>

#include "runtime/lift/orchestration/test_integers.h"
#include "runtime/lift/orchestration/test_texts.h"

namespace ws::lift {
namespace {

/// With an argument `self.order` of (rows, 4) integers, which the parameter `in` points to.
struct Elements : TestIntegers {
  Elements() {
    input.entry = 0;
    input.tensors = {{"order", DType::kI32, {Poly(3), Poly(4)}, false}};
    Argument argument;
    argument.kind = Argument::Kind::kTensor;
    input.args = {argument};
  }

  LaunchInput input;
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
