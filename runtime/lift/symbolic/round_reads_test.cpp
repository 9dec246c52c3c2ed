#include "runtime/lift/symbolic/round_reads.h"

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

TermId carried(Terms& terms, ObjectId variable) {
  Term term;
  term.kind = TermKind::kCarried;
  term.object = variable;
  return terms.add(std::move(term));
}

}  // namespace

TEST_SUITE("lift.round_reads") {
  TEST_CASE("a variable is read where it still has its value of another round") {
    Terms terms(1);
    RoundReads reads(terms);
    const TermId own = carried(terms, 1);
    reads.note(2, {own, kNone, {}});
    reads.note(1, {});
    reads.note(1, {terms.number(1, DType::kF32), kNone, {}});
    CHECK_FALSE(reads.contains(1));
    CHECK_FALSE(reads.contains(2));
    reads.note(1, {terms.move(DType::kF32, {{own, 0}}), kNone, {}});
    CHECK(reads.contains(1));
    const TermId half = carried(terms, 3);
    reads.note(3, {terms.operation(OwnOp::kBits, DType::kU32, {half, half}), kNone, {}});
    CHECK(reads.contains(3));
  }

  TEST_CASE("an inner round begins with nothing, and the outer one has all in the end") {
    Terms terms(1);
    RoundReads reads(terms);
    reads.note(1, {carried(terms, 1), kNone, {}});
    std::set<ObjectId> outer = reads.begin();
    CHECK_FALSE(reads.contains(1));
    reads.note(2, {carried(terms, 2), kNone, {}});
    reads.merge(std::move(outer));
    CHECK(reads.contains(1));
    CHECK(reads.contains(2));
  }
}

}  // namespace ws::lift
