#include <future>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/request_id.h"
#include "runtime/queue/job_queue.h"
#include "runtime/queue/queue_changes.h"

namespace ws {

TEST_SUITE("queue.open_jobs") {
  TEST_CASE("lanes and jobs show what waits and runs, for whom and since when") {
    JobQueue queue({{.name = "a"}, {.name = "b"}}, nullptr);
    std::promise<void> started;
    std::promise<void> open;
    const RequestScope scope("req-7");
    const auto first = queue.submit(
        {.lanes = {"a"}, .tool = "tune", .caller = {.client = "ann"}},
        [&started, opened = open.get_future().share()](CallContext&) -> Result<std::string> {
          started.set_value();
          opened.wait();
          return std::string(current_request_id());
        });
    REQUIRE(first.has_value());
    started.get_future().wait();
    const auto second =
        queue.submit("a", "validate", "", [](CallContext&) { return Result<std::string>("x"); });
    REQUIRE(second.has_value());
    const std::vector<LaneState> lanes = queue.lanes();
    REQUIRE(lanes.size() == 2);
    CHECK(lanes[0].name == "a");
    CHECK(lanes[0].running == 1);
    CHECK(lanes[0].queued == 1);
    CHECK(lanes[0].busy_s > 0);
    CHECK(lanes[1].running + lanes[1].queued == 0);
    CHECK(lanes[1].busy_s == 0);
    const std::vector<OpenJob> jobs = queue.open_jobs();
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].job.id == *first);
    CHECK(jobs[0].job.state == JobState::kRunning);
    CHECK(jobs[0].lane == "a");
    CHECK(jobs[0].client == "ann");
    CHECK(jobs[0].request == "req-7");
    CHECK(jobs[0].age_s >= jobs[0].ran_s);
    CHECK(jobs[1].job.id == *second);
    CHECK(jobs[1].job.state == JobState::kQueued);
    CHECK(jobs[1].ran_s == 0);
    open.set_value();
    const auto ended = queue.wait(*first, std::chrono::seconds(10), {});
    REQUIRE(ended.has_value());
    REQUIRE(ended->outcome.has_value());
    CHECK(**ended->outcome == "req-7");  // A job works for the request that it came with.
    CHECK(queue.wait(*second, std::chrono::seconds(10), {})->state == JobState::kDone);
    CHECK(queue.open_jobs().empty());
    CHECK(queue.lanes()[0].running + queue.lanes()[0].queued == 0);
  }

  TEST_CASE("who looks on is woken by each change, and by nothing else") {
    QueueChanges changes;
    const std::uint64_t before = changes.wait(0, {});
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(changes.wait(before, stopped.get_token()) == before);
    auto woken = std::async(std::launch::async, [&] { return changes.wait(before, {}); });
    changes.note();
    CHECK(woken.get() == before + 1);
    std::stop_source stop;
    auto idle =
        std::async(std::launch::async, [&] { return changes.wait(before + 1, stop.get_token()); });
    stop.request_stop();
    CHECK(idle.get() == before + 1);
  }

  TEST_CASE("a queue notes that a job was queued, that it runs and that it has ended") {
    JobQueue queue({{.name = "a"}}, nullptr);
    const std::uint64_t before = queue_changes().wait(0, {});
    const auto job =
        queue.submit("a", "validate", "", [](CallContext&) { return Result<std::string>("x"); });
    REQUIRE(job.has_value());
    CHECK(queue.wait(*job, std::chrono::seconds(10), {})->state == JobState::kDone);
    CHECK(queue_changes().wait(0, {}) == before + 3);
  }
}

}  // namespace ws
