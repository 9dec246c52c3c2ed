#include "runtime/ir/exec/past.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "runtime/ir/exec/schedule.h"

namespace ws::ir {
namespace {

const Shape kShape = {6, 5, 7};

Access use(Box box, bool write, Atomic atomic = Atomic::kNone) {
  Access access;
  access.box = std::move(box);
  access.write = write;
  access.atomic = atomic;
  return access;
}

Box random_box(std::uint64_t& random) {
  Box box;
  for (const std::int64_t size : kShape) {
    const auto first = static_cast<std::int64_t>(next_random(random)) & 0xffff;
    box.first.push_back(first % size);
    const auto count = static_cast<std::int64_t>(next_random(random)) & 0xffff;
    box.count.push_back(count % (size - box.first.back() + 1));
  }
  return box;
}

Access random_use(std::uint64_t& random) {
  const std::uint64_t kind = next_random(random) % 4;
  return use(random_box(random), kind > 0,
             kind == 2   ? Atomic::kAdd
             : kind == 3 ? Atomic::kMax
                         : Atomic::kNone);
}

bool is_empty(const Box& box) {
  return std::find(box.count.begin(), box.count.end(), 0) != box.count.end();
}

TEST_SUITE("ir.past") {
  TEST_CASE("a conflict is found exactly when a use that overlaps does not commute") {
    std::uint64_t random = 5;
    std::size_t found = 0;
    std::size_t free = 0;
    for (int round = 0; round < 300; ++round) {
      Past past;
      std::vector<Access> uses;
      for (int i = 0; i < 12; ++i) {
        const Access access = random_use(random);
        const bool want = std::any_of(uses.begin(), uses.end(), [&](const Access& other) {
          return !access.commutes(other) && !is_empty(access.box) && !is_empty(other.box) &&
                 overlap(access.box, other.box);
        });
        const PastAccess* const got = past.conflict(access, kShape);
        CHECK((got != nullptr) == want);
        if (got != nullptr) {
          CHECK(overlap(got->access.box, access.box));
          CHECK_FALSE(got->access.commutes(access));
        }
        (want ? found : free) += 1;
        uses.push_back(access);
        past.add({access, i}, kShape);
      }
    }
    CHECK(found > 100);
    CHECK(free > 100);
  }

  TEST_CASE("the first block that used an element stands for all, and a write before a read") {
    Past past;
    const Box low{{0, 0, 0}, {3, 5, 7}};
    const Box all{{0, 0, 0}, {6, 5, 7}};
    past.add({use(all, false), 1}, kShape);
    past.add({use(low, false), 2}, kShape);
    CHECK(past.conflict(use(low, true), kShape)->block == 1);
    past.add({use(low, true, Atomic::kAdd), 3}, kShape);
    past.add({use(all, true, Atomic::kAdd), 4}, kShape);
    CHECK(past.conflict(use(low, true), kShape)->block == 3);
    CHECK(past.conflict(use({{4, 0, 0}, {1, 1, 1}}, true), kShape)->block == 4);
    CHECK(past.conflict(use(all, true, Atomic::kAdd), kShape)->block == 1);
    CHECK(past.conflict(use(all, true, Atomic::kMax), kShape)->block == 3);
  }

  TEST_CASE("rows side by side do not conflict, nor does what lies wholly outside") {
    Past past;
    past.add({use({{0, 0, 0}, {6, 5, 3}}, true), 0}, kShape);
    CHECK(past.conflict(use({{0, 0, 3}, {6, 5, 4}}, true), kShape) == nullptr);
    CHECK(past.conflict(use({{0, 0, 2}, {6, 5, 1}}, false), kShape) != nullptr);
    CHECK(past.conflict(use({{0, 0, 0}, {6, 0, 7}}, true), kShape) == nullptr);
  }
}

}  // namespace
}  // namespace ws::ir
