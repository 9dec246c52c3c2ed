#include "server/transport/outbox.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stop_token>
#include <string_view>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "runtime/base/log.h"

namespace ws {
namespace {

// A pipe that polls as writable takes this much without blocking (PIPE_BUF, one page).
constexpr std::size_t kAtOnceBytes = 4096;
// A client that sends requests and never reads answers would otherwise fill the memory.
constexpr std::size_t kMaxQueuedBytes = std::size_t{256} << 20U;
constexpr auto kLastWait = std::chrono::seconds(2);
constexpr int kPollMs = 100;

/// Waits until `fd` takes bytes; false: it never will, or `stop` was requested.
bool wait_writable(int fd, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd wait{fd, POLLOUT, 0};
    const int ready = ::poll(&wait, 1, kPollMs);
    if (ready > 0) {
      return (wait.revents & POLLOUT) != 0;
    }
    if (ready < 0 && errno != EINTR) {
      return false;
    }
  }
  return false;
}

/// In pieces that do not block, so that `stop` is seen.
bool write_all(int fd, std::string_view bytes, const std::stop_token& stop) {
  while (!bytes.empty()) {
    if (!wait_writable(fd, stop)) {
      return false;
    }
    const ssize_t count = ::write(fd, bytes.data(), std::min(bytes.size(), kAtOnceBytes));
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Outbox::Outbox(int fd)
    : fd_(fd),
      writer_([this](const std::stop_token& stop) { write_queued(stop); }) {}

Outbox::~Outbox() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kLastWait, [this] { return (queued_.empty() && !writing_) || broken_; });
}

void Outbox::send(std::string line) {
  line.push_back('\n');
  const std::lock_guard lock(mutex_);
  const std::size_t written = broken_ ? line.size() : write_at_once(line);
  if (written == line.size()) {
    return;
  }
  if (queued_.size() + line.size() > kMaxQueuedBytes) {
    broken_ = true;
    log(LogLevel::kError, "stdio", "the client does not read its answers; they are dropped");
    return;
  }
  queued_.append(line, written);
  changed_.notify_all();
}

/// How much of `line` is out: none when it is not its turn or may have to wait.
std::size_t Outbox::write_at_once(const std::string& line) const {
  pollfd wait{fd_, POLLOUT, 0};
  if (writing_ || !queued_.empty() || line.size() > kAtOnceBytes || ::poll(&wait, 1, 0) != 1 ||
      (wait.revents & POLLOUT) == 0) {
    return 0;
  }
  const ssize_t count = ::write(fd_, line.data(), line.size());
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

void Outbox::write_queued(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !queued_.empty(); })) {
    const std::string bytes = std::exchange(queued_, {});
    writing_ = true;
    lock.unlock();
    const bool written = write_all(fd_, bytes, stop);
    lock.lock();
    writing_ = false;
    broken_ = broken_ || !written;
    changed_.notify_all();
  }
}

}  // namespace ws
