#include "runtime/lift/symbolic/staging.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// Takes everything for a tile, if it is told to.
struct TileSink : Recorded {
  bool takes = true;
  std::vector<StoreGroup> staged;

  Result<std::optional<Logical>> stage(const StoreGroup& group) override {
    staged.push_back(group);
    return takes ? std::optional(Logical{{0, {0, 0}}}) : std::nullopt;
  }
};

/// Threads have copied their own elements of `in` to `s`, and numbers behind them.
struct Copied : RunParts {
  TileSink sink;
  Reports to_sink{sink};
  Staging staging{basis, objects, to_sink};
  StoreGroup group{kShared, "", {}};
  TermId load = kNone;

  Copied() {
    const Poly own(Lanes{0, 1, 2, 3});
    load = memory.load_element(kIn, own.times(Poly(4)), 4).value_or(Leaf()).term;
    for (const auto& [value, offset] : {std::pair(load, own), {number(1), own.plus(Poly(4))}}) {
      CHECK(memory.store_shared(kShared, offset, value, {}));
      StoreEvent event;
      event.offset = offset;
      event.value = value;
      group.events.push_back(event);
    }
  }

  [[nodiscard]] const Cell& cell(std::int64_t offset) {
    return *objects.at(kShared).cells.find(offset);
  }
};

}  // namespace

TEST_SUITE("lift.staging") {
  TEST_CASE("a copied tile becomes a buffer, from which its elements are read") {
    Copied on;
    REQUIRE(on.staging.stage(on.group));
    REQUIRE(on.sink.staged.size() == 1);
    CHECK(on.sink.staged[0].events.size() == 1);  // The copy alone.
    const Object& buffer = on.objects.at(on.sink.staged[0].object);
    CHECK(buffer.name == "s");
    CHECK(buffer.version == 1);
    CHECK(buffer.logical.size() == 1);
    CHECK(on.staging.holds(on.cell(2)));
    CHECK(on.terms.at(on.cell(2).source.term).object == on.sink.staged[0].object);
    CHECK_FALSE(on.staging.holds(on.cell(4)));
    const std::size_t objects = on.objects.size();
    REQUIRE(on.staging.stage(on.group));  // The same buffer holds the next tile.
    CHECK(on.objects.size() == objects);
    CHECK(on.objects.at(on.sink.staged[0].object).version == 2);
  }

  TEST_CASE("other copies are how threads exchange values") {
    Copied on;
    on.sink.takes = false;
    REQUIRE(on.staging.stage(on.group));
    CHECK(on.cell(2).source.term == on.load);
    CHECK_FALSE(on.staging.holds(on.cell(2)));
  }
}

}  // namespace ws::lift
