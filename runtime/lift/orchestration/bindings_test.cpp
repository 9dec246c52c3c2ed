#include "runtime/lift/orchestration/bindings.h"

#include <doctest/doctest.h>

#include "tests/support/small_kernel.h"

namespace ws::lift {

TEST_SUITE("lift.bindings") {
  TEST_CASE("variables are bound where they are declared, and parameters by each call") {
    SmallKernel kernel(32);
    Tree& tree = kernel.tree();
    const TypeId whole = tree.node(kernel.number(0)).type;
    const VariableId x = add_variable(tree, "x", whole);
    const VariableId y = add_variable(tree, "y", whole);
    const VariableId param = add_variable(tree, "n", whole);
    const NodeId one = kernel.number(1);
    const NodeId two = kernel.number(2);
    const FunctionId id = add_function(tree, {param}, kNone);
    add_node(tree, NodeKind::kDeclare, x, {one});
    add_node(tree, NodeKind::kDeclare, y, {});
    add_node(tree, NodeKind::kCall, id, {two});
    add_node(tree, NodeKind::kCall, id, {one, two});  // One more than it has parameters.
    add_node(tree, NodeKind::kCall, kNone, {one});
    const std::vector<Binding> all = bindings_of(tree);
    REQUIRE(all.size() == 3);
    CHECK(all[0].variable == x);
    CHECK(all[0].source == one);
    CHECK(all[1].variable == param);
    CHECK(all[1].source == two);
    CHECK(all[2].source == one);
  }
}

}  // namespace ws::lift
