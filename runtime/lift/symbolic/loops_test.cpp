#include "runtime/lift/symbolic/loops.h"

#include <functional>

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// A loop whose condition, step and body are functions of the test.
struct Looping : RunParts, Runner {
  static constexpr NodeId kCondition = 1;
  static constexpr NodeId kStep = 2;
  static constexpr NodeId kBody = 3;

  std::function<TermId()> condition;
  std::function<void()> step = [] {};
  std::function<void()> body = [] {};
  int bodies = 0;
  ObjectId x = declare_x(kWord);
  CopyQueue copies{basis, objects, memory, guards, steps};
  CarriedVariables carried{basis, objects, memory, reports, steps};
  RoundPlaces places{basis, reports};
  Loops loops{
      basis,
      {*this, reports, steps, guards, control, reads, objects, memory, copies, carried, places},
      nullptr};

  Looping() {
    tree.nodes.resize(4);
    tree.nodes[kStep].kind = NodeKind::kUnary;
    tree.nodes[kCondition].kind = NodeKind::kBinary;
    set(Poly(0));
    step = [this] { set(now().plus(Poly(1))); };
  }

  void set(const Poly& value) { objects.at(x).leaves.front() = {terms.integer(value), kNone, {}}; }

  [[nodiscard]] const Poly& now() const { return terms.at(objects.at(x).leaves.front().term).poly; }

  /// Whether x is less than a number.
  TermId below(const Poly& number) {
    return numbers
        .result(ir::Operator::kLess, terms.integer(now()), terms.integer(number), DType::kBool)
        .value_or(kNone);
  }

  std::string run() {
    Node node;
    node.kind = NodeKind::kFor;
    node.kids = {0, kCondition, kStep, kBody};
    return error_of(loops.run(node));
  }

  Status statement(NodeId id) override {
    if (id == kStep) {
      step();
    } else if (id == kBody) {
      ++bodies;
      body();
    }
    return {};
  }

  Result<Value> evaluate(NodeId /*id*/) override {
    return Value{kWord, {{condition(), kNone, {}}}};
  }

  Result<ValuePlace> place(NodeId /*id*/) override { return ValuePlace(); }
};

}  // namespace

TEST_SUITE("lift.loops") {
  TEST_CASE("a loop whose rounds are known runs each of them, by the threads that take part") {
    Looping on;
    on.tree.nodes[Looping::kStep].op = COperator::kIncrement;
    Node variable;
    variable.kind = NodeKind::kVariable;
    variable.index = RunParts::kX;
    on.tree.nodes[0] = variable;
    on.tree.nodes[Looping::kStep].kids = {0};
    on.condition = [&] { return on.below(Poly(Lanes{3, 3, 1, 0})); };
    std::vector<Lanes> active;
    on.body = [&] { active.push_back(on.guards.active()); };
    CHECK(on.run().empty());
    CHECK(active == std::vector<Lanes>{{1, 1, 1, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}});
    CHECK(on.guards.is_everyone());
    CHECK(on.events.loops.empty());
  }

  TEST_CASE("another loop is run once for all rounds, after trials that report nothing") {
    Looping on;
    const Poly size = Poly::of(on.symbols.intern("self.n"));
    on.condition = [&] { return on.below(size); };
    std::vector<bool> trials;
    Poly seen;
    on.body = [&] {
      trials.push_back(on.reports.is_trial());
      seen = on.now();
    };
    CHECK(on.run().empty());
    CHECK(trials == std::vector<bool>{true, true, false});
    REQUIRE(on.events.loops.size() == 1);
    CHECK(on.events.loops[0].variable == "step");
    CHECK(on.events.loops[0].total == size);
    CHECK(on.events.loops[0].step == Poly(1));
    CHECK(seen == Poly::of(on.symbols.intern("step")));
    CHECK(on.objects.at(on.x).leaves.front() == Leaf());  // It is not known after the loop.
    CHECK(on.carried.depth() == 0);
  }

  TEST_CASE("loops that cannot be counted, left or run around a part are refused") {
    Looping data;
    data.condition = [&] { return data.number(1); };
    CHECK(data.run() == "a loop whose condition is no comparison of indices");
    Looping left;
    left.condition = [&] { return left.below(Poly::of(left.symbols.intern("self.n"))); };
    left.body = [&] { left.control.go(Flow::kBreak); };
    CHECK(left.run() == "a loop that is left from within");
    Looping part;
    const SharedArrays arrays;
    part.mode.arrays = &arrays;
    part.condition = [&] { return part.below(Poly::of(part.symbols.intern("self.n"))); };
    CHECK(part.run() == Loops::kUnknownRounds);
    Looping endless;
    endless.step = [] {};
    endless.condition = [&] { return endless.below(Poly::of(endless.symbols.intern("self.n"))); };
    CHECK(endless.run() == "a loop whose rounds cannot be counted");
  }
}

}  // namespace ws::lift
