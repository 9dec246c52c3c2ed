#include "runtime/lift/symbolic/object_table.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {

TEST_SUITE("lift.object_table") {
  TEST_CASE("tensors have the launch's numbers, then come arrays and variables") {
    RunParts on;
    CHECK(on.objects.at(RunParts::kIn).kind == ObjectKind::kTensor);
    CHECK(on.objects.at(RunParts::kShared).element == DType::kF32);
    CHECK(on.objects.find(RunParts::kS) == RunParts::kShared);
    CHECK(on.objects.find(RunParts::kX) == kNone);
    on.guards.keep({1, 0, 1, 0});
    on.guards.mask(on.small(3));
    const ObjectId x = on.declare_x(RunParts::kFloat);
    CHECK(on.objects.find(RunParts::kX) == x);
    CHECK(on.objects.at(x).active == Lanes{1, 0, 1, 0});
    CHECK(on.objects.at(x).masks == 1);
  }

  TEST_CASE("objects that are dropped are no variables any more") {
    RunParts on;
    const std::vector<Object> before = on.objects.all();
    const ObjectId x = on.declare_x(RunParts::kFloat);
    const std::vector<Object> after = on.objects.exchange(before);
    CHECK(after.size() == before.size() + 1);
    CHECK(on.objects.find(RunParts::kX) == kNone);
    CHECK(on.declare_x(RunParts::kFloat) == x);
    on.objects.truncate(before.size());
    CHECK(on.objects.find(RunParts::kX) == kNone);
    CHECK(on.objects.size() == before.size());
  }

  TEST_CASE("around a part, arrays and fields are those of the program") {
    RunParts on;
    const SharedArrays arrays = {{"self.s", {{2, 32}, DType::kF32, false, {}, {}}},
                                 {"self.A", {{8, 8}, DType::kF16, false, {}, {}}}};
    on.mode.arrays = &arrays;
    ObjectTable objects(on.basis, on.guards, on.control);
    objects.declare_globals();
    CHECK(objects.at(RunParts::kShared).dims == std::vector<std::int64_t>{2, 32});
    Type storage;
    storage.name = "Storage";
    const ValuePlace whole{RunParts::kShared, {}, kNone};
    const auto first = objects.field_array(whole, storage, {"A", RunParts::kArray, 128});
    REQUIRE(first.has_value());
    CHECK(objects.at(first->object).element == DType::kF16);
    CHECK(objects.at(first->object).dims == std::vector<std::int64_t>{8, 8});
    const auto again = objects.field_array(whole, storage, {"A", RunParts::kArray, 128});
    REQUIRE(again.has_value());
    CHECK(again->object == first->object);
    CHECK(RunParts::error_of(objects.field_array(whole, storage, {"B", kNone, 0})) ==
          "`Storage::B` is no array of the program");
  }
}

}  // namespace ws::lift
