#include "runtime/lift/orchestration/changed_variables.h"

#include <doctest/doctest.h>

#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

/// A kernel with `int x; int& y = x; int* p; int z;`.
struct Names {
  Names() {
    whole = kernel.tree().node(kernel.number(0)).type;
    x = add("x", whole);
    y = add("y", whole, true);
    p = add("p", static_cast<TypeId>(kernel.tree().types.size()));
    kernel.tree().types.push_back({TypeKind::kPointer, "", 8, false, whole, 0, {}});
    z = add("z", whole);
    declare(y, kernel.variable(x));
  }

  VariableId add(const std::string& name, TypeId type, bool reference = false) {
    return add_variable(kernel.tree(), name, type, Space::kLocal, reference);
  }

  NodeId declare(VariableId id, NodeId value) {
    return add_node(kernel.tree(), NodeKind::kDeclare, id, {value});
  }

  NodeId name(VariableId id) {
    return add_node(kernel.tree(), NodeKind::kVariable, id, {}, kernel.tree().variable(id).type);
  }

  NodeId set(NodeId target) { return kernel.assign(target, kernel.number(1)); }

  SmallKernel kernel{32};
  TypeId whole = kNone;
  VariableId x = kNone;
  VariableId y = kNone;
  VariableId p = kNone;
  VariableId z = kNone;
};

using VariableSet = std::set<VariableId>;

}  // namespace

TEST_SUITE("lift.changed_variables") {
  TEST_CASE("a reference and a pointer change what they stand for") {
    Names all;
    Tree& tree = all.kernel.tree();
    const TypeId pointer = tree.variable(all.p).type;
    const NodeId by_reference = all.set(all.name(all.y));
    const NodeId address = add_node(tree, NodeKind::kAddress, kNone, {all.name(all.z)}, pointer);
    const NodeId moved = all.kernel.assign(all.name(all.p), address);
    const NodeId by_pointer =
        all.set(add_node(tree, NodeKind::kDereference, kNone, {all.name(all.p)}, all.whole));
    const NodeId sum = all.kernel.binary(COperator::kAdd, all.name(all.x), all.kernel.number(1));
    const NodeId step = add_node(tree, NodeKind::kUnary, kNone, {all.name(all.z)}, all.whole,
                                 COperator::kIncrement);
    const ChangedVariables made(tree);
    CHECK(made.by(by_reference) == VariableSet{all.x, all.y});
    CHECK(made.by(moved) == VariableSet{all.p});
    CHECK(made.by(by_pointer) == VariableSet{all.z});
    CHECK(made.by(step) == VariableSet{all.z});
    CHECK(made.by(sum).empty());
    CHECK(made.in(sum) == VariableSet{all.x});
    CHECK(meet(made.by(by_reference), made.in(sum)));
    CHECK_FALSE(meet(made.by(by_pointer), made.in(sum)));
    CHECK(tree.node(made.root_of(sum)).index == all.x);
    CHECK(made.root_of(address) != kNone);
    CHECK(made.root_of(all.kernel.block()) == kNone);
  }

  TEST_CASE("an object is one variable, and memory is none") {
    Names all;
    Tree& tree = all.kernel.tree();
    const NodeId field = add_node(tree, NodeKind::kMember, kNone, {all.name(all.z)}, all.whole);
    const NodeId changed = all.set(field);
    const NodeId stored = all.set(all.kernel.element(all.kernel.shared(), all.name(all.x)));
    const ChangedVariables made(tree);
    CHECK(made.by(changed) == VariableSet{all.z});
    CHECK(made.by(stored).empty());
  }

  TEST_CASE("a function changes what any call gives it, and nothing of its own") {
    Names all;
    Tree& tree = all.kernel.tree();
    const VariableId out = all.add("out", all.whole, true);
    const VariableId own = all.add("own", all.whole);
    const NodeId body = add_node(tree, NodeKind::kBlock, kNone,
                                 {all.set(all.name(out)), all.set(all.name(own)),
                                  all.declare(all.add("local", all.whole), all.kernel.number(1))});
    const FunctionId id = add_function(tree, {out, own}, body);
    const NodeId first =
        add_node(tree, NodeKind::kCall, id, {all.name(all.z), all.name(all.x)}, all.whole);
    const NodeId second =
        add_node(tree, NodeKind::kCall, id, {all.name(all.y), all.name(all.x)}, all.whole);
    const ChangedVariables made(tree);
    CHECK(made.by(first) == VariableSet{all.x, all.y, all.z});
    CHECK(made.by(second) == made.by(first));
    CHECK(made.by(body).contains(own));
  }
}

}  // namespace ws::lift
