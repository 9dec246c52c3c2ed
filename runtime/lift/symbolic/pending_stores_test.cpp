#include "runtime/lift/symbolic/pending_stores.h"

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

/// Two threads that store.
struct Storing {
  Terms terms{2};
  Symbols symbols;
  LaunchInput input;
  Arithmetic numbers{terms, symbols, input};
  Guards guards{terms, numbers};
  PendingStores stores{terms, numbers, guards};
  TermId first = terms.number(1, DType::kF32);
  TermId second = terms.number(2, DType::kF32);
  TermId condition =
      numbers
          .result(ir::Operator::kLess, terms.integer(Poly::of(symbols.intern("self.n"))),
                  terms.integer(Poly(3)), DType::kBool)
          .value_or(kNone);

  void add(ObjectId object, std::int64_t offset, const std::string& atomic = "") {
    stores.add(object, Poly(offset), first, {}, atomic);
  }

  /// The result of a second store to the same element, with a condition or without.
  std::optional<TermId> join(std::optional<TermId> under) {
    const Guards::State around = guards.state();
    if (under) {
      guards.mask(*under);
    }
    const std::optional<TermId> made = stores.join(0, Poly(5), second);
    guards.restore(around);
    return made;
  }
};

}  // namespace

TEST_SUITE("lift.pending_stores") {
  TEST_CASE("stores to one object are taken together, atomic ones apart") {
    Storing on;
    on.guards.mask(on.condition);
    on.add(0, 1);
    on.add(1, 2);
    on.add(0, 3);
    on.add(0, 4, "atomic_add");
    const std::vector<StoreGroup> groups = on.stores.take();
    REQUIRE(groups.size() == 3);
    REQUIRE(groups[0].events.size() == 2);
    CHECK(groups[0].events[1].offset == Poly(3));
    CHECK(groups[0].events[1].masks == std::vector<TermId>{on.condition});
    CHECK(groups[1].object == 1);
    CHECK(groups[2].atomic == "atomic_add");
    CHECK(on.stores.take().empty());
    on.add(0, 1);
    on.stores.clear();
    CHECK(on.stores.take().empty());
  }

  TEST_CASE("a store under a condition makes a choice of the one before it") {
    Storing on;
    on.add(0, 5);
    const std::optional<TermId> made = on.join(on.condition);
    REQUIRE(made.has_value());
    CHECK(on.terms.at(*made).op == ir::Op::kWhere);
    CHECK(on.terms.at(*made).args == std::vector<TermId>{on.condition, on.second, on.first});
    CHECK(on.join(std::nullopt) == on.second);  // For all threads: the others are lost.
    const std::vector<StoreGroup> groups = on.stores.take();
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0].events.size() == 1);
    CHECK(groups[0].events[0].value == on.second);
  }

  TEST_CASE("stores of both sides of a branch become one without its condition") {
    Storing on;
    on.guards.mask(on.condition);
    on.add(0, 5);
    on.guards.drop(0);
    const std::optional<TermId> made = on.join(on.numbers.negated(on.condition));
    REQUIRE(made.has_value());
    CHECK(on.terms.at(*made).args == std::vector<TermId>{on.condition, on.first, on.second});
    CHECK(on.stores.take().at(0).events.at(0).masks.empty());
  }

  TEST_CASE("other stores stay apart") {
    Storing nothing;
    CHECK_FALSE(nothing.join(std::nullopt).has_value());
    Storing elsewhere;
    elsewhere.add(0, 6);
    CHECK_FALSE(elsewhere.join(std::nullopt).has_value());
    Storing atomic;
    atomic.add(0, 5, "atomic_add");
    CHECK_FALSE(atomic.join(std::nullopt).has_value());
    Storing others;
    others.add(0, 5);
    others.guards.keep({1, 0});
    CHECK_FALSE(others.join(std::nullopt).has_value());
    Storing unlike;
    unlike.guards.mask(unlike.condition);
    unlike.add(0, 5);
    unlike.guards.drop(0);
    const TermId another = unlike.terms.add(unlike.terms.at(unlike.first));
    CHECK_FALSE(unlike.join(another).has_value());
  }
}

}  // namespace ws::lift
