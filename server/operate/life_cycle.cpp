#include "server/operate/life_cycle.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/base/log.h"

namespace ws::server {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// While the server drains it is asked so often whether it is done.
constexpr int kDrainBeatMs = 20;

std::atomic<int> g_signal_fd = -1;  // For the handler, which can take no argument.

extern "C" void note_signal(int signal) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(signal);
  // A full pipe holds enough of them already.
  [[maybe_unused]] const ssize_t written = ::write(g_signal_fd.load(), &byte, 1);
  errno = before;
}

extern "C" void ignore_signal(int /*signal*/) {}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

void raise(const Fd& event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof(one));
}

}  // namespace

Result<std::unique_ptr<LifeCycle>> LifeCycle::begin(Options options) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return fail_errno("pipe2", "cannot wait for signals");
  }
  Fd signals(ends[0]);
  Fd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Fd end(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop.valid() || !end.valid()) {
    ::close(ends[1]);
    return fail_errno("eventfd", "cannot wait for signals");
  }
  // The handlers stay to the end of the process, and so does the end of the pipe that they use.
  if (const int before = g_signal_fd.exchange(ends[1]); before >= 0) {
    ::close(before);
  }
  std::unique_ptr<LifeCycle> cycle(
      new LifeCycle(std::move(options), std::move(signals), std::move(stop), std::move(end)));
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1}) {
    handle(signal, note_signal);
  }
  handle(SIGPIPE, ignore_signal);
  return cycle;
}

LifeCycle::LifeCycle(Options options, Fd signals, Fd stop, Fd end)
    : options_(std::move(options)),
      manager_(options_.service),
      signals_(std::move(signals)),
      stop_(std::move(stop)),
      end_(std::move(end)),
      thread_([this] { watch(); }) {}

LifeCycle::~LifeCycle() {
  raise(end_);
}

void LifeCycle::run(LifeHooks hooks) {
  const std::lock_guard lock(mutex_);
  hooks_ = std::move(hooks);
  manager_.tell("READY=1");
}

void LifeCycle::leave() {
  const std::lock_guard lock(mutex_);
  hooks_ = {};
}

void LifeCycle::watch() {
  for (;;) {
    std::array<pollfd, 2> wait = {pollfd{signals_.get(), POLLIN, 0}, pollfd{end_.get(), POLLIN, 0}};
    ::poll(wait.data(), wait.size(), pause_ms());
    if (wait[1].revents != 0) {
      return;
    }
    std::array<unsigned char, 64> signals{};
    const ssize_t count = ::read(signals_.get(), signals.data(), signals.size());
    const std::lock_guard lock(mutex_);
    try {
      for (ssize_t i = 0; i < count; ++i) {
        on_signal(signals.at(static_cast<std::size_t>(i)));
      }
      beat();
    } catch (const std::exception& error) {  // No memory: the deadline still counts.
      log(LogLevel::kError, "server", error.what());
    }
  }
}

int LifeCycle::pause_ms() const {
  if (draining_ && !stopped_) {
    return kDrainBeatMs;
  }
  return manager_.beat()
             ? static_cast<int>(
                   std::chrono::ceil<std::chrono::milliseconds>(*manager_.beat()).count())
             : -1;
}

void LifeCycle::on_signal(int signal) {
  if (signal == SIGHUP || signal == SIGUSR1) {
    if (hooks_.reopen_logs) {
      hooks_.reopen_logs();
    }
    if (signal == SIGHUP && hooks_.reload) {
      hooks_.reload();
    }
  } else if (signal == SIGTERM && !draining_ && hooks_.drain) {
    begin_drain();
  } else {
    stop_now();
    stopped_ = true;
  }
}

void LifeCycle::begin_drain() {
  draining_ = true;
  deadline_ = SteadyClock::now() + options_.drain_time;
  manager_.tell("STOPPING=1");
  hooks_.drain();
  if (!hooks_.idle()) {
    log(LogLevel::kInfo, "server",
        "stopping: no new requests are taken; what is begun has " +
            std::to_string(options_.drain_time.count()) + " ms to end");
  }
}

void LifeCycle::beat() {
  if (draining_ && !stopped_ &&
      (SteadyClock::now() >= deadline_ || !hooks_.idle || hooks_.idle())) {
    stop_now();
    stopped_ = true;
  }
  if (manager_.beat() && (!hooks_.lives || hooks_.lives())) {
    manager_.tell("WATCHDOG=1");
  }
}

void LifeCycle::stop_now() const {
  if (!draining_) {
    manager_.tell("STOPPING=1");
  }
  raise(stop_);
}

}  // namespace ws::server
