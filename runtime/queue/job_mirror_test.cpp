// Jobs that run elsewhere, as a queue shows them.
#include <doctest/doctest.h>

#include "runtime/queue/job_queue.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kLongWait{10'000};

JobRequest mirrored_request(const std::string& id, const std::string& client = "ann") {
  return {.lanes = {"nodes"}, .tool = "validate", .caller = {.client = client}, .id = id};
}

std::vector<JobQueue::LaneOptions> one_lane() {
  return {{.name = "nodes", .threads = 0}};
}

}  // namespace

TEST_SUITE("queue.mirror") {
  TEST_CASE("a mirrored job stands as it is told, and those that wait get its outcome") {
    std::vector<std::string> ended;
    JobQueue queue(one_lane(), [&](const JobSnapshot& job) { ended.push_back(job.id); });
    const auto first = queue.mirror(mirrored_request("job_a"));
    REQUIRE(first.has_value());
    CHECK(first->is_new);
    CHECK_FALSE(queue.mirror(mirrored_request("job_a"))->is_new);
    CHECK(queue.snapshot("job_a")->state == JobState::kQueued);
    queue.report({.id = "job_a", .state = JobState::kQueued, .progress = {}, .queue_position = 7});
    CHECK(queue.snapshot("job_a")->queue_position == 7);
    queue.report({.id = "job_a",
                  .state = JobState::kRunning,
                  .progress = {.fraction = 0.5, .message = "half"}});
    const auto running = queue.snapshot("job_a");
    CHECK(running->state == JobState::kRunning);
    CHECK(running->progress.message == "half");
    bool over = false;
    CHECK(queue.watch("job_a", kLongWait, {}, [&] { over = true; }).has_value());
    queue.report({.id = "job_a",
                  .state = JobState::kDone,
                  .progress = {},
                  .outcome = Result<std::string>("{}")});
    const auto done = queue.wait("job_a", kLongWait, {});
    REQUIRE(done->outcome.has_value());
    CHECK(**done->outcome == "{}");
    CHECK(ended == std::vector<std::string>{"job_a"});
    queue.report({.id = "job_a", .state = JobState::kRunning, .progress = {}});
    CHECK(queue.snapshot("job_a")->state == JobState::kDone);
    CHECK_FALSE(queue.mirror(mirrored_request("job_a"))->is_new);  // Asked for while it ended.
    CHECK(queue.lanes().front().running == 0);
  }

  TEST_CASE("the end of a mirrored job is asked for when nobody here wants it") {
    JobQueue queue(one_lane(), {});
    const auto mirrored = queue.mirror(mirrored_request("job_a"));
    queue.hold("job_a", "bob");
    queue.leave(mirrored->ticket);
    CHECK_FALSE(mirrored->unwanted.stop_requested());
    CHECK(queue.release("job_a", "bob").has_value());
    CHECK(mirrored->unwanted.stop_requested());
    CHECK(queue.snapshot("job_a")->stopping);
    CHECK(queue.is_ending("job_a"));
    CHECK(queue.drop("job_a"));  // Others want it elsewhere.
    CHECK_FALSE(queue.snapshot("job_a").has_value());
    CHECK(queue.mirror(mirrored_request("job_a"))->is_new);
  }

  TEST_CASE("a job that somebody here wants is not dropped") {
    JobQueue queue(one_lane(), {});
    const auto mirrored = queue.mirror(mirrored_request("job_a"));
    CHECK_FALSE(queue.drop("job_a"));
    CHECK(queue.snapshot("job_a").has_value());
  }

  TEST_CASE("a job that ends while somebody here holds it is not dropped") {
    JobQueue queue(one_lane(), {});
    const auto mirrored = queue.mirror(mirrored_request("job_a"));
    CHECK(queue.cancel("job_a").has_value());  // An operator's, though a call wants it.
    CHECK_FALSE(queue.drop("job_a"));
    queue.hold(mirrored->ticket, "ann");
    CHECK_FALSE(queue.drop("job_a"));
    CHECK_FALSE(queue.mirror(mirrored_request("job_a"))->is_new);
    CHECK(queue.is_ending("job_a"));
  }

  TEST_CASE("a job that nobody wanted any more is wanted again by the next call") {
    JobQueue queue(one_lane(), {});
    const auto first = queue.mirror(mirrored_request("job_a"));
    queue.leave(first->ticket);
    CHECK(first->unwanted.stop_requested());
    const auto second = queue.mirror(mirrored_request("job_a"));
    CHECK(second->is_new);
    CHECK_FALSE(second->unwanted.stop_requested());
    CHECK_FALSE(queue.is_ending("job_a"));
    CHECK_FALSE(queue.snapshot("job_a")->stopping);
    CHECK_FALSE(queue.drop("job_a"));
    queue.leave(second->ticket);
    CHECK(second->unwanted.stop_requested());
    CHECK(queue.drop("job_a"));
  }

  TEST_CASE("a queue that stops leaves mirrored jobs alone, and takes no more") {
    JobQueue queue(one_lane(), {});
    const auto mirrored = queue.mirror(mirrored_request("job_a"));
    queue.stop();
    CHECK_FALSE(mirrored->unwanted.stop_requested());
    const auto refused = queue.mirror(mirrored_request("job_b"));
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) == "busy: the server is stopping");
  }
}

}  // namespace ws
