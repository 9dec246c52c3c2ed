#include "runtime/lift/symbolic/copy_queue.h"

#include <doctest/doctest.h>

#include "tests/support/run_parts.h"

namespace ws::lift {
namespace {

struct Queued : RunParts {
  CopyQueue copies{basis, objects, memory, guards, steps};

  /// Each thread copies two elements of `in`, to `s` from `first` on.
  std::string issue(std::int64_t first, TermId inside = kNone) {
    CopyEvent event;
    event.target = kShared;
    event.to = Poly(Lanes{0, 2, 4, 6}).plus(Poly(first));
    event.source = kIn;
    event.from = Poly(Lanes{0, 2, 4, 6});
    event.elements = 2;
    event.inside = inside;
    return error_of(copies.issue(event));
  }

  /// The value of an element of `s`, which thread 0 reads.
  Result<Leaf> read(std::int64_t at) {
    memory.shared().meet_block();
    const Lanes around = guards.exchange({1, 0, 0, 0});
    Result<Leaf> leaf = memory.load_shared(kShared, Poly(at));
    guards.exchange(around);
    return leaf;
  }
};

const std::string kUnderWay = "`s` is read while a copy to it may be under way";

}  // namespace

TEST_SUITE("lift.copy_queue") {
  TEST_CASE("the oldest groups land when somebody waits for them") {
    Queued on;
    REQUIRE(on.issue(0).empty());
    REQUIRE(on.copies.commit());
    REQUIRE(on.issue(8).empty());
    REQUIRE(on.copies.commit());
    CHECK(on.copies.groups().size() == 2);
    CHECK(on.copies.is_busy());
    REQUIRE(on.copies.wait(1));
    const Result<Leaf> element = on.read(3);
    REQUIRE(element.has_value());
    const Ref source = on.terms.resolve({element->term, 0});
    CHECK(on.terms.at(source.term).poly == Poly(Lanes{1, 3, 5, 7}));
    CHECK(source.lane == 1);
    CHECK(RunParts::error_of(on.read(8)) == kUnderWay);
    REQUIRE(on.copies.wait(0));
    CHECK(on.read(8).has_value());
    CHECK_FALSE(on.copies.is_busy());
  }

  TEST_CASE("zeros come where a condition does not hold, and no condition stays") {
    Queued on;
    const TermId inside = on.small(3);
    REQUIRE(on.issue(0, inside).empty());
    CHECK(on.guards.is_everyone());
    REQUIRE(on.copies.commit());
    const TermId value = on.copies.groups().front().front().values.front();
    CHECK(on.terms.at(value).op == ir::Op::kWhere);
    CHECK(on.terms.at(value).args.front() == inside);
  }

  TEST_CASE("copies are committed and waited for by all threads, and land within a round") {
    Queued on;
    CHECK(on.copies.check_landed());
    REQUIRE(on.issue(0).empty());
    const std::string error = "copies are under way from one round of a loop to the next";
    CHECK(RunParts::error_of(on.copies.check_landed()) == error);
    REQUIRE(on.copies.commit());
    CHECK(RunParts::error_of(on.copies.check_landed()) == error);
    on.mode.pipeline.period = 1;
    CHECK(on.copies.check_landed());
    CHECK(RunParts::error_of(on.copies.wait(-1)) ==
          "copies are waited for by some threads only, or by a number that is not known");
    on.guards.keep({1, 0, 0, 0});
    CHECK(RunParts::error_of(on.copies.commit()) == "copies are committed by some threads only");
    on.copies.set_groups({});
    CHECK(on.copies.groups().empty());
  }

  TEST_CASE("bytes become elements of the type that is copied first") {
    Queued on;
    on.objects.at(RunParts::kShared).element = DType::kU8;
    on.copies.give_type(RunParts::kShared, DType::kF16);
    CHECK(on.objects.at(RunParts::kShared).element == DType::kF16);
    on.copies.give_type(RunParts::kShared, DType::kF32);
    CHECK(on.objects.at(RunParts::kShared).element == DType::kF16);
    on.copies.give_type(kNone, DType::kF32);
  }
}

}  // namespace ws::lift
