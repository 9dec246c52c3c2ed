#include "runtime/lift/symbolic/effects.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// Expressions on `x` and `s`.
struct Expressions : RunParts {
  ObjectId x = declare_x(kFloat);
  Effects effects{tree, objects};

  NodeId add(NodeKind kind, TypeId type, std::vector<NodeId> kids) {
    Node node;
    node.kind = kind;
    node.type = type;
    node.kids = std::move(kids);
    tree.nodes.push_back(std::move(node));
    return static_cast<NodeId>(tree.nodes.size()) - 1;
  }

  NodeId variable(VariableId id) {
    const NodeId made = add(NodeKind::kVariable, tree.variable(id).type, {});
    tree.nodes.back().index = id;
    return made;
  }

  NodeId number() { return add(NodeKind::kInt, kWord, {}); }
};

}  // namespace

TEST_SUITE("lift.effects") {
  TEST_CASE("an expression changes nothing, variables by their names, or more") {
    Expressions on;
    const NodeId sum =
        on.add(NodeKind::kBinary, RunParts::kFloat, {on.variable(RunParts::kX), on.number()});
    const NodeId named =
        on.add(NodeKind::kAssign, RunParts::kFloat, {on.variable(RunParts::kX), on.number()});
    const NodeId element =
        on.add(NodeKind::kIndex, RunParts::kFloat, {on.variable(RunParts::kS), on.number()});
    const NodeId shared = on.add(NodeKind::kAssign, RunParts::kFloat, {element, on.number()});
    const NodeId both = on.add(NodeKind::kBinary, RunParts::kFloat, {named, shared});
    const NodeId assembly = on.add(NodeKind::kAsm, kNone, {});
    CHECK(on.effects.changes_of(kNone) == Changes::kNothing);
    CHECK(on.effects.changes_of(sum) == Changes::kNothing);
    CHECK(on.effects.changes_of(named) == Changes::kVariables);
    CHECK(on.effects.changes_of(shared) == Changes::kMore);
    CHECK(on.effects.changes_of(both) == Changes::kMore);
    CHECK(on.effects.changes_of(assembly) == Changes::kMore);
  }

  TEST_CASE("variables that are assigned by name get back what they held") {
    Expressions on;
    const TermId before = on.RunParts::number(1);
    on.objects.at(on.x).leaves.front() = {before, kNone, {}};
    Effects::Saved saved;
    on.effects.save(kNone, saved);
    on.effects.save(on.variable(RunParts::kX), saved);
    CHECK(saved.empty());
    on.effects.save(
        on.add(NodeKind::kAssign, RunParts::kFloat, {on.variable(RunParts::kX), on.number()}),
        saved);
    CHECK(saved.size() == 1);
    on.objects.at(on.x).leaves.front() = {};
    on.effects.restore(std::move(saved));
    CHECK(on.objects.at(on.x).leaves.front().term == before);
  }
}

}  // namespace ws::lift
