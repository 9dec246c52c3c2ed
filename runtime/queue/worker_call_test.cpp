#include "runtime/queue/worker_call.h"

#include <array>
#include <optional>
#include <thread>

#include <doctest/doctest.h>
#include <sys/socket.h>

#include "runtime/queue/frame.h"

namespace ws {
namespace {

constexpr std::size_t kLimit = 100;

struct Ends {
  Fd ours;
  Fd theirs;
};

Ends connected() {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

/// Long enough for any machine: no case here waits for it.
Clock::time_point never() {
  return Clock::now() + std::chrono::hours(1);
}

std::string heard(const Result<std::string>& answer) {
  return answer ? *answer : to_text(answer.error());
}

const char* const kCancelled = "cancelled: the call was cancelled";

}  // namespace

TEST_SUITE("queue.worker_call") {
  TEST_CASE("a question arrives, and its answer comes back") {
    const Ends ends = connected();
    const WorkerCall call(ends.ours.get(), {});
    REQUIRE(call.send("how many?").has_value());
    const auto question = receive_frame(ends.theirs.get(), kLimit, never());
    REQUIRE(question.has_value());
    CHECK(question->payload == "how many?");
    REQUIRE(send_frame(ends.theirs.get(), "three").has_value());
    CHECK(heard(call.wait(kLimit, never())) == "three");
  }

  TEST_CASE("a stop wakes a wait that has no end") {
    const Ends ends = connected();
    std::stop_source stop;
    const WorkerCall call(ends.ours.get(), stop.get_token());
    const std::jthread canceller([&] { stop.request_stop(); });
    CHECK(heard(call.wait(kLimit, never())) == kCancelled);
  }

  TEST_CASE("a call that asked to stop gets no answer, even if there is one") {
    const Ends ends = connected();
    std::stop_source stop;
    const WorkerCall call(ends.ours.get(), stop.get_token());
    REQUIRE(send_frame(ends.theirs.get(), "three").has_value());
    stop.request_stop();
    CHECK(heard(call.wait(kLimit, never())) == kCancelled);
  }

  TEST_CASE("a question after a stop is cancelled, and is no sign that the worker is gone") {
    const Ends ends = connected();
    std::stop_source stop;
    stop.request_stop();
    const WorkerCall call(ends.ours.get(), stop.get_token());
    const Status sent = call.send("how many?");
    REQUIRE_FALSE(sent.has_value());
    CHECK(to_text(sent.error()) == kCancelled);
  }

  TEST_CASE("an answer that does not come in time is late") {
    const Ends ends = connected();
    const WorkerCall call(ends.ours.get(), {});
    const Result<std::string> answer = call.wait(kLimit, Clock::now());
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error().code == ErrorCode::kTimeout);
  }

  TEST_CASE("what a worker said before it went is heard, then that it is gone") {
    Ends ends = connected();
    REQUIRE(send_frame(ends.theirs.get(), "last words").has_value());
    ends.theirs.reset();
    const WorkerCall call(ends.ours.get(), {});
    CHECK_FALSE(call.send("are you there?").has_value());
    CHECK(heard(call.wait(kLimit, never())) == "last words");
    const Result<std::string> nothing = call.wait(kLimit, never());
    REQUIRE_FALSE(nothing.has_value());
    CHECK(nothing.error().code == ErrorCode::kDeviceLost);
  }

  TEST_CASE("a stop after the call leaves the socket alone") {
    const Ends ends = connected();
    std::stop_source stop;
    {
      const WorkerCall call(ends.ours.get(), stop.get_token());
    }
    stop.request_stop();
    CHECK(send_frame(ends.ours.get(), "next").has_value());
    CHECK(receive_frame(ends.theirs.get(), kLimit, never()).has_value());
  }
}

}  // namespace ws
