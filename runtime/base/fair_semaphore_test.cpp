#include "runtime/base/fair_semaphore.h"

#include <atomic>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("base.turns") {
  TEST_CASE("no more are inside than there are places, and all get in") {
    FairSemaphore semaphore(3);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::atomic<int> done = 0;
    {
      std::vector<std::jthread> threads;
      threads.reserve(16);
      for (int i = 0; i < 16; ++i) {
        threads.emplace_back([&] {
          const auto place = semaphore.enter({});
          const int now = ++inside;
          int seen = most;
          while (seen < now && !most.compare_exchange_weak(seen, now)) {
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          --inside;
          ++done;
        });
      }
    }
    CHECK(most == 3);
    CHECK(done == 16);
  }

  TEST_CASE("a thread that leaves and comes back is behind those that wait") {
    FairSemaphore semaphore(1);
    auto held = semaphore.enter({});
    REQUIRE(held.has_value());
    std::atomic<bool> waiter_was_in = false;
    std::jthread waiter([&] {
      const auto place = semaphore.enter({});
      waiter_was_in = true;
    });
    while (semaphore.waiting() == 0) {
      std::this_thread::yield();
    }
    *held = FairSemaphore::Place();
    const auto again = semaphore.enter({});
    CHECK(again.has_value());
    CHECK(waiter_was_in);
  }

  TEST_CASE("a stop request ends the wait, and takes no place") {
    FairSemaphore semaphore(1);
    auto held = semaphore.enter({});
    REQUIRE(held.has_value());
    std::stop_source stop;
    std::jthread waiter([&] {
      const auto refused = semaphore.enter(stop.get_token());
      REQUIRE_FALSE(refused.has_value());
      CHECK(refused.error().code == ErrorCode::kCancelled);
    });
    stop.request_stop();
    waiter.join();
    CHECK(semaphore.waiting() == 0);
    *held = FairSemaphore::Place();
    CHECK(semaphore.enter({}).has_value());
  }
}

}  // namespace ws
