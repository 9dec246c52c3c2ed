#include "runtime/lift/symbolic/threads.h"

#include <doctest/doctest.h>

#include "tests/support/small_kernel.h"

namespace ws::lift {
namespace {

Lanes between(std::size_t first, std::size_t last, std::size_t threads) {
  Lanes lanes(threads, 0);
  for (std::size_t i = first; i <= last; ++i) {
    lanes[i] = 1;
  }
  return lanes;
}

}  // namespace

TEST_SUITE("lift.threads") {
  TEST_CASE("a set of threads is named by the largest groups that it is made of") {
    constexpr std::size_t threads = 384;
    CHECK(worker_text({1}, threads) == "block");
    CHECK(worker_text(between(0, 127, threads), threads) == "warpgroup 0");
    CHECK(worker_text(between(128, 383, threads), threads) == "warpgroups 1-2");
    CHECK(worker_text(between(32, 63, threads), threads) == "warp 1");
    CHECK(worker_text(between(64, 64, threads), threads) == "thread 64");
    CHECK(worker_text(between(3, 9, threads), threads) == "threads 3-9");
    CHECK(worker_text({0}, threads) == "nobody");
    const Workers groups = workers_of(between(128, 383, threads), threads);
    CHECK(groups.kind == WorkerKind::kWarpgroup);
    CHECK(groups.first == 1);
    CHECK(groups.last == 2);
    CHECK(groups.threads == 256);
    Lanes pair(threads, 0);
    pair[0] = 1;
    pair[2] = 1;
    CHECK(worker_text(pair, threads) == "2 threads");
  }

  TEST_CASE(
      "a condition that depends on something else as well may hold for the threads it names") {
    SmallKernel kernel(64);
    const NodeId low = kernel.binary(COperator::kLess, kernel.thread(), kernel.number(32));
    const NodeId other = kernel.binary(COperator::kGreater, kernel.block(), kernel.number(3));
    const NodeId both = kernel.binary(COperator::kAnd, other, low);
    const NodeId either = kernel.binary(COperator::kOr, low, other);
    const ThreadValues values(kernel.tree(), {64, 1, 1});
    CHECK(values.of(low) == between(0, 31, 64));
    CHECK_FALSE(values.of(both));
    CHECK(values.may_hold(both) == between(0, 31, 64));
    CHECK_FALSE(values.may_hold(other));
    CHECK_FALSE(values.may_hold(either));
  }
}

}  // namespace ws::lift
