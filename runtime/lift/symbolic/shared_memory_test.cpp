#include "runtime/lift/symbolic/shared_memory.h"

#include <string>

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

constexpr std::size_t kTwoWarps = 64;

/// An array that two warps share.
struct TwoWarps {
  Terms terms{kTwoWarps};
  Symbols symbols;
  LaunchInput input;
  Arithmetic numbers{terms, symbols, input};
  Guards guards{terms, numbers};
  SharedMemory memory{terms, guards};
  Object array;
  TermId value = terms.number(1, DType::kF32);

  TwoWarps() { array.name = "s"; }

  /// Element `by` beside each thread's own, in a ring of so many.
  static Poly beside(std::int64_t by, std::int64_t ring) {
    Lanes lanes(kTwoWarps);
    for (std::size_t lane = 0; lane < kTwoWarps; ++lane) {
      const auto own = static_cast<std::int64_t>(lane);
      lanes[lane] = own - own % ring + (own + by) % ring;
    }
    return Poly(lanes);
  }

  std::string store(const Poly& offset, bool replaces = true) {
    const Status done = memory.store(array, offset, value, [&](const Cell&) { return replaces; });
    return done ? "" : done.error().message;
  }

  std::string load(const Poly& offset) {
    const Result<Leaf> read = memory.load(array, offset);
    return read ? "" : read.error().message;
  }
};

const std::string kUnordered =
    "`s` is read by a thread before a barrier makes another one's write visible";
const std::string kBusy =
    "`s` is written by a thread while others may still use it: a barrier is missing";

}  // namespace

TEST_SUITE("lift.shared_memory") {
  TEST_CASE("a barrier of the block orders all threads, one of a warp those of the warp") {
    struct Case {
      bool block;
      bool warp;
      std::int64_t ring;  ///< Threads read others of as many.
      std::string error;
    };

    const Case cases[] = {
        {false, false, 1, ""},         {false, false, 32, kUnordered}, {false, true, 32, ""},
        {false, true, 64, kUnordered}, {true, false, 64, ""},
    };
    for (const Case& c : cases) {
      TwoWarps on;
      REQUIRE(on.store(TwoWarps::beside(0, 1)).empty());
      if (c.block) {
        on.memory.meet_block();
      }
      if (c.warp) {
        on.memory.meet_warp();
      }
      CHECK(on.load(TwoWarps::beside(1, c.ring)) == c.error);
    }
  }

  TEST_CASE("nobody writes what others may still read") {
    TwoWarps on;
    REQUIRE(on.store(TwoWarps::beside(0, 1)).empty());
    on.memory.meet_block();
    REQUIRE(on.load(TwoWarps::beside(1, 64)).empty());
    CHECK(on.store(TwoWarps::beside(0, 1)) == kBusy);
    on.memory.meet_block();
    CHECK(on.store(TwoWarps::beside(0, 1)).empty());
  }

  TEST_CASE("threads that a branch keeps away access nothing") {
    TwoWarps on;
    Lanes first(kTwoWarps, 0);
    first[0] = 1;
    on.guards.keep(first);
    REQUIRE(on.store(Poly(5)).empty());
    CHECK(on.load(Poly(5)).empty());
    on.guards.exchange({1});
    CHECK(on.store(Poly(6)) == kBusy);  // All threads write one element.
    CHECK(on.load(Poly(7)) == "`s[7]` is read before it is written");
  }

  TEST_CASE("a copy keeps its elements until it lands") {
    TwoWarps on;
    REQUIRE(on.memory.claim(on.array, TwoWarps::beside(0, 1)));
    CHECK(on.load(TwoWarps::beside(0, 1)) == "`s` is read while a copy to it may be under way");
    CHECK(on.store(TwoWarps::beside(0, 1)) == "`s` is written while a copy to it may be under way");
    on.memory.land(on.array, TwoWarps::beside(0, 1));
    CHECK(on.store(TwoWarps::beside(0, 1)).empty());
    CHECK(on.load(TwoWarps::beside(0, 1)).empty());
  }

  TEST_CASE("an element is lost only where that is allowed, and an unknown one never used") {
    TwoWarps on;
    CHECK(on.store(TwoWarps::beside(0, 1), false).empty());  // There was nothing.
    CHECK(on.store(TwoWarps::beside(0, 1), false) ==
          "`s` is overwritten where a condition holds that depends on sizes or data");
    const Poly unknown = Poly::of(on.symbols.intern("self.n"));
    const std::string error = "`s` is indexed by something that is not known";
    CHECK(on.store(unknown) == error);
    CHECK(on.load(unknown) == error);
    CHECK(on.memory.claim(on.array, unknown).error().message == error);
  }

  TEST_CASE("accesses of another stretch count as those of this one where they were its own") {
    TwoWarps on;
    const SharedMemory::Stretch then = on.memory.now();
    REQUIRE(on.store(TwoWarps::beside(0, 1)).empty());
    on.memory.meet_block();
    on.memory.meet_warp();
    Cells kept = on.array.cells;
    on.memory.resume(on.array.cells, then);
    CHECK(on.load(TwoWarps::beside(1, 64)) == kUnordered);
    on.memory.resume(kept, on.memory.now());
    on.array.cells = kept;
    CHECK(on.load(TwoWarps::beside(1, 64)).empty());
  }
}

}  // namespace ws::lift
