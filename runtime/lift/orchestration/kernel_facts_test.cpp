#include "runtime/lift/orchestration/kernel_facts.h"

#include <doctest/doctest.h>

#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

/// A function of the kernel whose only parameter is an integer by reference.
struct Called {
  FunctionId id = kNone;
  VariableId param = kNone;
};

Called add_function(Tree& tree, NodeId body) {
  TypeId whole = 0;
  while (tree.types[static_cast<std::size_t>(whole)].kind != TypeKind::kInt) {
    ++whole;
  }
  Called made{static_cast<FunctionId>(tree.functions.size()),
              static_cast<VariableId>(tree.variables.size())};
  tree.variables.push_back({"n", whole, Space::kLocal, true, 4, {0, 1, 1, 1, 2}});
  Function function;
  function.name = "f";
  function.params = {made.param};
  function.body = body;
  tree.functions.push_back(function);
  return made;
}

}  // namespace

TEST_SUITE("lift.kernel_facts") {
  TEST_CASE("a call orchestrates, waits and copies where the body of its function does") {
    SmallKernel kernel(32);
    const NodeId copy = kernel.copy(kernel.address(), kernel.in());
    const NodeId wait = kernel.assembly("cp.async.wait_all;");
    const NodeId barrier = kernel.barrier();
    const NodeId plain =
        kernel.assign(kernel.element(kernel.out(), kernel.thread()), kernel.number(1));
    Tree& tree = kernel.tree();
    const NodeId copies = add_node(tree, NodeKind::kCall, add_function(tree, copy).id, {plain});
    const NodeId waits = add_node(tree, NodeKind::kCall, add_function(tree, barrier).id, {plain});
    const NodeId stores = add_node(tree, NodeKind::kCall, add_function(tree, plain).id, {plain});
    const KernelFacts facts(tree);
    CHECK(facts.has_primitives(copies));
    CHECK(facts.has_primitives(waits));
    CHECK_FALSE(facts.has_primitives(stores));
    CHECK(facts.waits(waits));
    CHECK_FALSE(facts.waits(copies));
    CHECK(facts.cooperation_of(copies) == Cooperation::kCopies);
    CHECK(facts.cooperation_of(wait) == Cooperation::kOther);
    CHECK(facts.cooperation_of(waits) == Cooperation::kOther);
    CHECK(facts.cooperation_of(stores) == Cooperation::kNothing);
  }

  TEST_CASE("a function that calls itself has no more than the rest of it") {
    SmallKernel kernel(32);
    Tree& tree = kernel.tree();
    const Called called = add_function(tree, kNone);
    const NodeId again = add_node(tree, NodeKind::kCall, called.id,
                                  {add_node(tree, NodeKind::kVariable, called.param, {})});
    tree.functions[static_cast<std::size_t>(called.id)].body = again;
    const KernelFacts facts(tree);
    CHECK_FALSE(facts.has_primitives(again));
    CHECK_FALSE(facts.waits(again));
    CHECK_FALSE(facts.is_written(tree.node(again), 0));
  }

  TEST_CASE("a pointer in an object that is given its only value is known for good") {
    SmallKernel kernel(32);
    const NodeId value = kernel.in();
    Tree& tree = kernel.tree();
    const TypeId pointer = tree.node(value).type;
    const auto member = [&] {
      const NodeId object = kernel.variable(0);
      const NodeId made = add_node(tree, NodeKind::kMember, kNone, {object});
      tree.nodes.back().text = "tiles";
      tree.nodes.back().type = pointer;
      return made;
    };
    const NodeId given = add_node(tree, NodeKind::kAssign, kNone, {member(), value});
    const NodeId read = add_node(tree, NodeKind::kIndex, kNone, {member(), kernel.number(0)});
    {
      const KernelFacts facts(tree);
      CHECK(facts.is_pointer_field(tree.node(given)));
      CHECK(facts.is_straight(given));
      CHECK_FALSE(facts.is_pointer_field(tree.node(read)));
    }
    const NodeId address = add_node(tree, NodeKind::kAddress, kNone, {member()});
    CHECK_FALSE(KernelFacts(tree).is_pointer_field(tree.node(given)));
    tree.nodes[static_cast<std::size_t>(address)].kind = NodeKind::kAssign;
    tree.nodes[static_cast<std::size_t>(address)].kids.push_back(value);
    CHECK_FALSE(KernelFacts(tree).is_straight(given));
  }

  TEST_CASE("what a function writes through a reference is an output of its calls") {
    SmallKernel kernel(32);
    const NodeId one = kernel.number(1);
    Tree& tree = kernel.tree();
    const Called called = add_function(tree, kNone);
    const NodeId param = add_node(tree, NodeKind::kVariable, called.param, {});
    tree.functions[static_cast<std::size_t>(called.id)].body =
        add_node(tree, NodeKind::kAssign, kNone, {param, one});
    const auto given = static_cast<VariableId>(tree.variables.size());
    Variable variable = tree.variable(called.param);
    variable.reference = false;
    tree.variables.push_back(variable);
    const NodeId call = add_node(tree, NodeKind::kCall, called.id,
                                 {add_node(tree, NodeKind::kVariable, given, {})});
    const NodeId declared = add_node(tree, NodeKind::kDeclare, given, {one});
    const KernelFacts facts(tree);
    CHECK(facts.is_written(tree.node(call), 0));
    CHECK_FALSE(facts.is_written(tree.node(call), 1));
    CHECK(facts.is_output(given));
    CHECK_FALSE(facts.is_output(called.param));
    CHECK(facts.initial(given) == one);
    CHECK(facts.initial(called.param) == kNone);
    CHECK(facts.is_read(given));
    CHECK(facts.is_straight(declared));
    CHECK_FALSE(facts.is_straight(call));
    CHECK(facts.is_alias(tree.node(add_node(tree, NodeKind::kDeclare, called.param, {one}))));
    CHECK_FALSE(facts.is_alias(tree.node(declared)));
  }
}

}  // namespace ws::lift
