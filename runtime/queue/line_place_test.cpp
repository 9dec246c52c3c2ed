// The progress of a job that waits for its turn.
#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/queue/job_queue.h"

namespace ws {
namespace {

JobWork until(std::shared_future<void> open) {
  return [open = std::move(open)](CallContext& /*own*/) -> Result<std::string> {
    open.wait();
    return std::string("{}");
  };
}

}  // namespace

TEST_SUITE("queue.line_place") {
  TEST_CASE("a place in the line is said in words") {
    CHECK(place_in_line(0) == "waits to start");
    CHECK(place_in_line(1) == "waits behind 1 job");
    CHECK(place_in_line(2) == "waits behind 2 jobs");
  }

  TEST_CASE("a queued job reports its place at once, and again when that has changed") {
    std::promise<void> first;
    std::promise<void> second;
    JobQueue queue({{.name = "a"}}, {});
    REQUIRE(queue.submit("a", "tool", "", until(first.get_future().share())).has_value());
    REQUIRE(queue.submit("a", "tool", "", until(second.get_future().share())).has_value());
    const std::string id = *queue.submit("a", "tool", "", [](CallContext& own) {
      own.report(0.5, "half");
      return Result<std::string>("{}");
    });
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> told;
    CallContext context;
    context.progress = [&](const Progress& report) {
      const std::lock_guard lock(mutex);
      told.push_back(report.message);
      changed.notify_all();
    };
    const auto tells = [&](const std::string& message) {
      std::unique_lock lock(mutex);
      return changed.wait_for(lock, std::chrono::seconds(60),
                              [&] { return !told.empty() && told.back() == message; });
    };
    std::promise<void> over;
    REQUIRE(queue.watch(id, std::chrono::hours(1), context, [&] { over.set_value(); }).has_value());
    CHECK(tells("waits behind 2 jobs"));
    first.set_value();
    CHECK(tells("waits behind 1 job"));
    CHECK(queue.snapshot(id)->updated_ms > 0);
    second.set_value();
    over.get_future().wait();
    CHECK(told.size() <= 4);  // "half" may come in between.
  }

  TEST_CASE("a call that waits on its own thread gets the same") {
    std::promise<void> open;
    JobQueue queue({{.name = "a"}}, {});
    REQUIRE(queue.submit("a", "tool", "", until(open.get_future().share())).has_value());
    const std::string id =
        *queue.submit("a", "tool", "", [](CallContext&) { return Result<std::string>("{}"); });
    std::vector<std::string> told;
    CallContext context;
    context.progress = [&](const Progress& report) {
      if (told.empty()) {
        open.set_value();
      }
      told.push_back(report.message);
    };
    REQUIRE(queue.wait(id, std::chrono::hours(1), context)->state == JobState::kDone);
    REQUIRE_FALSE(told.empty());
    CHECK(told.front() == "waits behind 1 job");
  }
}

}  // namespace ws
