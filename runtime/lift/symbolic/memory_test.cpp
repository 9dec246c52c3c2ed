#include "runtime/lift/symbolic/memory.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

/// Each thread's own element of `in`, and of `s`.
const Poly kOwn(Lanes{0, 1, 2, 3});
const Poly kOwnBytes(Lanes{0, 4, 8, 12});

TermId load_own(RunParts& on, ObjectId from) {
  const Result<Leaf> leaf = on.memory.load_element(from, kOwnBytes, 4);
  return leaf ? leaf->term : kNone;
}

}  // namespace

TEST_SUITE("lift.memory") {
  TEST_CASE("each kind of memory is read and written in its way") {
    RunParts on;
    const TermId load = load_own(on, RunParts::kIn);
    REQUIRE(load != kNone);
    CHECK(on.terms.at(load).kind == TermKind::kLoad);
    CHECK(on.terms.at(load).poly == kOwn);
    const ObjectId x = on.declare_x(RunParts::kFloat);
    const ValuePlace place{x, {}, RunParts::kFloat};
    REQUIRE(on.memory.store(place, {RunParts::kFloat, {{load, kNone, {}}}}, {}));
    const Result<Value> read = on.memory.load(place);
    REQUIRE(read.has_value());
    CHECK(read->leaves.at(0).term == load);
    REQUIRE(on.memory.store_element(RunParts::kShared, kOwnBytes, 4, {load, kNone, {}}, {}));
    const TermId back = load_own(on, RunParts::kShared);
    REQUIRE(back != kNone);
    CHECK(on.terms.resolve({back, 3}) == Ref{load, 3});
    REQUIRE(on.memory.store_element(RunParts::kIn, Poly(0), 4, {load, kNone, {}}, {}));
    CHECK(RunParts::error_of(on.memory.load_element(RunParts::kIn, Poly(0), 4)) ==
          "`in` is read after it was written");
  }

  TEST_CASE("stores to tensors are reported at a barrier, and to shared memory not at all") {
    RunParts on;
    const TermId one = on.number(1);
    REQUIRE(on.memory.store_element(RunParts::kIn, kOwnBytes, 4, {one, kNone, {}}, {}));
    REQUIRE(on.memory.store_element(RunParts::kShared, kOwnBytes, 4, {one, kNone, {}}, {}));
    CHECK(on.events.stores.empty());
    REQUIRE(on.memory.flush());
    REQUIRE(on.events.stores.size() == 1);
    CHECK(on.events.stores[0].events.at(0).offset == kOwn);
    REQUIRE(on.memory.store_element(RunParts::kIn, kOwnBytes, 4, {one, kNone, {}}, {}));
    on.memory.drop_stores();
    REQUIRE(on.memory.flush());
    CHECK(on.events.stores.size() == 1);
  }

  TEST_CASE("an access has the size of the elements, and begins where one does") {
    RunParts on;
    CHECK(RunParts::error_of(on.memory.load_element(RunParts::kIn, Poly(0), 2)) ==
          "`in` is accessed by 2 bytes, its elements have 4");
    CHECK(RunParts::error_of(
              on.memory.load_element(RunParts::kIn, Poly::of(on.symbols.intern("self.n")), 4)) ==
          "`in` is accessed between two elements");
    CHECK(RunParts::error_of(on.memory.store_element(RunParts::kIn, Poly(0), 4, {}, {})) ==
          "a pointer is written to memory");
    CHECK(RunParts::error_of(on.memory.store({RunParts::kIn, {}, RunParts::kFloat}, {}, {})) ==
          "a value is written to a place of another form");
  }

  TEST_CASE("rounds of a loop that use a tensor keep to their own elements") {
    const auto rounds = [](const Poly& written) {
      RunParts on;
      on.memory.enter_loop();
      CHECK(load_own(on, RunParts::kIn) != kNone);
      CHECK(on.memory.store_element(RunParts::kIn, written, 4, {on.number(1), kNone, {}}, {}));
      on.memory.leave_loop();
      const std::string error = RunParts::error_of(on.memory.check_rounds_apart());
      if (error.empty()) {
        CHECK(on.objects.at(RunParts::kIn).read_in_loop.empty());
      }
      return error;
    };
    CHECK(rounds(kOwnBytes).empty());
    CHECK(rounds(Poly(0)) == "`in` is read and written by different rounds of a loop");
  }

  TEST_CASE("a round's values in shared memory are forgotten, others stay") {
    RunParts on;
    const auto write = [&](std::int64_t at) {
      return on.memory.store_element(RunParts::kShared, kOwnBytes.plus(Poly(at)), 4,
                                     {on.number(1), kNone, {}}, {});
    };
    REQUIRE(write(0));
    const Object before = on.objects.at(RunParts::kShared);
    REQUIRE(write(64));
    on.memory.forget_changed(before, on.objects.at(RunParts::kShared), true);
    CHECK(load_own(on, RunParts::kShared) != kNone);
    CHECK(RunParts::error_of(on.memory.load_element(RunParts::kShared, Poly(64), 4)) ==
          "`s[16]` is read before it is written");
  }

  TEST_CASE("around a part, threads fill arrays of the program and read none") {
    RunParts on;
    const SharedArrays arrays;
    on.mode.arrays = &arrays;
    CHECK(RunParts::error_of(on.memory.load_element(RunParts::kShared, Poly(0), 4)) ==
          "`s` is read by threads");
    const auto store = [&] {
      return RunParts::error_of(
          on.memory.store_element(RunParts::kShared, kOwnBytes, 4, {on.number(1), kNone, {}}, {}));
    };
    CHECK(store() ==
          "`s` is written by threads, and is no array with rows and columns that all of them fill");
    on.objects.at(RunParts::kShared).dims = {8, 8};
    CHECK(store().empty());
    CHECK(RunParts::error_of(on.memory.load_tile(RunParts::kShared, kOwn)) ==
          "`s` is read after it was written");
    REQUIRE(on.memory.flush());
    CHECK(on.events.stores.size() == 1);
  }

  TEST_CASE("a part does not write an array that its warps have read") {
    RunParts on;
    const SharedArrays arrays;
    on.mode.arrays = &arrays;
    on.objects.at(RunParts::kShared).dims = {8, 8};
    REQUIRE(on.memory.load_tile(RunParts::kShared, kOwn));
    CHECK(RunParts::error_of(on.memory.store_shared(RunParts::kShared, kOwn, on.number(1), {})) ==
          "`s` is written after it was read");
  }
}

}  // namespace ws::lift
