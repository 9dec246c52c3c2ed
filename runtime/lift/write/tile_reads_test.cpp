#include "runtime/lift/write/tile_reads.h"

#include "runtime/lift/write/test_writing.h"

namespace ws::lift {
namespace {

TEST_SUITE("lift.tile_reads") {
  TEST_CASE("rows and columns of a matrix") {
    WritingBench on;
    const ObjectId x = on.tensor("x", {Poly(16), Poly(32)});
    const auto part = [&](std::int64_t rows, std::int64_t cols, std::int64_t down,
                          std::int64_t across) {
      const Poly offset = WritingBench::by_lane(
          [&](std::int64_t lane) { return lane / cols * down + lane % cols * across + 64; });
      return on.text(WritingBench::tile(on.load(x, offset), rows, cols));
    };
    CHECK(part(2, 4, 32, 1) == "self.x[2:2 + 2, 0:4]");
    CHECK(part(2, 4, 1, 32) == "self.x[2:2 + 4, 0:2].T");
    CHECK(part(8, 1, 1, 0) == "self.x[2, 0:8][:, None]");
    CHECK(part(1, 8, 0, 3) == "gather(self.x, arange(8)[None, :] * 3 + 64)");
  }

  TEST_CASE("a condition that is no edge is a mask") {
    WritingBench on;
    const ObjectId x = on.tensor("x", {Poly(16)});
    const TermId odd = on.terms.operation(ir::Operator::kLess, DType::kBool,
                                          {on.load(x, Poly(3)), on.terms.number(1, DType::kF32)});
    const Poly own = WritingBench::by_lane([](std::int64_t lane) { return lane; });
    CHECK(on.text(WritingBench::tile(on.load(x, own, {odd}), 1, 8)) ==
          "gather(self.x, arange(8)[None, :], full((1, 8), self.x[3] < 1.0, \"bool\"))");
  }

  TEST_CASE("tiles in shared memory are read by rows and by columns") {
    WritingBench on;
    Object tile;
    tile.kind = ObjectKind::kShared;
    tile.name = "s";
    for (std::int64_t i = 0; i < 8; ++i) {
      tile.logical[i] = {i / 4, i % 4};
    }
    on.objects.push_back(tile);
    const auto read = [&](std::int64_t rows, std::int64_t cols, std::int64_t down,
                          std::int64_t across) {
      const Poly offset = WritingBench::by_lane(
          [&](std::int64_t lane) { return lane / cols * down + lane % cols * across; });
      return on.text(WritingBench::tile(on.load(0, offset), rows, cols));
    };
    CHECK(read(2, 4, 4, 1) == "`s` is used after it was overwritten");
    on.variables.set_shared_size(0, {2, 4});
    CHECK(read(2, 4, 4, 1) == "self.s");
    CHECK(read(4, 2, 1, 4) == "self.s[0:2, 0:4].T");
    CHECK(read(1, 8, 0, 1) == "`s` is read neither by rows nor by columns");
    on.objects[0].logical.erase(5);
    CHECK(read(2, 4, 4, 1) == "`s` is read where nothing was written");
  }
}

}  // namespace
}  // namespace ws::lift
