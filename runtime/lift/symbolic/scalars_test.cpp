#include "runtime/lift/symbolic/scalars.h"

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

/// A number, an array of five of them, and a struct of a number and the array.
struct SomeTypes {
  Tree tree;
  TypeId number = 0;
  TypeId array = 1;
  TypeId both = 2;

  SomeTypes() {
    tree.types.resize(3);
    tree.types[0].kind = TypeKind::kFloat;
    tree.types[0].name = "__nv_bfloat16";
    tree.types[0].bytes = 2;
    tree.types[1].kind = TypeKind::kArray;
    tree.types[1].element = number;
    tree.types[1].count = 5;
    tree.types[1].bytes = 10;
    tree.types[2].kind = TypeKind::kStruct;
    tree.types[2].bytes = 14;
    tree.types[2].fields = {{"first", number, 0}, {"others", array, 4}};
  }
};

}  // namespace

TEST_SUITE("lift.scalars") {
  TEST_CASE("a value's scalars are those of its fields and elements, in order") {
    const SomeTypes types;
    Scalars scalars(types.tree);
    CHECK(scalars.of(kNone).empty());
    CHECK(scalars.of(types.number) == std::vector<Scalar>{{0, types.number}});
    const std::vector<Scalar>& all = scalars.of(types.both);
    REQUIRE(all.size() == 6);
    CHECK(all[0] == Scalar{0, types.number});
    CHECK(all[1] == Scalar{4, types.number});
    CHECK(all[5] == Scalar{12, types.number});
    CHECK(&scalars.of(types.both) == &all);
  }

  TEST_CASE("an endless array ends") {
    SomeTypes types;
    types.tree.types[1].count = 1'000'000'000;
    Scalars scalars(types.tree);
    CHECK(scalars.of(types.array).size() == Scalars::kMost + 1);
  }

  TEST_CASE("types of numbers are known by their names and sizes") {
    struct Case {
      TypeKind kind;
      const char* name;
      std::int64_t bytes;
      bool is_signed;
      DType type;
    };

    const Case cases[] = {
        {TypeKind::kFloat, "__nv_bfloat16", 2, false, DType::kBf16},
        {TypeKind::kFloat, "__half", 2, false, DType::kF16},
        {TypeKind::kFloat, "float", 4, false, DType::kF32},
        {TypeKind::kFloat, "double", 8, false, DType::kF64},
        {TypeKind::kInt, "bool", 1, false, DType::kBool},
        {TypeKind::kInt, "unsigned char", 1, false, DType::kU8},
        {TypeKind::kInt, "short", 2, true, DType::kI16},
        {TypeKind::kInt, "unsigned int", 4, false, DType::kU32},
        {TypeKind::kInt, "long", 8, true, DType::kI64},
    };
    for (const Case& c : cases) {
      Tree tree;
      tree.types.resize(1);
      tree.types[0].kind = c.kind;
      tree.types[0].name = c.name;
      tree.types[0].bytes = c.bytes;
      tree.types[0].is_signed = c.is_signed;
      CHECK_MESSAGE(Scalars(tree).dtype_of(0) == c.type, c.name);
    }
    const Tree none;
    CHECK(Scalars(none).dtype_of(kNone) == DType::kI32);
  }
}

}  // namespace ws::lift
