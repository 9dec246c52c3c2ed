#include "runtime/lift/orchestration/role.h"

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

constexpr std::size_t kBlock = 384;

/// A number for each thread of the block, by its warpgroup.
Lanes by_group(std::int64_t first, std::int64_t second, std::int64_t third) {
  Lanes lanes(kBlock);
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    lanes[lane] = lane < kWarpgroupThreads ? first : lane < 2 * kWarpgroupThreads ? second : third;
  }
  return lanes;
}

}  // namespace

TEST_SUITE("lift.role") {
  TEST_CASE("a role has whole warpgroups or warps, a thread, or the block") {
    const Role consumers = Role::of(by_group(0, 1, 1), kBlock);
    CHECK(consumers.kind == WorkerKind::kWarpgroup);
    CHECK(consumers.numbers == std::vector<int>{1, 2});
    CHECK(consumers.unit == kWarpgroupThreads);
    Lanes some(kBlock, 0);
    some[32] = 1;
    CHECK(are_workers(some, kBlock));
    const Role thread = Role::of(some, kBlock);
    CHECK(thread.kind == WorkerKind::kThread);
    CHECK(thread.numbers == std::vector<int>{32});
    CHECK(thread.unit == 1);
    some[40] = 1;
    CHECK_FALSE(are_workers(some, kBlock));
    CHECK(Role::of(some, kBlock).kind == WorkerKind::kBlock);
    CHECK(Role::of({1}, kBlock).unit == kBlock);
  }

  TEST_CASE("active threads are counted for each worker") {
    const Role consumers = Role::of(by_group(0, 1, 1), kBlock);
    CHECK(consumers.counts(by_group(1, 1, 0), kBlock) == std::vector<std::int64_t>{128, 0});
    Lanes few(kBlock, 0);
    few[3] = few[128] = few[129] = few[383] = 1;
    CHECK(consumers.counts(few, kBlock) == std::vector<std::int64_t>{2, 1});
    CHECK(Role::of({1}, kBlock).counts(few, kBlock) == std::vector<std::int64_t>{4});
  }

  TEST_CASE("a number that each worker has is written by the worker's own") {
    const Role consumers = Role::of(by_group(0, 1, 1), kBlock);
    CHECK(consumers.number_text(by_group(9, 1, 2)) == "wg");
    CHECK(consumers.number_text(by_group(9, 0, 1)) == "(wg - 1)");
    CHECK(consumers.number_text(by_group(9, 64, 128)) == "wg * (64)");
    CHECK(consumers.number_text(by_group(9, 5, 9)) == "(wg * (4) + 1)");
    CHECK(consumers.number_text(by_group(9, 7, 7)) == "7");
    Lanes mixed = by_group(0, 1, 2);
    mixed[200] = 5;
    CHECK(consumers.number_text(mixed).empty());
    CHECK(Role::of(by_group(1, 1, 1), kBlock).number_text(by_group(0, 1, 5)).empty());
  }
}

}  // namespace ws::lift
