#include "runtime/lift/orchestration/shared_buffers.h"

#include <doctest/doctest.h>

#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

/// A kernel with `__shared__ __nv_bfloat16 A[count]`, after the one that it has: `s`.
struct TwoArrays {
  explicit TwoArrays(std::int64_t count) {
    Tree& tree = kernel.tree();
    const auto half = static_cast<TypeId>(tree.types.size());
    tree.types.push_back({TypeKind::kFloat, "__nv_bfloat16", 2, true, kNone, 0, {}});
    tree.types.push_back({TypeKind::kArray, "", 2 * count, false, half, count, {}});
    tree.regions = {"source"};
    tree.variables.push_back({"A", half + 1, Space::kShared, false, 128, {0, 3, 1, 3, 9}});
  }

  SmallKernel kernel{32};
  LaunchInput input;
  Symbols symbols;
};

std::string place_after(const SharedBuffers& buffers, Symbols& symbols, const std::string& at) {
  return place_text(buffers.boxed(place_of("self.A[" + at + "]"), symbols));
}

}  // namespace

TEST_SUITE("lift.shared_buffers") {
  TEST_CASE("what is used is allocated, by its type and sizes") {
    TwoArrays two(8192);
    SharedBuffers buffers(two.kernel.tree(), two.input);
    REQUIRE(buffers.find("self.A") != nullptr);
    CHECK(buffers.find("self.A")->type == DType::kBf16);
    CHECK(buffers.find("self.B") == nullptr);
    CHECK(buffers.allocations().empty());
    buffers.use("self.A");
    buffers.set_swizzle("self.A", "128B");
    CHECK(buffers.allocations() ==
          std::vector<std::string>{
              R"(self.A = alloc((8192, ), "shared", "bf16", swizzle="128B")  # @ source:3-3)"});
    buffers.begin_walk();
    CHECK(buffers.allocations().empty());
    CHECK(buffers.has_swizzle("self.A"));
  }

  TEST_CASE("an array gets the rows of the boxes that fill it, if all have one size") {
    TwoArrays two(8192);
    SharedBuffers same(two.kernel.tree(), two.input);
    same.note_box("self.A", 64, 64);
    same.note_box("self.A", 64, 64);
    same.shape_by_boxes();
    CHECK(same.find("self.A")->dims == std::vector<std::int64_t>{2, 64, 64});
    CHECK(place_after(same, two.symbols, "4096 + 130") == "self.A[1, 2, 2]");
    SharedBuffers different(two.kernel.tree(), two.input);
    different.note_box("self.A", 64, 64);
    different.note_box("self.A", 32, 64);
    different.shape_by_boxes();
    CHECK(different.find("self.A")->dims == std::vector<std::int64_t>{8192});
    CHECK(place_after(different, two.symbols, "64") == "self.A[64]");
  }

  TEST_CASE("boxes that do not fill an array, or come after its shape, say nothing") {
    TwoArrays two(1000);
    SharedBuffers buffers(two.kernel.tree(), two.input);
    buffers.note_box("self.A", 64, 64);
    buffers.note_box("self.B", 64, 64);
    buffers.shape_by_boxes();
    buffers.note_box("self.s", 8, 8);
    CHECK(buffers.find("self.A")->dims == std::vector<std::int64_t>{1000});
    CHECK_FALSE(buffers.has_box("self.s"));
  }

  TEST_CASE("a buffer that is filled in two orders has none") {
    TwoArrays two(8192);
    SharedBuffers buffers(two.kernel.tree(), two.input);
    CHECK(buffers.keep_orders({{"self.A", {{0, {0, 0}}, {1, {0, 8}}}}}).empty());
    CHECK(buffers.allocations().size() == 1);
    CHECK(buffers.keep_orders({{"self.A", {{0, {0, 0}}, {1, {0, 8}}}}}).empty());
    CHECK(buffers.keep_orders({{"self.A", {{1, {0, 1}}}}}) == "self.A");
    CHECK(buffers.find("self.A")->order.begin()->first == -1);
  }
}

}  // namespace ws::lift
