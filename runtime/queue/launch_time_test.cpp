#include "runtime/queue/launch_time.h"

#include <array>

#include <doctest/doctest.h>
#include <sys/socket.h>

#include "runtime/base/files.h"
#include "runtime/queue/frame.h"

namespace ws {

TEST_SUITE("queue.launch_time") {
  using std::chrono::milliseconds;

  TEST_CASE("a launch has its limit of the time in which its worker has a core") {
    // The machine was its own.
    CHECK(time_left(milliseconds(2000), milliseconds(2000), milliseconds(2000)).count() == 0);
    // Two threads had a core each.
    CHECK(time_left(milliseconds(2000), milliseconds(4000), milliseconds(2000)).count() == 0);
    // Others had it three quarters of the time.
    CHECK(time_left(milliseconds(2000), milliseconds(500), milliseconds(2000)) ==
          milliseconds(1500));
    CHECK(time_left(milliseconds(2000), milliseconds(1990), milliseconds(8000)) ==
          milliseconds(10));
  }

  TEST_CASE("a worker that never has a core is given up") {
    CHECK(time_left(milliseconds(2000), milliseconds(0), milliseconds(31'999)) ==
          milliseconds(2000));
    CHECK(time_left(milliseconds(2000), milliseconds(0), milliseconds(32'000)).count() == 0);
  }

  TEST_CASE("an answer comes late by the clock where others had the worker's core") {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    const Fd ours(ends[0]);
    const Fd worker(ends[1]);
    const WorkerCall call(ours.get(), {});
    constexpr milliseconds kLimit{5};
    const auto over = wait_for_launch(call, 16, kLimit, Clock::now(),
                                      [&] { return Result<std::chrono::nanoseconds>(kLimit); });
    REQUIRE(!over);
    CHECK(over.error().code == ErrorCode::kTimeout);
    // It is asked for what the worker has used when the limit has passed, and not before.
    const auto late = wait_for_launch(call, 16, kLimit, Clock::now(), [&] {
      REQUIRE(send_frame(worker.get(), "done").has_value());
      return Result<std::chrono::nanoseconds>(kLimit / 5);
    });
    REQUIRE(late.has_value());
    CHECK(*late == "done");
  }
}

}  // namespace ws
