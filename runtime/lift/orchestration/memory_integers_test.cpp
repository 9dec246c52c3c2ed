#include "runtime/lift/orchestration/memory_integers.h"

#include <doctest/doctest.h>

#include "runtime/lift/orchestration/test_integers.h"

namespace ws::lift {
namespace {

/// With `int x, y; unsigned n;`.
struct Integers : TestIntegers {
  NodeId binary(COperator op, TypeId type, NodeId left, NodeId right) {
    return node(NodeKind::kBinary, type, {left, right}, op);
  }

  /// `v[blockIdx.x]`
  NodeId read() { return TestIntegers::read(v, whole); }

  VariableId x = add("x", whole);
  VariableId y = add("y", whole);
  VariableId n = add("n", word);
};

}  // namespace

TEST_SUITE("lift.memory_integers") {
  TEST_CASE("a variable that gets one anywhere holds one everywhere") {
    Integers all;
    const NodeId before = all.kernel.variable(all.y);
    const NodeId of_x =
        all.binary(COperator::kAdd, all.whole, all.kernel.variable(all.x), all.kernel.number(1));
    const NodeId other = all.kernel.variable(all.n);
    const NodeId read = all.read();
    all.kernel.assign(all.kernel.variable(all.y), of_x);
    all.kernel.assign(all.kernel.variable(all.x), read);
    const NodeId at = all.node(NodeKind::kAddress, kNone, {read});
    const MemoryIntegers made(all.kernel.tree());
    CHECK(made.is_data(read));
    CHECK(made.reads(read));
    CHECK(made.is_data(before));  // By way of x.
    CHECK(made.holds_data(all.y));
    CHECK_FALSE(made.holds_data(all.n));
    CHECK_FALSE(made.is_data(other));
    CHECK_FALSE(made.reads(before));
    CHECK_FALSE(made.is_data(at));  // Where it lies is known.
  }

  TEST_CASE("functions take and give them") {
    Integers all;
    Tree& tree = all.kernel.tree();
    const VariableId param = all.add("k", all.whole);
    const VariableId result = add_variable(tree, "m", all.whole, Space::kLocal, true);
    const NodeId inside = all.kernel.variable(param);
    const FunctionId id =
        add_function(tree, {param, result},
                     add_node(tree, NodeKind::kBlock, kNone,
                              {all.kernel.assign(all.kernel.variable(result), inside),
                               add_node(tree, NodeKind::kReturn, kNone, {all.kernel.number(1)})}));
    const NodeId call =
        add_node(tree, NodeKind::kCall, id, {all.read(), all.kernel.variable(all.x)}, all.whole);
    const MemoryIntegers made(tree);
    CHECK(made.is_data(inside));
    CHECK(made.holds_data(all.x));
    CHECK_FALSE(made.is_data(call));  // It gives 1.
    CHECK_FALSE(made.holds_data(all.y));
  }

  TEST_CASE("operators that wrap have no form, and others have") {
    Integers all;
    const NodeId read = all.read();
    const NodeId two = all.kernel.number(2);
    const NodeId as_word = all.node(NodeKind::kCast, all.word, {read});
    const auto of = [&](COperator op) { return all.binary(op, all.whole, read, two); };
    const std::vector<NodeId> with = {
        of(COperator::kAdd),
        of(COperator::kMultiply),
        of(COperator::kShiftRight),
        of(COperator::kBitAnd),
        of(COperator::kDivide),
        of(COperator::kRemainder),
        of(COperator::kLessEqual),
        all.kernel.binary(COperator::kShiftLeft, two, two),  // It has no number from memory.
    };
    const std::vector<NodeId> without = {
        of(COperator::kShiftLeft),
        as_word,
        all.node(NodeKind::kCast, all.small, {read}),
        all.binary(COperator::kAdd, all.word, as_word, two),
        all.node(NodeKind::kAssign, all.word, {all.kernel.variable(all.n), as_word}),
        all.node(NodeKind::kAssign, all.whole, {all.kernel.variable(all.x), read},
                 COperator::kDivide),
    };
    const MemoryIntegers made(all.kernel.tree());
    for (std::size_t i = 0; i < with.size(); ++i) {
      CHECK_MESSAGE(made.has_form(with[i]), i);
    }
    for (std::size_t i = 0; i < without.size(); ++i) {
      CHECK_MESSAGE(!made.has_form(without[i]), i);
    }
  }

  TEST_CASE("a sum with an unsigned number that becomes an int again has a form") {
    Integers all;
    const NodeId rank = all.node(NodeKind::kCast, all.word, {all.kernel.block()});
    const NodeId as_word = all.node(NodeKind::kCast, all.word, {all.read()});
    const NodeId sum = all.binary(COperator::kAdd, all.word, as_word, rank);
    const NodeId back = all.node(NodeKind::kCast, all.whole, {sum});
    const NodeId other_word = all.node(NodeKind::kCast, all.word, {all.read()});
    const NodeId quotient = all.binary(COperator::kDivide, all.word, other_word, rank);
    const NodeId no_sum = all.node(NodeKind::kCast, all.whole, {quotient});
    const MemoryIntegers made(all.kernel.tree());
    CHECK(made.has_form(back));
    CHECK(made.has_form(sum));
    CHECK(made.has_form(as_word));
    CHECK_FALSE(made.has_form(no_sum));
    CHECK_FALSE(made.has_form(quotient));
    CHECK_FALSE(made.has_form(other_word));
  }
}

}  // namespace ws::lift
