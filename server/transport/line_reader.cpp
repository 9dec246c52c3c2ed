#include "server/transport/line_reader.h"

#include <array>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace ws::server {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10U;

}  // namespace

LineReader::LineReader(int fd, int stop_fd, std::size_t limit_bytes)
    : fd_(fd),
      stop_fd_(stop_fd),
      limit_(limit_bytes) {}

LineReader::Event LineReader::next() {
  while (true) {
    if (take_line()) {
      if (!skipping_) {
        return Event::kLine;
      }
      skipping_ = false;
      return Event::kTooLong;
    }
    if (buffer_.size() - start_ > limit_) {
      skipping_ = true;
    }
    if (skipping_) {
      buffer_.clear();
      start_ = scanned_ = 0;
    }
    if (ended_) {
      return Event::kEnd;
    }
    if (const Event event = fill(); event != Event::kLine) {
      return event;
    }
  }
}

/// Cuts the next line out of the buffer, if its end is there.
bool LineReader::take_line() {
  const std::size_t end = buffer_.find('\n', scanned_);
  const bool rest = end == std::string::npos && ended_ && start_ < buffer_.size();
  if (end == std::string::npos && !rest) {
    scanned_ = buffer_.size();
    return false;
  }
  const std::size_t stop = rest ? buffer_.size() : end;
  line_ = std::string_view(buffer_).substr(start_, stop - start_);
  start_ = scanned_ = rest ? stop : stop + 1;
  if (line_.size() > limit_) {
    skipping_ = true;
  }
  if (line_.ends_with('\r')) {
    line_.remove_suffix(1);
  }
  return true;
}

/// Waits and reads once; kLine means that there may be one now.
LineReader::Event LineReader::fill() {
  if (start_ > 0) {
    buffer_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
  }
  std::array<pollfd, 3> wait = {pollfd{fd_, POLLIN, 0}, pollfd{stop_fd_, POLLIN, 0},
                                pollfd{other_stop_fd_, POLLIN, 0}};
  if (!pause_.awake([&wait] { return ::poll(wait.data(), wait.size(), 0) > 0; })) {
    while (::poll(wait.data(), wait.size(), -1) < 0) {
      if (errno != EINTR) {
        return Event::kEnd;
      }
    }
    pause_.slept();
  }
  if (wait[1].revents != 0 || wait[2].revents != 0) {
    return Event::kStopped;
  }
  buffer_.reserve(buffer_.size() + kChunkBytes);  // Before anything is read that would be lost.
  std::array<char, kChunkBytes>
      chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  const ssize_t count = ::read(fd_, chunk.data(), chunk.size());
  if (count > 0) {
    buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    ended_ = true;
  }
  return Event::kLine;
}

}  // namespace ws::server
