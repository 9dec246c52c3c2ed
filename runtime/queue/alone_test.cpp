// A lane whose jobs run alone, but for those that share it.
#include <future>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/queue/job_queue.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kLong{10'000};

/// Jobs that run until they are told to end.
struct HeldJobs {
  std::map<std::string, std::promise<void>> open;  // Outlives the queue's threads.
  JobQueue queue{{{.name = "gpu", .threads = 3, .alone = true},
                  {.name = "other", .threads = 2, .alone = true}},
                 {}};

  HeldJobs() = default;
  HeldJobs(const HeldJobs&) = delete;
  HeldJobs& operator=(const HeldJobs&) = delete;
  HeldJobs(HeldJobs&&) = delete;
  HeldJobs& operator=(HeldJobs&&) = delete;

  ~HeldJobs() {
    for (auto& [id, promise] : open) {
      if (!is_final(state(id))) {
        promise.set_value();
      }
    }
  }

  std::string add(const std::string& shares, const std::vector<std::string>& lanes = {"gpu"},
                  const std::string& key = "", bool background = false) {
    auto opened = std::make_shared<std::promise<void>>();
    std::shared_future<void> wait = opened->get_future().share();
    const auto id = queue.submit({.lanes = lanes,
                                  .tool = "work",
                                  .key = key,
                                  .caller = {.client = "me", .background = background},
                                  .shares = shares},
                                 [wait](CallContext&) -> Result<std::string> {
                                   wait.wait();
                                   return std::string();
                                 });
    REQUIRE(id.has_value());
    open.try_emplace(*id, std::move(*opened));
    return *id;
  }

  JobState state(const std::string& id) { return queue.snapshot(id)->state; }

  void wait_for_start(const std::string& id) {
    const auto end = Clock::now() + kLong;
    while (state(id) == JobState::kQueued && Clock::now() < end) {
      std::this_thread::yield();
    }
    CHECK(state(id) == JobState::kRunning);
  }

  void end(const std::string& id) {
    open[id].set_value();
    CHECK(queue.wait(id, kLong, {})->state == JobState::kDone);
  }
};

}  // namespace

TEST_SUITE("queue.alone") {
  TEST_CASE("two that share run at a time, and one that does not waits for both") {
    HeldJobs jobs;
    const std::string first = jobs.add("batch");
    const std::string second = jobs.add("batch");
    jobs.wait_for_start(first);
    jobs.wait_for_start(second);
    const std::string alone = jobs.add("");
    jobs.end(first);
    CHECK(jobs.state(alone) == JobState::kQueued);
    CHECK(jobs.queue.snapshot(alone)->queue_position == 1);
    jobs.end(second);
    jobs.wait_for_start(alone);
  }

  TEST_CASE("nothing runs beside one that does not share, and two of these run one by one") {
    HeldJobs jobs;
    const std::string alone = jobs.add("");
    jobs.wait_for_start(alone);
    const std::string shares = jobs.add("batch");
    const std::string other = jobs.add("");
    const std::string last = jobs.add("batch");
    CHECK(jobs.state(shares) == JobState::kQueued);
    jobs.end(alone);
    jobs.wait_for_start(shares);
    CHECK(jobs.state(other) == JobState::kQueued);
    CHECK(jobs.state(last) == JobState::kQueued);  // It could share, but overtakes nobody.
    jobs.end(shares);
    jobs.wait_for_start(other);
    CHECK(jobs.state(last) == JobState::kQueued);
    jobs.end(other);
    jobs.wait_for_start(last);
  }

  TEST_CASE("where the one that waits to run alone is cancelled, who shares goes on") {
    HeldJobs jobs;
    const std::string first = jobs.add("batch");
    jobs.wait_for_start(first);
    const std::string alone = jobs.add("");
    const std::string second = jobs.add("batch");
    const std::string third = jobs.add("batch");
    CHECK(jobs.state(second) == JobState::kQueued);
    REQUIRE(jobs.queue.cancel(alone).has_value());
    jobs.wait_for_start(second);
    jobs.wait_for_start(third);
  }

  TEST_CASE("those of two batches do not share") {
    HeldJobs jobs;
    const std::string first = jobs.add("batch");
    jobs.wait_for_start(first);
    const std::string second = jobs.add("another");
    const std::string third = jobs.add("another");
    CHECK(jobs.state(second) == JobState::kQueued);
    jobs.end(first);
    jobs.wait_for_start(second);
    jobs.wait_for_start(third);
  }

  TEST_CASE("where the one that waits to run alone goes to another lane, who shares goes on") {
    HeldJobs jobs;
    const std::string busy = jobs.add("", {"other"});
    const std::string first = jobs.add("batch");
    jobs.wait_for_start(busy);
    jobs.wait_for_start(first);
    const std::string alone = jobs.add("", {"gpu", "other"});
    const std::string second = jobs.add("batch");
    const std::string third = jobs.add("batch");
    CHECK(jobs.state(second) == JobState::kQueued);
    jobs.end(busy);
    jobs.wait_for_start(alone);
    jobs.wait_for_start(second);
    jobs.wait_for_start(third);
  }

  TEST_CASE("a sharing job that a call waits for runs beside the others") {
    HeldJobs jobs;
    const std::string first = jobs.add("batch");
    jobs.wait_for_start(first);
    const std::string alone = jobs.add("", {"gpu"}, "", true);
    const std::string second = jobs.add("batch", {"gpu"}, "question", true);
    CHECK(jobs.state(second) == JobState::kQueued);
    CHECK(jobs.add("batch", {"gpu"}, "question") == second);
    jobs.wait_for_start(second);
    CHECK(jobs.state(alone) == JobState::kQueued);
  }

  TEST_CASE("after one that ran alone as many run as share") {
    HeldJobs jobs;
    const std::string alone = jobs.add("");
    jobs.wait_for_start(alone);
    const std::string first = jobs.add("batch");
    const std::string second = jobs.add("batch");
    const std::string third = jobs.add("batch");
    const std::string fourth = jobs.add("batch");
    jobs.end(alone);
    jobs.wait_for_start(first);
    jobs.wait_for_start(second);
    jobs.wait_for_start(third);
    CHECK(jobs.state(fourth) == JobState::kQueued);
  }
}

}  // namespace ws
