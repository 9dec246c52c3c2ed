#include "runtime/ir/exec/shadow.h"

#include <algorithm>
#include <array>
#include <set>

#include <doctest/doctest.h>

#include "runtime/ir/exec/schedule.h"

namespace ws::ir {
namespace {

Box box(std::int64_t first, std::int64_t count) {
  return {{first, 0}, {count, 8}};
}

Access plain(std::size_t worker, std::uint32_t epoch, bool write, Box where) {
  Access access;
  access.box = std::move(where);
  access.worker = worker;
  access.epoch = epoch;
  access.write = write;
  return access;
}

Access engine(Engine which, std::uint32_t op, bool write, Box where) {
  Access access = plain(0, 0, write, std::move(where));
  access.engine = which;
  access.op = op;
  return access;
}

// Knows the first `epochs` epochs of worker 0.
Knowledge after(std::uint32_t epochs) {
  Knowledge known;
  for (std::uint32_t i = 0; i < epochs; ++i) {
    known.advance(0);
  }
  return known;
}

TEST_SUITE("ir.shadow") {
  TEST_CASE("boxes that share an element overlap, neighbours do not") {
    CHECK(overlap(box(0, 4), box(3, 2)));
    CHECK_FALSE(overlap(box(0, 4), box(4, 2)));
    CHECK_FALSE(overlap({{0, 0}, {4, 4}}, {{0, 4}, {4, 4}}));
    CHECK(contains(box(0, 4), box(1, 3)));
    CHECK_FALSE(contains(box(0, 4), box(1, 4)));
  }

  TEST_CASE("an access conflicts with a write that it does not know of") {
    Shadow shadow;
    CHECK_FALSE(shadow.add(plain(0, 2, true, box(0, 4)), after(2)));
    const std::optional<Conflict> unknown = shadow.add(plain(1, 1, false, box(0, 2)), after(1));
    REQUIRE(unknown);
    CHECK(unknown->clash == Clash::kUnordered);
    CHECK(unknown->earlier.worker == 0);
    CHECK_FALSE(shadow.add(plain(1, 1, false, box(0, 2)), after(2)));
    CHECK_FALSE(shadow.add(plain(1, 1, true, box(4, 2)), after(0)));
  }

  TEST_CASE("two reads never conflict, and two atomic operations of one kind neither") {
    Shadow shadow;
    CHECK_FALSE(shadow.add(plain(0, 1, false, box(0, 4)), after(1)));
    CHECK_FALSE(shadow.add(plain(1, 1, false, box(0, 4)), Knowledge()));
    Access atomic = plain(2, 1, true, box(8, 4));
    atomic.atomic = Atomic::kAdd;
    CHECK_FALSE(shadow.add(atomic, Knowledge()));
    CHECK_FALSE(shadow.add(atomic, Knowledge()));
    atomic.atomic = Atomic::kMax;
    CHECK(shadow.add(atomic, Knowledge()));
    CHECK(shadow.add(plain(3, 1, false, box(8, 1)), Knowledge()));
  }

  TEST_CASE("to know one copy complete says nothing of another") {
    Shadow shadow;
    Knowledge known;
    shadow.add(engine(Engine::kTma, 2, true, box(0, 4)), known);
    shadow.add(engine(Engine::kTma, 4, true, box(4, 4)), known);
    known.complete(4);
    CHECK_FALSE(shadow.add(plain(1, 1, false, box(4, 4)), known));
    const std::optional<Conflict> conflict = shadow.add(plain(1, 1, false, box(0, 4)), known);
    REQUIRE(conflict);
    CHECK(conflict->earlier.op == 2);
  }

  TEST_CASE("a plain write needs a fence before TMA and wgmma see it, and before nobody else") {
    for (const Engine which : {Engine::kTma, Engine::kWgmma, Engine::kCpAsync, Engine::kNone}) {
      Shadow shadow;
      Knowledge known = after(1);
      shadow.add(plain(0, 1, true, box(0, 4)), known);
      Access access = engine(which, 2, false, box(0, 4));
      access.worker = 1;
      const std::optional<Conflict> conflict = shadow.add(access, known);
      const bool needs = which == Engine::kTma || which == Engine::kWgmma;
      CHECK(conflict.has_value() == needs);
      known.fence();
      CHECK_FALSE(shadow.add(access, known));
    }
  }

  TEST_CASE("products of one worker accumulate in order; other uses of their result do not") {
    Shadow shadow;
    const Knowledge nothing;
    CHECK_FALSE(shadow.add(engine(Engine::kWgmma, 0, true, box(0, 4)), nothing));
    CHECK_FALSE(shadow.add(engine(Engine::kWgmma, 2, true, box(0, 4)), nothing));
    CHECK(shadow.add(engine(Engine::kWgmma, 4, false, box(0, 4)), nothing));
    CHECK(shadow.add(engine(Engine::kWgmma, 6, true, box(0, 2)), nothing));
  }

  TEST_CASE("bytes read with another swizzle than they were written with conflict") {
    Shadow shadow;
    Knowledge known = after(1);
    Access write = plain(0, 1, true, box(0, 4));
    write.swizzle = "128B";
    shadow.add(write, known);
    const std::optional<Conflict> conflict = shadow.add(plain(0, 1, false, box(0, 4)), known);
    REQUIRE(conflict);
    CHECK(conflict->clash == Clash::kLayout);
  }

  TEST_CASE("a loop leaves no trail of accesses behind") {
    Shadow shadow;
    Knowledge known;
    for (std::uint32_t epoch = 1; epoch <= 1000; ++epoch) {
      known.advance(0);
      shadow.add(plain(0, epoch, true, box(0, 4)), known);
      shadow.add(plain(0, epoch, false, box(0, 2)), known);
      Access atomic = plain(0, epoch, true, box(4, 4));
      atomic.atomic = Atomic::kAdd;
      shadow.add(atomic, known);
    }
    CHECK(shadow.accesses().size() <= 3);
  }

  TEST_CASE("a loop that waits for its copies leaves no trail of what they read") {
    Shadow shadow;
    Knowledge known;
    for (std::uint32_t op = 1; op <= 1000; ++op) {
      shadow.add(engine(Engine::kTma, op, false, box(0, 4)), known);
      if (op > 3) {
        known.complete(op - 3);
      }
    }
    CHECK(shadow.accesses().size() == 4);  // The last one, and those that it did not know of.
    // A write has to know of them all.
    for (const std::uint32_t op : {1000U, 999U, 998U}) {
      Shadow same = shadow;
      CHECK(same.add(plain(0, 1, true, box(0, 4)), known));
      known.complete(op);
    }
    CHECK_FALSE(shadow.add(plain(0, 1, true, box(0, 4)), known));
  }

  TEST_CASE("a schedule visits every block once, in an order that it can repeat") {
    for (const Schedule& schedule : default_schedules()) {
      CAPTURE(schedule.name());
      std::vector<std::int64_t> order = block_order(schedule, 37);
      CHECK(order == block_order(schedule, 37));
      std::sort(order.begin(), order.end());
      for (std::int64_t i = 0; i < 37; ++i) {
        CHECK(order[static_cast<std::size_t>(i)] == i);
      }
    }
  }

  TEST_CASE("a later schedule visits the corners of a large grid and some more") {
    for (const Schedule& schedule : default_schedules()) {
      CAPTURE(schedule.name());
      const std::array<std::int64_t, 3> size = {7, 5, 3};
      const std::vector<std::int64_t> some = blocks_again(schedule, size, 12);
      CHECK(some == blocks_again(schedule, size, 12));
      CHECK(std::set<std::int64_t>(some.begin(), some.end()).size() == 12);
      for (const std::int64_t corner : {0, 6, 28, 34, 70, 76, 98, 104}) {
        CHECK(std::ranges::find(some, corner) != some.end());
      }
      CHECK(blocks_again(schedule, size, 105) == block_order(schedule, 105));
    }
  }

  TEST_CASE("the default schedules have names of their own") {
    std::vector<std::string> names;
    for (const Schedule& schedule : default_schedules()) {
      names.push_back(schedule.name());
    }
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    CHECK(names.size() == 14);
  }
}

}  // namespace
}  // namespace ws::ir
