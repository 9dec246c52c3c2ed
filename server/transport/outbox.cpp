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
#include "runtime/base/no_memory.h"

namespace ws::server {
namespace {

// A pipe that polls as writable takes this much without blocking (PIPE_BUF, one page).
constexpr std::size_t kAtOnceBytes = 4096;
constexpr auto kLastWait = std::chrono::seconds(2);
constexpr int kMostWaits = 5;
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

}  // namespace

Outbox::Outbox(int fd, Overflow overflow)
    : fd_(fd),
      overflow_(std::move(overflow)),
      writer_([this](const std::stop_token& stop) { write_queued(stop); }) {}

Outbox::~Outbox() {
  std::unique_lock lock(mutex_);
  const auto out = [this] { return (queued_.empty() && !writing_) || broken_; };
  std::size_t before = 0;
  for (int i = 0; i < kMostWaits && !changed_.wait_for(lock, kLastWait, out); ++i) {
    if (std::exchange(before, written_.load()) == written_) {
      break;
    }
  }
}

/// In pieces that do not block, so that `stop` is seen.
bool Outbox::write_all(std::string_view bytes, const std::stop_token& stop) {
  while (!bytes.empty()) {
    if (!wait_writable(fd_, stop)) {
      return false;
    }
    const ssize_t count = ::write(fd_, bytes.data(), std::min(bytes.size(), kAtOnceBytes));
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    written_ += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  return true;
}

/// With the mutex held.
void Outbox::overflow() {
  full_ = true;
  log(LogLevel::kError, "stdio", "the client does not read its answers; the connection ends");
  surely([this] { queued_.push_back(overflow_.last_line + "\n"); });
  changed_.notify_all();
  if (overflow_.ended) {
    overflow_.ended();
  }
}

void Outbox::send(std::string line) noexcept {
  // A long line stays where it is: there may be no memory to have it twice.
  const bool is_short = line.size() < kAtOnceBytes;
  if (is_short) {
    surely([&] { line.reserve(line.size() + 1); });
    line.push_back('\n');
  }
  std::list<std::string> pieces;
  surely([&] { pieces.resize(is_short ? 1 : 2); });
  pieces.back().assign(1, '\n');
  const std::lock_guard lock(mutex_);
  const std::size_t size = line.size() + (is_short ? 0 : 1);
  const std::size_t written = broken_ || full_ ? size : write_at_once(line);
  if (written == size) {
    return;
  }
  if (queued_bytes_ + size - written > overflow_.most && written == 0) {
    overflow();
    return;
  }
  line.erase(0, written);
  pieces.front() = std::move(line);
  queued_.splice(queued_.end(), pieces);
  queued_bytes_ += size - written;
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
    const std::list<std::string> pieces = std::exchange(queued_, {});
    const std::size_t taken = queued_bytes_;  // They wait for the client all the same.
    writing_ = true;
    lock.unlock();
    const bool written = std::all_of(pieces.begin(), pieces.end(), [&](const std::string& piece) {
      return write_all(piece, stop);
    });
    lock.lock();
    writing_ = false;
    queued_bytes_ -= taken;
    broken_ = broken_ || !written;
    changed_.notify_all();
  }
}

}  // namespace ws::server
