#include "runtime/lift/write/tile_stores.h"

#include "runtime/lift/write/test_writing.h"

namespace ws::lift {
namespace {

struct StoreBench : WritingBench {
  TileStores stores{on, variables, names, values};

  StoreEvent event(const Poly& offset, TermId value, std::int32_t line,
                   std::vector<TermId> masks = {}) {
    StoreEvent made;
    made.offset = offset;
    made.value = value;
    made.range = at(line);
    made.masks = std::move(masks);
    return made;
  }
};

TEST_SUITE("lift.tile_stores") {
  TEST_CASE("stores are parts of tensors, elements by index, or atomic operations") {
    StoreBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const ObjectId y = on.tensor("y", {Poly(64)});
    const ObjectId z = on.tensor("z", {Poly(4), Poly(8)});
    const auto by = [](std::int64_t step) {
      return WritingBench::by_lane([step](std::int64_t lane) { return lane * step; });
    };
    REQUIRE(on.stores.store({y, "", {on.event(by(1), x, 3)}}));
    REQUIRE(on.stores.store({z, "", {on.event(by(1).plus(Poly(16)), x, 4)}}));
    REQUIRE(on.stores.store({y, "atomic_add", {on.event(by(1), x, 5)}}));
    CHECK(on.lines() ==
          "self.y[0:8] = reshape(self.x[0:8][None, :], (8,), \"row\")  # @ k.cu:3-3\n"
          "self.z[2, 0:8] = reshape(self.x[0:8][None, :], (8,), \"row\")  # @ k.cu:4-4\n"
          "atomic_add(self.y, 0, reshape(self.x[0:8][None, :], (8,), \"row\"))  # @ k.cu:5-5\n");
  }

  TEST_CASE("stores that are no tile together are written one after the other") {
    StoreBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const ObjectId y = on.tensor("y", {Poly(64)});
    const TermId twice = on.terms.operation(ir::Operator::kMultiply, DType::kF32,
                                            {x, on.terms.number(2, DType::kF32)});
    const Poly own = WritingBench::by_lane([](std::int64_t lane) { return lane; });
    REQUIRE(
        on.stores.store({y, "", {on.event(own, x, 3), on.event(own.plus(Poly(32)), twice, 4)}}));
    CHECK(on.lines() ==
          "self.y[0:8] = reshape(self.x[0:8][None, :], (8,), \"row\")  # @ k.cu:3-3\n"
          "self.y[32:32 + 8] = reshape(self.x[0:8][None, :] * 2.0, (8,), \"row\")  # @ k.cu:4-4\n");
  }

  TEST_CASE("all lines of a group are known") {
    StoreBench on;
    const Range range = range_of({0, "", {on.event(Poly(), kNone, 7), on.event(Poly(), kNone, 3)}});
    CHECK(on.on.statements.mark(range) == "# @ k.cu:3-7");
  }
}

}  // namespace
}  // namespace ws::lift
