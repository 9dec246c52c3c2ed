#include "runtime/lift/symbolic/carried_variables.h"

#include <doctest/doctest.h>

#include "runtime/lift/symbolic/tiles.h"
#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// Keeps the updates.
struct UpdateSink : Recorded {
  std::vector<Update> seen;

  Status update(const std::vector<Update>& updates, const Range& /*range*/) override {
    seen.insert(seen.end(), updates.begin(), updates.end());
    return {};
  }
};

/// A loop is run that carries `x`, which begins with a number.
struct Carrying : RunParts {
  UpdateSink sink;
  Reports to_sink{sink};
  CarriedVariables carried{basis, objects, memory, to_sink, steps};
  ObjectId x = declare_x(kFloat);
  TermId first = number(1);

  Carrying() { set(first); }

  void set(TermId value) { objects.at(x).leaves.front() = {value, kNone, {}}; }

  TermId now() { return objects.at(x).leaves.front().term; }

  std::vector<Update> enter() {
    const std::vector<Object> before = objects.all();
    CHECK(carried.carry(x));
    return carried.enter("i", {x}, before).value_or(std::vector<Update>());
  }
};

}  // namespace

TEST_SUITE("lift.carried_variables") {
  TEST_CASE("a round begins with what the one before has left, and the loop with a value") {
    Carrying on;
    const std::vector<Update> initial = on.enter();
    REQUIRE(initial.size() == 1);
    CHECK(initial[0].now == std::vector<TermId>{on.first});
    CHECK(on.terms.at(on.now()).kind == TermKind::kCarried);
    CHECK(initial[0].version == on.terms.at(on.now()).version);
    CHECK(on.carried.depth() == 1);
    on.carried.leave();
    CHECK(on.carried.depth() == 0);
  }

  TEST_CASE("a variable is reported when it has changed, and not in a trial") {
    Carrying on;
    on.enter();
    REQUIRE(on.carried.update());
    CHECK(on.sink.seen.empty());
    const TermId before = on.now();
    const TermId next = on.number(2);
    on.set(next);
    on.to_sink.set_trial(true);
    REQUIRE(on.carried.update());
    CHECK(on.now() == next);
    on.to_sink.set_trial(false);
    REQUIRE(on.carried.update());
    REQUIRE(on.sink.seen.size() == 1);
    CHECK(on.sink.seen[0].before == std::vector<TermId>{before});
    CHECK(on.sink.seen[0].now == std::vector<TermId>{next});
    CHECK(on.terms.at(on.now()).version == on.sink.seen[0].version);
    REQUIRE(on.carried.update());
    CHECK(on.sink.seen.size() == 1);
  }

  TEST_CASE("loops within each other have different variables") {
    Carrying on;
    on.enter();
    CHECK(on.carried.free_name("i") == "i_");
    CHECK(on.carried.free_name("j") == "j");
  }

  TEST_CASE("threads that share a place have the number of the first of them") {
    Carrying on;
    Layout layout;
    layout.cols = 1;
    layout.places = {{0, 0, 1, 1}};
    const std::map<ObjectId, Layout> layouts = {{on.x, layout}};
    on.mode.layouts = &layouts;
    REQUIRE(on.carried.carry(on.x));
    CHECK(on.terms.resolve({on.now(), 1}).lane == 0);
    CHECK(on.terms.resolve({on.now(), 3}).lane == 2);
  }
}

}  // namespace ws::lift
