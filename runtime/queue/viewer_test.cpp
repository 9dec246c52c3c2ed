// Tests of whom a job works for, and who may know of it.
#include "runtime/base/viewer.h"

#include <future>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "runtime/queue/job_queue.h"

namespace ws {
namespace {

ViewerPtr viewer_named(const std::string& name, bool shares) {
  return std::make_shared<const Viewer>(Viewer{.owner = name, .sees_all = false, .shares = shares});
}

/// A queue whose jobs wait until it ends.
struct Waiting {
  std::promise<void> open;
  std::shared_future<void> opened = open.get_future().share();
  JobQueue queue{{{.name = "a"}}, nullptr};

  ~Waiting() { open.set_value(); }

  Waiting() = default;
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  JobTicket ask(const std::string& client) {
    const auto ticket = queue.join(
        {.lanes = {"a"}, .tool = "validate", .key = "same", .caller = {.client = client}},
        [all = opened](CallContext&) -> Result<std::string> {
          all.wait();
          return current_viewer().owner;
        });
    REQUIRE(ticket.has_value());
    return *ticket;
  }
};

}  // namespace

TEST_SUITE("queue.viewer") {
  TEST_CASE("a principal joins no job of another one, and does not end it") {
    Waiting waiting;
    JobTicket of_alice;
    {
      const ViewerScope alice(viewer_named("alice", false));
      of_alice = waiting.ask("@alice x");
      CHECK(waiting.ask("@alice y").job == of_alice.job);
    }
    const ViewerScope bob(viewer_named("bob", false));
    const JobTicket of_bob = waiting.ask("@bob x");
    CHECK(of_bob.job != of_alice.job);
    CHECK(to_text(waiting.queue.release(of_alice.job, "@bob x").error()) ==
          "not_found: no job `" + of_alice.job +
              "`; job ids come from a result with status running; ended jobs are kept for 24 h");
    CHECK_FALSE(waiting.queue.cancel(of_alice.job).has_value());
    waiting.queue.leave(of_bob);
    const ViewerScope alice(viewer_named("alice", false));
    const auto job = waiting.queue.snapshot(of_alice.job);
    REQUIRE(job.has_value());
    CHECK_FALSE(is_final(job->state));
    CHECK_FALSE(job->stopping);
  }

  TEST_CASE("a job is unknown to others, unless its principal shares") {
    Waiting waiting;
    std::string hidden;
    std::string shared;
    {
      const ViewerScope alice(viewer_named("alice", false));
      hidden = waiting.ask("@alice x").job;
    }
    {
      const ViewerScope carol(viewer_named("carol", true));
      shared = waiting.ask("@carol x").job;
    }
    CHECK(waiting.queue.open_jobs().size() == 2);
    const ViewerScope bob(viewer_named("bob", false));
    CHECK_FALSE(waiting.queue.snapshot(hidden).has_value());
    CHECK_FALSE(waiting.queue.wait(hidden, std::chrono::milliseconds(0), {}).has_value());
    CHECK_FALSE(waiting.queue.watch(hidden, std::chrono::milliseconds(0), {}, [] {}).has_value());
    CHECK(waiting.queue.snapshot(shared).has_value());
    REQUIRE(waiting.queue.open_jobs().size() == 1);
    CHECK(waiting.queue.open_jobs()[0].job.id == shared);
  }

  TEST_CASE("the work of a job is done for the viewer that asked for it") {
    JobQueue queue({{.name = "a"}}, nullptr);
    const ViewerScope alice(viewer_named("alice", false));
    const auto job = queue.submit(
        "a", "t", "", [](CallContext&) -> Result<std::string> { return current_viewer().owner; });
    REQUIRE(job.has_value());
    const auto ended = queue.wait(*job, std::chrono::seconds(10), {});
    REQUIRE(ended.has_value());
    CHECK(**ended->outcome == "alice");
  }
}

}  // namespace ws
