#include "runtime/queue/launch_time.h"

#include <time.h>

namespace ws {
namespace {

/// No wait for a launch that goes on beyond its limit is shorter.
constexpr std::chrono::milliseconds kShortest{10};

}  // namespace

Result<std::chrono::nanoseconds> processor_time_of(pid_t process) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return fail(ErrorCode::kDeviceLost, "the worker process is gone");
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Result<std::string> wait_for_launch(const WorkerCall& call, std::size_t most,
                                    std::chrono::nanoseconds limit, Clock::time_point start,
                                    const std::function<Result<std::chrono::nanoseconds>()>& used) {
  Result<std::string> frame = call.wait(most, start + limit);
  while (!frame && frame.error().code == ErrorCode::kTimeout) {
    const auto so_far = used();
    const auto left =
        so_far ? time_left(limit, *so_far, Clock::now() - start) : std::chrono::nanoseconds(0);
    if (left.count() == 0) {
      break;
    }
    frame = call.wait(most, Clock::now() + std::max<Clock::duration>(left, kShortest));
  }
  return frame;
}

}  // namespace ws
