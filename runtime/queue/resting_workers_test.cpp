#include "runtime/queue/resting_workers.h"

#include <memory>

#include <doctest/doctest.h>

namespace ws {
namespace {

using Worker = std::unique_ptr<int>;

}  // namespace

TEST_SUITE("queue.resting_workers") {
  TEST_CASE("the one that rested last is woken, and only by its key") {
    RestingWorkers<Worker> resting(3, std::chrono::minutes(5));
    CHECK_FALSE(resting.wake("a").has_value());
    resting.rest("a", std::make_unique<int>(1));
    resting.rest("b", std::make_unique<int>(2));
    resting.rest("a", std::make_unique<int>(3));
    CHECK_FALSE(resting.wake("c").has_value());
    CHECK(**resting.wake("a") == 3);
    CHECK(**resting.wake("a") == 1);
    CHECK_FALSE(resting.wake("a").has_value());
    CHECK(**resting.wake("b") == 2);
  }

  TEST_CASE("when too many rest, the oldest ends") {
    RestingWorkers<Worker> resting(2, std::chrono::minutes(5));
    for (const char* key : {"a", "b", "c"}) {
      resting.rest(key, std::make_unique<int>(0));
    }
    CHECK_FALSE(resting.wake("a").has_value());
    CHECK(resting.wake("b").has_value());
    CHECK(resting.wake("c").has_value());
  }

  TEST_CASE("one that has rested too long ends") {
    RestingWorkers<std::shared_ptr<int>> resting(2, std::chrono::seconds(0));
    auto worker = std::make_shared<int>(0);
    const std::weak_ptr<int> seen = worker;
    resting.rest("a", std::move(worker));
    while (!seen.expired()) {
      std::this_thread::yield();
    }
    CHECK_FALSE(resting.wake("a").has_value());
  }
}

}  // namespace ws
