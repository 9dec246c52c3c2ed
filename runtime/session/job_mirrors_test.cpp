#include "runtime/session/job_mirrors.h"

#include <atomic>
#include <future>

#include <doctest/doctest.h>

#include "runtime/broker/fake_broker.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kLong{60'000};

/// Mirrors of a queue of their own.
struct MirrorBench {
  FakeBroker broker;
  JobQueue queue{{{.name = "nodes", .threads = 0}}, {}};
  JobMirrors mirrors{broker, queue};

  /// A call that wants the job.
  JobTicket begin(const std::string& id) {
    const auto ticket =
        mirrors.mirror({.lanes = {"nodes"}, .tool = "validate", .caller = {.client = "ann"}},
                       [&]() -> Result<std::string> {
                         broker.note("wanted " + id);
                         return id;
                       });
    REQUIRE_MESSAGE(ticket.has_value(), to_text(ticket.error()));
    return *ticket;
  }

  [[nodiscard]] std::ptrdiff_t count(const std::string& line) {
    const std::vector<std::string> lines = broker.noted();
    return std::count(lines.begin(), lines.end(), line);
  }
};

}  // namespace

TEST_SUITE("session.mirrors") {
  TEST_CASE("a job that is wanted again before it was withdrawn is not withdrawn") {
    MirrorBench bench;
    bench.broker.await_line("wait");
    bench.broker.close();
    const JobTicket first = bench.begin("job_a");
    bench.queue.leave(first);
    const JobTicket second = bench.begin("job_a");
    bench.queue.leave(bench.begin("job_b"));
    bench.broker.open();
    bench.broker.await_line("withdraw job_b");
    CHECK(bench.count("withdraw job_a") == 0);
    bench.queue.leave(second);
    bench.broker.await_line("withdraw job_a");
  }

  TEST_CASE("a job that others want is forgotten here, and known again when it is wanted again") {
    MirrorBench bench;
    bench.broker.on_withdraw = [] { return Withdrawal::kStays; };
    bench.queue.leave(bench.begin("job_a"));
    bench.broker.await_line("withdraw job_a");
    const JobTicket again = bench.begin("job_a");
    CHECK_FALSE(bench.queue.snapshot("job_a")->stopping);
    bench.queue.leave(again);
    bench.broker.await_line("withdraw job_a", 2);
  }

  TEST_CASE("no call begins to want a job while it is withdrawn") {
    MirrorBench bench;
    std::future<JobTicket> next;
    bench.broker.on_withdraw = [&] {
      next = std::async(std::launch::async, [&] { return bench.begin("job_a"); });
      // It waits for its turn: nothing that could be seen happens.
      next.wait_for(std::chrono::milliseconds(200));
      bench.broker.note("withdrawn");
      return Withdrawal::kStays;
    };
    bench.queue.leave(bench.begin("job_a"));
    bench.broker.await_line("withdrawn");
    bench.broker.await_line("wanted job_a", 2);
    std::vector<std::string> lines = bench.broker.noted();
    std::erase(lines, "wait");
    CHECK(lines ==
          std::vector<std::string>{"wanted job_a", "withdraw job_a", "withdrawn", "wanted job_a"});
    next.wait();
    CHECK_FALSE(bench.queue.snapshot("job_a")->stopping);
  }

  TEST_CASE("no call begins to want a job while its client cancels it") {
    MirrorBench bench;
    std::future<JobTicket> next;
    bench.broker.on_cancel = [&](bool wanted_here) {
      CHECK_FALSE(wanted_here);
      next = std::async(std::launch::async, [&] { return bench.begin("job_a"); });
      next.wait_for(std::chrono::milliseconds(200));  // As above.
      bench.broker.note("cancelled");
      return Withdrawal::kStays;
    };
    bench.queue.hold(bench.begin("job_a"), "ann");
    CHECK(bench.mirrors.cancel("job_a", "ann").value() == Withdrawal::kStays);
    bench.broker.await_line("wanted job_a", 2);
    std::vector<std::string> lines = bench.broker.noted();
    std::erase(lines, "wait");
    std::erase(lines, "withdraw job_a");
    CHECK(lines == std::vector<std::string>{"wanted job_a", "cancel job_a ann", "cancelled",
                                            "wanted job_a"});
    bench.queue.hold(next.get(), "bob");
    bench.broker.on_cancel = [](bool wanted_here) {
      CHECK(wanted_here);
      return Withdrawal::kStays;
    };
    CHECK(bench.mirrors.cancel("job_a", "ann").value() == Withdrawal::kStays);
  }

  TEST_CASE("a withdrawal that met an error is tried again") {
    MirrorBench bench;
    std::atomic<int> tries = 0;
    bench.broker.on_withdraw = [&]() -> Result<Withdrawal> {
      if (++tries == 1) {
        return fail(ErrorCode::kIo, "no database");
      }
      bench.broker.set_state(NodeJobState::kCancelled);
      return Withdrawal::kEnded;
    };
    bench.queue.leave(bench.begin("job_a"));
    bench.broker.await_line("withdraw job_a");
    bench.queue.leave(bench.begin("job_b"));  // The thread need not wait for its next look.
    bench.broker.await_line("withdraw job_a", 2);
    const auto ended = bench.queue.wait("job_a", kLong, {});
    REQUIRE(ended.has_value());
    CHECK(ended->state == JobState::kCancelled);
  }

  TEST_CASE("a job that the broker does not know any more has failed") {
    MirrorBench bench;
    bench.broker.on_withdraw = [&]() -> Result<Withdrawal> {
      bench.broker.set_known(false);
      return fail(ErrorCode::kNotFound, "no job `job_a`");
    };
    bench.queue.leave(bench.begin("job_a"));
    const auto ended = bench.queue.wait("job_a", kLong, {});
    REQUIRE(ended.has_value());
    REQUIRE(ended->outcome.has_value());
    CHECK(to_text(ended->outcome->error()) ==
          "device_lost: the job `job_a` is not known any more; call the tool again");
  }
}

}  // namespace ws
