#include "runtime/lift/symbolic/evaluator.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// Expressions on the integer variable `x`.
struct Evaluating : RunParts, Runner {
  ObjectId x = declare_x(kWord);
  CarriedVariables carried{basis, objects, memory, reports, steps};
  Calls calls{basis, *this, reports, steps, guards, control, objects, memory, carried};
  Pointers pointers{basis, *this, objects};
  Evaluator evaluator{basis, *this, steps, guards, objects, memory, pointers, calls};
  std::vector<Lanes> active;  ///< By each statement, the threads that ran it.

  Evaluating() { tree.types[kWord].is_signed = true; }

  NodeId add(NodeKind kind, std::vector<NodeId> kids = {}) {
    Node node;
    node.kind = kind;
    node.type = kWord;
    node.kids = std::move(kids);
    tree.nodes.push_back(std::move(node));
    return static_cast<NodeId>(tree.nodes.size()) - 1;
  }

  NodeId number(std::int64_t value) {
    const NodeId made = add(NodeKind::kInt);
    tree.nodes.back().value = value;
    return made;
  }

  NodeId variable() {
    const NodeId made = add(NodeKind::kVariable);
    tree.nodes.back().index = kX;
    return made;
  }

  NodeId operation(NodeKind kind, COperator op, std::vector<NodeId> kids) {
    const NodeId made = add(kind, std::move(kids));
    tree.nodes.back().op = op;
    return made;
  }

  NodeId thread() { return add(NodeKind::kBuiltin); }

  void set(std::int64_t value) {
    objects.at(x).leaves.front() = {terms.integer(Poly(value)), kNone, {}};
  }

  /// The integer that an expression has.
  std::optional<Poly> value_of(NodeId id) {
    const Result<TermId> term = term_of(id);
    const bool known = term && terms.at(*term).kind == TermKind::kInteger;
    return known ? std::optional(terms.at(*term).poly) : std::nullopt;
  }

  Status statement(NodeId /*id*/) override {
    active.push_back(guards.active());
    return {};
  }

  Result<Value> evaluate(NodeId id) override { return evaluator.evaluate(id); }

  Result<ValuePlace> place(NodeId id) override { return pointers.place(id); }
};

}  // namespace

TEST_SUITE("lift.evaluator") {
  TEST_CASE("operators compute for each thread, and steps change their variable") {
    Evaluating on;
    on.set(5);
    CHECK(on.value_of(on.operation(NodeKind::kBinary, COperator::kAdd,
                                   {on.thread(), on.variable()})) == Poly(Lanes{5, 6, 7, 8}));
    CHECK(on.value_of(on.operation(NodeKind::kUnary, COperator::kIncrementAfter,
                                   {on.variable()})) == Poly(5));
    CHECK(on.value_of(on.variable()) == Poly(6));
    CHECK(on.value_of(on.operation(NodeKind::kUnary, COperator::kDecrement, {on.variable()})) ==
          Poly(5));
    CHECK(on.value_of(on.operation(NodeKind::kUnary, COperator::kNegate, {on.variable()})) ==
          Poly(-5));
  }

  TEST_CASE("only the side that is chosen is evaluated, by the threads that choose it") {
    Evaluating on;
    const NodeId yes = on.add(NodeKind::kBlock);
    const NodeId no = on.add(NodeKind::kBlock);
    const NodeId below =
        on.operation(NodeKind::kBinary, COperator::kLess, {on.thread(), on.number(2)});
    on.tree.nodes[static_cast<std::size_t>(below)].type = RunParts::kWord;
    CHECK(on.term_of(on.add(NodeKind::kSelect, {below, yes, no})).has_value() == false);
    CHECK(on.active == std::vector<Lanes>{{1, 1, 0, 0}});
    CHECK(on.guards.is_everyone());
    on.active.clear();
    CHECK(on.value_of(on.add(NodeKind::kSelect, {on.number(1), on.number(7), no})) == Poly(7));
    CHECK(on.active.empty());
  }

  TEST_CASE("a list leaves the rest zero, and what is not understood is named") {
    Evaluating on;
    const NodeId list = on.add(NodeKind::kList, {on.number(4)});
    std::vector<Leaf> leaves;
    REQUIRE(on.evaluator.fill(RunParts::kArray, list, leaves));
    REQUIRE(leaves.size() == 64);
    CHECK(on.terms.at(leaves.back().term).kind == TermKind::kNumber);
    const NodeId unknown = on.add(NodeKind::kUnknown);
    on.tree.nodes.back().text = "goto";
    CHECK(RunParts::error_of(on.evaluator.evaluate(unknown)) == "not understood: goto");
    const NodeId call = on.add(NodeKind::kCall);
    on.tree.nodes.back().text = "clock";
    CHECK(RunParts::error_of(on.evaluator.evaluate(call)) == "`clock` is not known");
  }
}

}  // namespace ws::lift
