#include "runtime/lift/symbolic/fragments.h"

#include <doctest/doctest.h>

#include "runtime/lift/symbolic/matrices.h"
#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// A warp, or fewer threads, with `x` as a fragment. Every expression is 0.
struct Fragmented : RunParts, Runner {
  static constexpr TypeId kElements = 4;
  static constexpr TypeId kFragment = 5;

  ObjectId x = kNone;
  Fragments fragments{basis, *this, objects, memory, guards};

  explicit Fragmented(const std::string& type, std::size_t count = 32)
      : RunParts(count) {
    tree.types.resize(6);
    tree.types[kElements].kind = TypeKind::kArray;
    tree.types[kElements].element = kFloat;
    tree.types[kElements].count = static_cast<std::int64_t>(kFragmentElements);
    tree.types[kFragment].kind = TypeKind::kStruct;
    tree.types[kFragment].name = type;
    tree.types[kFragment].fields = {{"x", kElements, 0}};
    x = declare_x(kFragment);
  }

  std::string call(const std::string& name, std::size_t arguments) {
    Node node;
    node.kind = NodeKind::kCall;
    node.text = std::string(kWmma) + name;
    node.kids.resize(arguments);
    return error_of(fragments.call(node));
  }

  Status statement(NodeId /*id*/) override { return {}; }

  Result<Value> evaluate(NodeId /*id*/) override {
    return Value{kFloat, {{terms.number(0, DType::kF32), kNone, {}}}};
  }

  Result<ValuePlace> place(NodeId /*id*/) override { return ValuePlace{x, {}, kFragment}; }
};

constexpr const char* kSums = "fragment<nvcuda::wmma::accumulator, 16, 16, 16, float, void>";

}  // namespace

TEST_SUITE("lift.fragments") {
  TEST_CASE("each thread fills its elements of a fragment") {
    Fragmented on(kSums);
    const int before = on.memory.shared().now().warp;
    CHECK(on.call("fill_fragment", 2).empty());
    const std::vector<Leaf>& leaves = on.objects.at(on.x).leaves;
    REQUIRE(leaves.size() == kFragmentElements);
    CHECK(on.terms.at(leaves.back().term).kind == TermKind::kNumber);
    CHECK(on.memory.shared().now().warp == before + 2);  // The warp meets before and after it.
  }

  TEST_CASE("whole warps call known functions on fragments of 16 x 16") {
    Fragmented some(kSums, 4);
    CHECK(some.call("fill_fragment", 2) ==
          "`" + std::string(kWmma) + "fill_fragment` by some threads only");
    Fragmented on(kSums);
    CHECK(on.call("fill", 2) == "`" + std::string(kWmma) + "fill` is not known");
    CHECK(on.call("load_matrix_sync", 4) == "a fragment of wmma at an address that is not known");
    Fragmented other("fragment<nvcuda::wmma::accumulator, 8, 32, 16, float, void>");
    CHECK(other.call("load_matrix_sync", 4) ==
          "a fragment of wmma is not one of 16 x 16 x 16 halves or bfloat16, with sums in them or "
          "floats");
  }
}

}  // namespace ws::lift
