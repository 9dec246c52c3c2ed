// How clients and lanes share, on work that does nothing.
#include <array>
#include <future>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/queue/job_queue.h"

namespace ws {

TEST_SUITE("queue.share") {
  constexpr std::chrono::milliseconds kLong{10'000};
  constexpr std::chrono::milliseconds kShort{20};

  /// Lists what ran, and holds the lane until it is opened.
  struct Bench {
    std::mutex mutex;
    std::string ran;  // guarded by mutex
    std::promise<void> open;
    std::shared_future<void> opened = open.get_future().share();
    JobQueue queue;

    explicit Bench(std::vector<JobQueue::LaneOptions> lanes)
        : queue(std::move(lanes), {}) {}

    std::string held(const std::string& lane) {
      const std::string id =
          *queue.submit(lane, "hold", "", [this](CallContext&) -> Result<std::string> {
            opened.wait();
            return std::string();
          });
      while (queue.snapshot(id)->state != JobState::kRunning) {
        std::this_thread::yield();
      }
      return id;
    }

    Result<std::string> add(const Caller& caller, const std::string& name,
                            std::vector<std::string> lanes = {"a"}, const std::string& key = {}) {
      return queue.submit(
          {.lanes = std::move(lanes), .tool = "work", .key = key, .caller = caller, .id = {}},
          [this, name](CallContext& context) -> Result<std::string> {
            const std::lock_guard lock(mutex);
            ran += name;
            return context.lane + " " + context.caller.client;
          });
    }

    std::string outcome(const std::string& id) {
      const auto job = queue.wait(id, kLong, {});
      REQUIRE(job.has_value());
      REQUIRE(job->outcome.has_value());
      return *job->outcome ? **job->outcome : to_text(job->outcome->error());
    }
  };

  TEST_CASE("another's one job runs after what runs, however many a client has queued") {
    Bench bench({{.name = "a"}});
    bench.held("a");
    std::string last;
    for (int i = 0; i < 100; ++i) {
      last = *bench.add({"many"}, "m");
    }
    const std::string one = *bench.add({"one"}, "1");
    CHECK(bench.queue.snapshot(last)->queue_position == 101);
    CHECK(bench.queue.snapshot(one)->queue_position == 2);  // Equals go by their arrival.
    bench.open.set_value();
    CHECK(bench.outcome(one) == "a one");
    bench.outcome(last);
    CHECK(bench.ran.substr(0, 3) == "m1m");
    CHECK(bench.ran.size() == 101);
  }

  TEST_CASE(
      "work in the background yields to a job that a call waits for, of the same client too") {
    Bench bench({{.name = "a"}});
    bench.held("a");
    std::string batch;
    for (int i = 0; i < 5; ++i) {
      batch = *bench.add({"me", true}, "-");
    }
    const std::string front = *bench.add({"me"}, "f");
    const std::string other = *bench.add({"you"}, "o");
    CHECK(bench.queue.snapshot(front)->queue_position == 1);
    CHECK(bench.queue.snapshot(other)->queue_position == 2);
    bench.open.set_value();
    bench.outcome(batch);
    CHECK(bench.ran == "fo-----");
  }

  TEST_CASE("a background job that a call asks for comes forward, and keeps its id") {
    Bench bench({{.name = "a"}});
    bench.held("a");
    const std::string other = *bench.add({"me", true}, "-");
    const std::string asked = *bench.add({"me", true}, "q", {"a"}, "key");
    CHECK(bench.queue.snapshot(asked)->queue_position == 2);
    CHECK(*bench.add({"you"}, "x", {"a"}, "key") == asked);
    CHECK(bench.queue.snapshot(asked)->queue_position == 1);
    bench.open.set_value();
    CHECK(bench.outcome(asked) == "a you");
    bench.outcome(other);
    CHECK(bench.ran == "q-");
  }

  TEST_CASE("a lane that is full for one client is not for another, up to sixteen clients' worth") {
    Bench bench({{.name = "a", .threads = 1, .capacity = 2}});
    bench.held("a");
    for (int client = 0; client < 16; ++client) {
      for (int i = 0; i < 2; ++i) {
        REQUIRE(bench.add({std::to_string(client)}, "").has_value());
      }
    }
    CHECK(to_text(bench.add({"3"}, "").error()) ==
          "busy: the queue of a is full (2 of your jobs wait); call again later");
    CHECK(to_text(bench.add({"new"}, "").error()) ==
          "busy: the queue of a is full (32 jobs wait); call again later");
    bench.open.set_value();
  }

  TEST_CASE("of several lanes the one that should be free first gets the job") {
    Bench bench({{.name = "a"}, {.name = "b"}, {.name = "c"}});
    bench.held("a");
    bench.held("b");
    CHECK(bench.outcome(*bench.add({}, "", {"a", "b", "c"})) == "c ");
    CHECK(bench.outcome(*bench.add({}, "", {"c", "b"})) == "c ");
    bench.held("c");
    REQUIRE(bench.add({}, "", {"a"}).has_value());
    const std::string on_b = *bench.add({}, "", {"a", "b"}, "key");
    CHECK(bench.queue.length("b") == 2);
    CHECK(*bench.add({}, "", {"a", "b"}, "key") == on_b);  // Joined, though a is as short now.
    CHECK(*bench.add({}, "", {"a"}, "key") != on_b);
    CHECK(to_text(bench.add({}, "", {"a", "z"}).error()) == "not_found: no queue for `z`");
    bench.open.set_value();
    bench.outcome(on_b);  // On whichever of the two is free first.
  }

  TEST_CASE("a lane with nothing to do takes what waits in another and may run on both") {
    Bench bench({{.name = "a"}, {.name = "b"}});
    // The first job on b was slow, as they are where drivers start: all that comes waits in a.
    bench.outcome(*bench.queue.submit("b", "work", "", [](CallContext&) -> Result<std::string> {
      std::this_thread::sleep_for(5 * kShort);
      return std::string();
    }));
    bench.held("a");
    const std::string only_a = *bench.add({"one"}, "");
    std::array<std::string, 10> either;
    for (std::string& id : either) {
      id = *bench.add({"one"}, "x", {"a", "b"});
    }
    for (const std::string& id : either) {
      CHECK(bench.outcome(id) == "b one");
    }
    CHECK(bench.ran == "xxxxxxxxxx");
    CHECK(bench.queue.snapshot(only_a)->state == JobState::kQueued);
    bench.open.set_value();
    CHECK(bench.outcome(only_a) == "a one");
  }

  TEST_CASE("the remaining time is predicted from past jobs of the tool on the lane") {
    Bench bench({{.name = "a"}});
    const auto sleep = [&](std::chrono::milliseconds time) {
      return *bench.queue.submit("a", "hold", "", [time](CallContext&) -> Result<std::string> {
        std::this_thread::sleep_for(time);
        return std::string();
      });
    };
    const std::string unknown = sleep(kShort);
    CHECK_FALSE(bench.queue.snapshot(unknown)->eta_ms.has_value());
    bench.outcome(unknown);
    for (const auto time : {kShort, kShort, 10 * kShort}) {  // The median: not the longest.
      bench.outcome(sleep(time));
    }
    const std::string running = bench.held("a");
    const std::string next = sleep(kShort);
    const std::string last = sleep(kShort);
    const double one = static_cast<double>(kShort.count());
    CHECK(bench.queue.snapshot(running)->eta_ms.value() < 3 * one);
    CHECK(bench.queue.snapshot(next)->eta_ms.value() >= one);
    CHECK(bench.queue.snapshot(last)->eta_ms.value() >= 2 * one);
    CHECK(bench.queue.snapshot(last)->eta_ms.value() < 10 * one);
    REQUIRE(bench.add({}, "").has_value());
    const std::string behind = sleep(kShort);
    CHECK_FALSE(bench.queue.snapshot(behind)->eta_ms.has_value());  // One before it is unknown.
    bench.open.set_value();
    bench.outcome(behind);
  }

  TEST_CASE("a job of an earlier server keeps its id, and is there once") {
    Bench bench({{.name = "a"}});
    bench.held("a");
    const JobRequest request{
        .lanes = {"a"}, .tool = "work", .key = "key", .caller = {}, .id = "job_old"};
    const JobWork work = [](CallContext&) { return Result<std::string>("again"); };
    REQUIRE(bench.add({}, "", {"a"}, "key").has_value());
    CHECK(*bench.queue.submit(request, work) == "job_old");
    CHECK(*bench.queue.submit(request, work) == "job_old");
    CHECK(bench.queue.length("a") == 3);
    bench.open.set_value();
    CHECK(bench.outcome("job_old") == "again");
  }
}

}  // namespace ws
