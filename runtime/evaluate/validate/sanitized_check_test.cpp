// The sentences that a sanitizer's records become.
#include "runtime/evaluate/validate/sanitized_check.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

using Kind = SanitizerRecord::Kind;

/// One buffer: y of 1000 floats.
ResolvedPlan plan() {
  ResolvedPlan plan;
  plan.buffers.resize(1);
  plan.buffers[0].name = "y";
  plan.buffers[0].span = 1000;
  return plan;
}

/// A write of 4 bytes in line 3, by thread (8,0,0) of block (3,0,0).
SanitizerRecord record(Kind kind) {
  SanitizerRecord record;
  record.kind = kind;
  record.text = "Barrier error detected. Invalid arguments.";
  record.access = "write";
  record.space = "global";
  record.access_bytes = 4;
  record.entry = "k";
  record.at = {"source", 3};
  record.block = {3, 0, 0};
  record.thread = {8, 0, 0};
  return record;
}

SanitizerRecord at_offset(Kind kind, std::int64_t offset) {
  SanitizerRecord found = record(kind);
  found.buffer = 0;
  found.offset = offset;
  return found;
}

}  // namespace

TEST_SUITE("evaluate.sanitized_check") {
  TEST_CASE("each kind has its verdict, its word and its sentence") {
    SanitizerRecord race = record(Kind::kRace);
    race.other = {"source", 5};
    race.other_access = "read";
    race.count = 64;

    SanitizerRecord volatile_race = at_offset(Kind::kRace, 40);
    volatile_race.other = {"source", 5};
    volatile_race.other_access = "read";
    volatile_race.other_block = {3, 0, 0};
    volatile_race.other_thread = {40, 0, 0};
    volatile_race.volatile_only = true;

    const struct {
      SanitizerRecord record;
      Verdict verdict;
      const char* kind;
      const char* message;
    } cases[] = {
        {at_offset(Kind::kOutOfBounds, 4000), Verdict::kOutOfBounds, "write_out_of_bounds",
         "out-of-bounds write of 4 bytes of global memory at source:3 by thread (8,0,0) of block "
         "(3,0,0): y[1000], but it has 1000 elements"},
        {at_offset(Kind::kOutOfBounds, -3), Verdict::kOutOfBounds, "write_out_of_bounds",
         "out-of-bounds write of 4 bytes of global memory at source:3 by thread (8,0,0) of block "
         "(3,0,0): y[-1], but it has 1000 elements"},
        {record(Kind::kOutOfBounds), Verdict::kOutOfBounds, "write_out_of_bounds",
         "out-of-bounds write of 4 bytes of global memory at source:3 by thread (8,0,0) of block "
         "(3,0,0)"},
        {at_offset(Kind::kMisaligned, 8), Verdict::kRuntimeError, "misaligned_address",
         "misaligned write of 4 bytes of global memory at source:3 by thread (8,0,0) of block "
         "(3,0,0): y[2]"},
        {race, Verdict::kDataRace, "data_race",
         "`k` writes shared memory at source:3 and another thread reads it at source:5, with no "
         "barrier between them (64 times)"},
        {volatile_race, Verdict::kDataRace, "data_race",
         "thread (8,0,0) of block (3,0,0) writes `y[10]` at source:3, and thread (40,0,0) reads it "
         "at source:5, but nothing orders the two, as `volatile` does not: a `__syncthreads()` "
         "must "
         "come between them"},
        {at_offset(Kind::kUninitialised, 40), Verdict::kUninitialisedRead, "uninitialised_read",
         "uninitialised write of 4 bytes of global memory at source:3 by thread (8,0,0) of block "
         "(3,0,0): y[10], which nobody wrote before"},
        {record(Kind::kDivergentBarrier), Verdict::kBarrierDivergence, "barrier_divergence",
         "not all threads that must wait at the barrier at source:3 reach it together; seen by "
         "thread (8,0,0) of block (3,0,0)"},
        {record(Kind::kOther), Verdict::kSanitizer, "memcheck",
         "Barrier error detected. Invalid arguments. at source:3 by thread (8,0,0) of block "
         "(3,0,0)"},
    };

    for (const auto& c : cases) {
      const SanitizerFinding finding = describe(c.record, plan());
      CAPTURE(c.message);
      CHECK(finding.fault.verdict == c.verdict);
      CHECK(finding.fault.kind == c.kind);
      CHECK(finding.fault.message == c.message);
      CHECK(finding.fault.line == 3);
      CHECK(finding.count == c.record.count);
    }
  }

  TEST_CASE("what a report leaves out is left out of the sentence") {
    SanitizerRecord bare;
    bare.kind = Kind::kDivergentBarrier;
    CHECK(describe(bare, plan()).fault.message ==
          "not all threads that must wait at the barrier at an unknown line reach it together");
  }
}

}  // namespace ws
