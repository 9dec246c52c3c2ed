#include "runtime/queue/job_queue.h"

#include <atomic>
#include <future>
#include <system_error>
#include <thread>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

  TEST_CASE("each end is reported once, before any wait ends") {
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

  TEST_CASE(
      "results are reported one by one however fast they come, the newest part with a snapshot") {
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
    // Only a waiting call gets reports, so the work goes on when one waits.
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

  TEST_CASE("news of a job wakes the calls that wait for it, and no others") {
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

  TEST_CASE("a job ends with the last one who wants it, a call or a client that holds it") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    const JobRequest request{.lanes = {"a"}, .tool = "tool", .key = "key"};
    const JobTicket first = *queue.join(request, gate.work());
    gate.started.get_future().wait();
    const JobTicket second = *queue.join(request, answer("x"));
    const JobTicket third = *queue.join(request, answer("x"));
    CHECK(second.job == first.job);
    CHECK(second.number != first.number);
    queue.hold(second, "bob");
    queue.leave(first);
    queue.leave(first);
    CHECK_FALSE(queue.release(first.job, "carol")->stopping);
    CHECK_FALSE(queue.release(first.job, "bob")->stopping);
    queue.hold(first.job, "dave");
    queue.leave(third);
    CHECK_FALSE(queue.snapshot(first.job)->stopping);
    CHECK(queue.release(first.job, "dave")->stopping);
    CHECK(outcome_of(queue, first.job) == "cancelled: the job was stopped");
    queue.leave({"job_x", 1});
    CHECK_FALSE(queue.release("job_x", "bob").has_value());
  }

  TEST_CASE("a caller that joins a job while its last one leaves does not see it cancelled") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    REQUIRE(queue.submit("a", "tool", "", gate.work()).has_value());
    gate.started.get_future().wait();
    const JobRequest request{.lanes = {"a"}, .tool = "tool", .key = "key"};
    std::optional<JobTicket> other;
    // The work goes after the decision to end the job, and before its stop is requested.
    std::shared_ptr<int> own(new int(), [&](const int* gone) {
      other = *queue.join(request, answer("for the other"));
      delete gone;
    });
    const JobTicket first = *queue.join(request, [own = std::exchange(own, nullptr)](CallContext&) {
      return Result<std::string>("for the first");
    });
    queue.leave(first);
    REQUIRE(other.has_value());
    CHECK(other->job != first.job);
    CHECK(queue.snapshot(first.job)->state == JobState::kCancelled);
    CHECK(queue.snapshot(other->job)->state == JobState::kQueued);
    gate.open.set_value();
    CHECK(outcome_of(queue, other->job) == "for the other");
  }

  TEST_CASE("a queued job that nobody wants any more never runs; the server's own are kept") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    REQUIRE(queue.submit("a", "tool", "", gate.work()).has_value());
    gate.started.get_future().wait();
    const JobRequest request{.lanes = {"a"}, .tool = "tool", .key = "key"};
    const JobTicket left = *queue.join(request, answer("x"));
    queue.leave(left);
    CHECK(outcome_of(queue, left.job) == "cancelled: the job was cancelled");
    const std::string kept = *queue.submit("a", "tool", "key", answer("kept"));
    const JobTicket joined = *queue.join(request, answer("x"));
    CHECK(joined.job == kept);
    queue.leave(joined);
    CHECK(queue.release(kept, "bob")->state == JobState::kQueued);
    gate.open.set_value();
    CHECK(outcome_of(queue, kept) == "kept");
  }

  /// Calls of watch(), and how often each was over.
  struct Watched {
    std::promise<void> over;
    std::atomic<int> times = 0;

    std::function<void()> tell() {
      return [this] {
        if (++times == 1) {
          over.set_value();
        }
      };
    }

    bool comes() { return over.get_future().wait_for(kLong) == std::future_status::ready; }
  };

  TEST_CASE("a wait without a thread is over once: with the job, the time or the caller's stop") {
    Watched by_end;
    Watched by_time;
    Watched by_stop;
    Watched stopped_before;
    Watched ended_before;
    std::stop_source stop;
    {
      Gate gate;
      JobQueue queue({{.name = "a"}}, {});
      const std::string id = *queue.submit("a", "tool", "", gate.work());
      gate.started.get_future().wait();
      CallContext context;
      context.stop = stop.get_token();
      REQUIRE(queue.watch(id, kLong * 6, {}, by_end.tell()).has_value());
      REQUIRE(queue.watch(id, std::chrono::milliseconds(1), {}, by_time.tell()).has_value());
      REQUIRE(queue.watch(id, kLong * 6, context, by_stop.tell()).has_value());
      CHECK(by_time.comes());
      CHECK(queue.snapshot(id)->waiters == 2);
      stop.request_stop();
      CHECK(by_stop.comes());
      REQUIRE(queue.watch(id, kLong * 6, context, stopped_before.tell()).has_value());
      CHECK(stopped_before.comes());
      CHECK(by_end.times == 0);
      gate.open.set_value();
      CHECK(by_end.comes());
      CHECK(queue.snapshot(id)->outcome.has_value());
      REQUIRE(queue.watch(id, kLong * 6, {}, ended_before.tell()).has_value());
      CHECK(ended_before.comes());
      CHECK_FALSE(queue.watch("job_x", kLong, {}, by_end.tell()).has_value());
    }
    for (const Watched* each : {&by_end, &by_time, &by_stop, &stopped_before, &ended_before}) {
      CHECK(each->times == 1);
    }
  }

  TEST_CASE("waits that are left at the end of the queue are over with it") {
    Watched timer;
    {
      JobQueue queue({{.name = "a"}}, {});
      queue.after(kLong * 6, {}, timer.tell());
      CHECK(timer.times == 0);
    }
    CHECK(timer.times == 1);
  }

  TEST_CASE("a wait without a thread gets each result, and the progress between") {
    Gate gate;
    JobQueue queue({{.name = "a"}}, {});
    const std::string id = *queue.submit("a", "tool", "", [&](CallContext& context) {
      JobWork wait = gate.work();
      auto opened = wait(context);
      for (int i = 1; i <= 50; ++i) {
        context.report_result(i / 50.0, "result " + std::to_string(i), "");
      }
      return opened;
    });
    gate.started.get_future().wait();
    std::vector<std::string> told;
    CallContext context;
    context.progress = [&](const Progress& report) {
      if (report.is_result) {
        told.push_back(report.message);
      }
    };
    Watched watched;
    REQUIRE(queue.watch(id, kLong, context, watched.tell()).has_value());
    gate.open.set_value();
    CHECK(watched.comes());
    REQUIRE(told.size() == 50);
    CHECK(told.front() == "result 1");
    CHECK(told.back() == "result 50");
  }

#ifndef __SANITIZE_ADDRESS__  // It wants more address space than the test leaves.
  TEST_CASE("a queue that gets no threads says so, and does not hang") {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);
      rlimit space{std::size_t{400} << 20U, std::size_t{400} << 20U};
      ::setrlimit(RLIMIT_AS, &space);
      try {
        const JobQueue queue({{.name = "a", .threads = 4}, {.name = "b", .threads = 10000}}, {});
      } catch (const std::system_error&) {
        ::_exit(0);
      }
      ::_exit(1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
#endif
}

}  // namespace ws
