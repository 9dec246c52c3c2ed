#include "runtime/device/cpu/standstill.h"

#include <cerrno>
#include <csignal>
#include <ctime>

#include <sys/wait.h>

namespace ws {
namespace {

/// A thread's last steps into its stop may be counted a little later.
constexpr std::chrono::milliseconds kClockError{1};
/// And this much later where the core itself was away meanwhile, as those of virtual machines are.
constexpr std::chrono::milliseconds kLateSteps{100};

}  // namespace

Status Standstill::stop() {
  ::kill(process_, SIGSTOP);
  siginfo_t state{};
  int waited = 0;
  do {
    // An end is only looked at: who owns the process asks how it ended.
    waited = ::waitid(P_PID, static_cast<id_t>(process_), &state, WSTOPPED | WEXITED | WNOWAIT);
  } while (waited != 0 && errno == EINTR);
  if (waited != 0) {
    return fail_errno("waitid", "the worker process cannot be stopped");
  }
  if (state.si_code == CLD_STOPPED) {
    ::waitid(P_PID, static_cast<id_t>(process_), &state, WSTOPPED | WNOHANG);
  }
  stopped_at_ = processor_time_of(process_).value_or(stopped_at_);
  return {};
}

Result<std::chrono::nanoseconds> Standstill::used_so_far() const {
  WS_TRY(const std::chrono::nanoseconds now, processor_time_of(process_));
  return now - started_at_;
}

std::chrono::nanoseconds Standstill::go_on() {
  started_at_ = processor_time_of(process_).value_or(stopped_at_);
  const std::chrono::nanoseconds moved = started_at_ - stopped_at_;
  bool stood = moved <= kClockError;
  if (!stood && moved <= kLateSteps) {
    const std::chrono::nanoseconds again = processor_time_of(process_).value_or(started_at_);
    stood = again == started_at_;
    started_at_ = again;
  }
  ::kill(process_, SIGCONT);
  return stood ? std::chrono::nanoseconds(0) : moved;
}

}  // namespace ws
