// No waiter is forgotten when there is no memory for a moment.
#include "runtime/base/no_memory.h"

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/queue/job_queue.h"
#include "runtime/queue/watchers.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kLong{10'000};

/// Throws the first few times.
struct Scarce {
  explicit Scarce(int often)
      : left(often) {}

  void take() {
    if (left-- > 0) {
      throw std::bad_alloc();
    }
  }

  std::atomic<int> left;
};

struct Heard {
  std::function<void()> over() {
    return [this] {
      scarce.take();
      told.set_value();
    };
  }

  bool comes() { return told.get_future().wait_for(kLong) == std::future_status::ready; }

  Scarce scarce{3};
  std::promise<void> told;  // A second time would be an exception.
};

}  // namespace

TEST_SUITE("queue.memory") {
  TEST_CASE("what is surely done is tried again, and may have what is set aside") {
    Scarce scarce(3);
    int done = 0;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    surely(
        [&] {
          CHECK(lock.owns_lock());
          CHECK(Need::is_here());
          scarce.take();
          ++done;
        },
        &lock);
    CHECK(done == 1);
    CHECK(lock.owns_lock());
    CHECK_FALSE(Need::is_here());
    CHECK_THROWS_AS(surely([] { throw std::runtime_error("another one"); }), std::runtime_error);
    CHECK_FALSE(Need::is_here());
  }

  TEST_CASE(
      "a watch that could not be checked for want of memory is checked again, and notified once") {
    std::mutex mutex;
    Watchers watchers(mutex);
    Scarce turns(3);
    Heard heard;
    std::atomic<int> ended = 0;
    const auto watch = std::make_shared<Watchers::Watch>();
    watch->turn = [&] {
      turns.take();
      return Watchers::Turn{.reports = {{}}, .over = true, .next = {}};
    };
    watch->progress = [](const Progress&) { throw std::bad_alloc(); };
    watch->ended = [&](const auto&) { ++ended; };
    watch->over = heard.over();
    {
      const std::lock_guard lock(mutex);
      watchers.add(watch);
    }
    CHECK(heard.comes());
    CHECK(turns.left == -1);
    CHECK(heard.scarce.left == -1);
    CHECK(ended == 1);
  }

  TEST_CASE("watches that still wait at the end are notified, also at the second try") {
    Heard heard;
    {
      JobQueue queue({{.name = "a"}}, {});
      queue.after(std::chrono::hours(1), {}, heard.over());
    }
    CHECK(heard.comes());
  }

  TEST_CASE("a job whose end cannot be recorded still ends, and its waiters are notified") {
    std::atomic<int> recorded = 0;
    JobQueue queue({{.name = "a"}}, [&](const JobSnapshot&) {
      CHECK(Need::is_here());
      ++recorded;
      throw std::bad_alloc();
    });
    std::promise<void> open;
    const std::string id = *queue.submit("a", "tool", "", [&](CallContext&) {
      CHECK_FALSE(Need::is_here());
      open.get_future().wait();
      return Result<std::string>("x");
    });
    Heard heard;
    REQUIRE(queue.watch(id, kLong, {}, heard.over()).has_value());
    const std::string waits =
        *queue.submit("a", "tool", "", [](CallContext&) { return Result<std::string>("never"); });
    REQUIRE(queue.cancel(waits).has_value());
    CHECK(queue.snapshot(waits)->state == JobState::kCancelled);
    open.set_value();
    CHECK(heard.comes());
    const auto job = queue.wait(id, kLong, {});
    REQUIRE(job.has_value());
    CHECK(job->state == JobState::kDone);
    CHECK(job->waiters == 0);
    CHECK(recorded == 2);
    CHECK(queue.length("a") == 0);
  }

  TEST_CASE("a job that ends for lack of memory has failed, and the lane goes on") {
    JobQueue queue({{.name = "a"}}, {});
    const std::string id = *queue.submit(
        "a", "tool", "", [](CallContext&) -> Result<std::string> { throw std::bad_alloc(); });
    const auto job = queue.wait(id, kLong, {});
    REQUIRE(job.has_value());
    CHECK(job->state == JobState::kFailed);
    CHECK(to_text(job->outcome->error()) ==
          "internal: a job ended with an exception (std::bad_alloc)");
    const std::string next =
        *queue.submit("a", "tool", "", [](CallContext&) { return Result<std::string>("next"); });
    CHECK(queue.wait(next, kLong, {})->outcome->value() == "next");
  }

  TEST_CASE("a wait that ends in an exception is not counted any more") {
    JobQueue queue({{.name = "a"}}, {});
    std::atomic<bool> open = false;
    const std::string id = *queue.submit("a", "tool", "", [&](CallContext& own) {
      while (!open) {
        own.report(0.5, "half");
        std::this_thread::yield();
      }
      return Result<std::string>("x");
    });
    CallContext context;
    context.progress = [](const Progress&) { throw std::bad_alloc(); };
    CHECK_THROWS_AS((void)queue.wait(id, kLong, context), std::bad_alloc);
    CHECK(queue.snapshot(id)->waiters == 0);
    open = true;
  }
}

}  // namespace ws
