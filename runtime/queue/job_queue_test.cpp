#include "runtime/queue/job_queue.h"

#include <future>
#include <thread>

#include <doctest/doctest.h>
#include <sys/resource.h>

namespace ws {

TEST_SUITE("queue.jobs") {
  constexpr std::chrono::milliseconds kLong{10'000};

  /// Work that ends when the test says so, or when it is stopped.
  struct Gate {
    std::promise<void> started;
    std::promise<void> open;
    std::shared_future<void> opened = open.get_future().share();

    JobWork work() {
      return [this](CallContext& context) -> Result<std::string> {
        started.set_value();
        while (opened.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
          if (context.stop.stop_requested()) {
            return fail(ErrorCode::kCancelled, "the job was stopped");
          }
        }
        return std::string("opened");
      };
    }
  };

  JobWork answer(const std::string& text) {
    return [text](CallContext&) { return Result<std::string>(text); };
  }

  std::string outcome_of(JobQueue & queue, const std::string& id) {
    const auto job = queue.wait(id, kLong, {});
    REQUIRE(job.has_value());
    REQUIRE(job->outcome.has_value());
    return *job->outcome ? **job->outcome : to_text(job->outcome->error());
  }

  TEST_CASE("a job whose outcome is being recorded is waited for, however short the wait") {
    std::promise<void> recording;
    std::promise<void> recorded;
    JobQueue queue({{.name = "a"}}, [&](const JobSnapshot&) {
      recording.set_value();
      recorded.get_future().wait();
    });
    const std::string id = *queue.submit("a", "tool", "", answer("known"));
    recording.get_future().wait();
    const std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      recorded.set_value();
    });
    const auto job = queue.wait(id, std::chrono::milliseconds(0), {});
    REQUIRE(job->outcome.has_value());
    CHECK(**job->outcome == "known");
  }

  TEST_CASE("jobs of a lane run in the order they came, and lanes do not wait for each other") {
    Gate gate;
    JobQueue queue({{.name = "a"}, {.name = "b"}}, {});
    const std::string first = *queue.submit("a", "tool", "", gate.work());
    gate.started.get_future().wait();
    const std::string second = *queue.submit("a", "tool", "", answer("second"));
    const std::string third = *queue.submit("a", "tool", "", answer("third"));
    const std::string other = *queue.submit("b", "tool", "", answer("other"));
    CHECK(outcome_of(queue, other) == "other");
    CHECK(queue.snapshot(first)->state == JobState::kRunning);
    CHECK(queue.snapshot(second)->queue_position == 1);
    CHECK(queue.snapshot(third)->queue_position == 2);
    CHECK(queue.length("a") == 3);
    gate.open.set_value();
    CHECK(outcome_of(queue, first) == "opened");
    CHECK(outcome_of(queue, third) == "third");
    CHECK(queue.length("a") == 0);
  }

  TEST_CASE("a lane refuses what is beyond its capacity, and takes more when there is room") {
    Gate gate;
    JobQueue queue({{.name = "a", .threads = 1, .capacity = 2}}, {});
    REQUIRE(queue.submit("a", "tool", "", gate.work()).has_value());
    gate.started.get_future().wait();
    const std::string waiting = *queue.submit("a", "tool", "", answer("1"));
    REQUIRE(queue.submit("a", "tool", "", answer("2")).has_value());
    const auto refused = queue.submit("a", "tool", "", answer("3"));
    REQUIRE_FALSE(refused.has_value());
    CHECK(to_text(refused.error()) ==
          "busy: the queue of a is full (2 of your jobs wait); call again later");
    REQUIRE(queue.cancel(waiting).has_value());
    CHECK(queue.submit("a", "tool", "", answer("3")).has_value());
    gate.open.set_value();
  }

  TEST_CASE("equal keys are one job until it ends; empty keys never are") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    const std::string first = *queue.submit("a", "tool", "key", gate.work());
    CHECK(*queue.submit("a", "tool", "key", answer("x")) == first);
    CHECK(*queue.submit("a", "tool", "other", answer("x")) != first);
    CHECK(*queue.submit("a", "tool", "", answer("x")) !=
          *queue.submit("a", "tool", "", answer("x")));
    gate.open.set_value();
    CHECK(outcome_of(queue, first) == "opened");
    CHECK(*queue.submit("a", "tool", "key", answer("x")) != first);
  }

  TEST_CASE("a job that is being cancelled is not joined") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    const std::string first = *queue.submit("a", "tool", "key", gate.work());
    gate.started.get_future().wait();
    REQUIRE(queue.cancel(first).has_value());
    const std::string second = *queue.submit("a", "tool", "key", answer("fresh"));
    CHECK(second != first);
    CHECK(outcome_of(queue, first) == "cancelled: the job was stopped");
    CHECK(outcome_of(queue, second) == "fresh");
  }

  TEST_CASE("a cancelled queued job never runs") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    const std::string first = *queue.submit("a", "tool", "", gate.work());
    gate.started.get_future().wait();
    bool ran = false;
    const std::string second = *queue.submit("a", "tool", "", [&](CallContext&) {
      ran = true;
      return Result<std::string>("");
    });
    CHECK(queue.cancel(second)->state == JobState::kCancelled);
    CHECK(outcome_of(queue, second) == "cancelled: the job was cancelled");
    CHECK_FALSE(queue.snapshot(second)->server_stopped);
    gate.open.set_value();
    CHECK(outcome_of(queue, first) == "opened");
    CHECK(queue.cancel(first)->state == JobState::kDone);
    CHECK_FALSE(ran);
  }

  TEST_CASE("what a job throws or refuses is its outcome, and the lane goes on") {
    JobQueue queue({{.name = "a"}}, {});
    const std::string thrown =
        *queue.submit("a", "tool", "",
                      [](CallContext&) -> Result<std::string> { throw std::runtime_error("oh"); });
    const std::string refused = *queue.submit(
        "a", "tool", "",
        [](CallContext&) -> Result<std::string> { return fail(ErrorCode::kNotFound, "nothing"); });
    CHECK(outcome_of(queue, thrown) == "internal: a job ended with an exception (oh)");
    CHECK(outcome_of(queue, refused) == "not_found: nothing");
    CHECK(queue.snapshot(refused)->state == JobState::kFailed);
    CHECK(outcome_of(queue, *queue.submit("a", "tool", "", answer("on"))) == "on");
  }

  TEST_CASE("each end is told once, before anybody waits no more") {
    std::vector<std::pair<std::string, JobState>> told;
    JobQueue queue({{.name = "a"}},
                   [&](const JobSnapshot& job) { told.emplace_back(job.id, job.state); });
    const std::string id = *queue.submit("a", "tool", "", answer("x"));
    CHECK(outcome_of(queue, id) == "x");
    REQUIRE(told.size() == 1);
    CHECK(told[0] == std::pair{id, JobState::kDone});
  }

  TEST_CASE("a running job says how far it is and how long it may take") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    const std::string id = *queue.submit("a", "tool", "", [&](CallContext& context) {
      context.report(0.5, "half");
      JobWork rest = gate.work();
      return rest(context);
    });
    gate.started.get_future().wait();
    CHECK(queue.snapshot(id)->progress.message == "half");
    CHECK(queue.snapshot(id)->eta_ms.has_value());
    gate.open.set_value();
    CHECK(outcome_of(queue, id) == "opened");
  }

  TEST_CASE("results are told one by one however fast they come, the newest part with a snapshot") {
    JobQueue queue({{.name = "a"}}, {});
    Gate gate;
    const std::string id =
        *queue.submit("a", "tool", "", [&](CallContext& context) -> Result<std::string> {
          JobWork wait = gate.work();
          WS_CHECK(wait(context));
          for (int i = 1; i <= 200; ++i) {
            context.report_result(i / 200.0, "result " + std::to_string(i), std::to_string(i));
            context.report(i / 200.0, "between");
          }
          return std::string("done");
        });
    gate.started.get_future().wait();
    std::vector<std::string> told;
    CallContext waiter;
    waiter.progress = [&](const Progress& report) {
      if (report.is_result) {
        told.push_back(report.message);
      }
    };
    // Only from when it waits is somebody told: the work goes on when somebody does.
    std::jthread opener([&] {
      while (queue.snapshot(id)->waiters == 0) {
        std::this_thread::yield();
      }
      gate.open.set_value();
    });
    const auto job = queue.wait(id, kLong, waiter);
    REQUIRE(job.has_value());
    CHECK(job->progress.partial == "200");
    REQUIRE(told.size() == 200);
    CHECK(told.front() == "result 1");
    CHECK(told.back() == "result 200");
  }

  TEST_CASE("news of a job wake who waits for it, and nobody else") {
    constexpr int kReports = 300;
    Gate gate;
    JobQueue queue({{.name = "a"}, {.name = "b"}}, {});
    const std::string held = *queue.submit("a", "tool", "", gate.work());
    gate.started.get_future().wait();
    long woken = 0;
    std::jthread waiter([&] {
      rusage before{};
      rusage after{};
      ::getrusage(RUSAGE_THREAD, &before);
      const auto ended = queue.wait(held, kLong, {});
      ::getrusage(RUSAGE_THREAD, &after);
      CHECK(ended.has_value());
      woken = after.ru_nvcsw - before.ru_nvcsw;
    });
    const std::string other = *queue.submit("b", "tool", "", [](CallContext& context) {
      for (int i = 0; i < kReports; ++i) {
        context.report(static_cast<double>(i) / kReports, "on its way");
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      return Result<std::string>("other");
    });
    CHECK(outcome_of(queue, other) == "other");
    gate.open.set_value();
    waiter.join();
    CHECK(woken < kReports / 10);
  }

  TEST_CASE("waiting ends with the time, the stop of the caller, or an unknown id") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    const std::string id = *queue.submit("a", "tool", "", gate.work());
    gate.started.get_future().wait();
    CHECK(queue.wait(id, std::chrono::milliseconds(20), {})->state == JobState::kRunning);
    std::stop_source stop;
    CallContext context;
    context.stop = stop.get_token();
    std::jthread stopper([&] { stop.request_stop(); });
    CHECK(queue.wait(id, kLong, context)->state == JobState::kRunning);
    const std::string unknown =
        "not_found: no job `job_x`; job ids come from a result with status running; ended jobs are "
        "kept for 24 h";
    CHECK(to_text(queue.wait("job_x", kLong, {}).error()) == unknown);
    CHECK(to_text(queue.snapshot("job_x").error()) == unknown);
    CHECK(to_text(queue.cancel("job_x").error()) == unknown);
    CHECK(to_text(queue.submit("z", "tool", "", answer("")).error()) ==
          "not_found: no queue for `z`");
    gate.open.set_value();
  }

  TEST_CASE("stopping ends what runs and what waits, and refuses what comes") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    const std::string running = *queue.submit("a", "tool", "", gate.work());
    gate.started.get_future().wait();
    const std::string waiting = *queue.submit("a", "tool", "", answer("x"));
    queue.stop();
    queue.stop();
    CHECK(outcome_of(queue, running) == "cancelled: the server stopped");
    CHECK(outcome_of(queue, waiting) == "cancelled: the server stopped");
    CHECK(queue.snapshot(running)->server_stopped);
    CHECK(queue.snapshot(waiting)->server_stopped);
    CHECK(to_text(queue.submit("a", "tool", "", answer("x")).error()) ==
          "busy: the server is stopping");
  }
}

}  // namespace ws
