#include "runtime/queue/frame.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace ws {
namespace {

constexpr std::size_t kPrefix = 4;

Status peer_gone(const char* call) {
  return fail(ErrorCode::kDeviceLost, "the worker process is gone", {},
              std::string(call) + ": " + std::strerror(errno));
}

Status wait_readable(int socket, std::optional<Clock::time_point> deadline) {
  for (;;) {
    int timeout_ms = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
      timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
    }
    pollfd waiting{socket, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, timeout_ms);
    if (ready > 0) {
      return {};
    }
    if (ready == 0) {
      return fail(ErrorCode::kTimeout, "the worker process did not answer in time");
    }
    if (errno != EINTR) {
      return peer_gone("poll");
    }
  }
}

/// Reads exactly `size` bytes; takes a descriptor that comes with the first of them.
Status read_all(int socket, char* into, std::size_t size, std::optional<Clock::time_point> deadline,
                Fd* fd) {
  std::size_t done = 0;
  while (done < size) {
    if (deadline) {
      WS_CHECK(wait_readable(socket, deadline));
    }
    iovec part{into + done, size - done};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (fd != nullptr) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
    }
    const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got == 0) {
      errno = ECONNRESET;
    }
    if (got <= 0) {
      if (got < 0 && errno == EINTR) {
        continue;
      }
      return peer_gone("recvmsg");
    }
    const cmsghdr* header = fd == nullptr ? nullptr : CMSG_FIRSTHDR(&message);
    if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
      int received = -1;
      std::memcpy(&received, CMSG_DATA(header), sizeof received);
      *fd = Fd(received);
    }
    done += static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace

Status send_frame(int socket, std::string_view payload, int pass_fd) {
  return send_frame(socket, payload, std::span(&pass_fd, pass_fd >= 0 ? 1 : 0));
}

Status send_frame(int socket, std::string_view payload, std::span<const int> pass_fds) {
  const auto size = static_cast<std::uint32_t>(payload.size());
  std::array<char, kPrefix> prefix{};
  std::memcpy(prefix.data(), &size, kPrefix);
  std::size_t done = 0;
  const std::size_t total = kPrefix + payload.size();
  while (done < total) {
    std::array<iovec, 2> parts{};
    std::size_t count = 0;
    if (done < kPrefix) {
      parts.at(count++) = {prefix.data() + done, kPrefix - done};
    }
    const std::size_t from = done < kPrefix ? 0 : done - kPrefix;
    // sendmsg does not write through the pointer; iovec just has no const.
    parts.at(count++) = {const_cast<char*>(payload.data()) + from, payload.size() - from};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostPassed * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    if (!pass_fds.empty() && done == 0) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(pass_fds.size_bytes());
      auto* header = reinterpret_cast<cmsghdr*>(control.data());
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(pass_fds.size_bytes());
      std::memcpy(CMSG_DATA(header), pass_fds.data(), pass_fds.size_bytes());
    }
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) {
      return peer_gone("sendmsg");
    }
    done += sent > 0 ? static_cast<std::size_t>(sent) : 0;
  }
  return {};
}

Result<Received> receive_frame(int socket, std::size_t limit,
                               std::optional<Clock::time_point> deadline) {
  Received received;
  std::array<char, kPrefix> prefix{};
  WS_CHECK(read_all(socket, prefix.data(), kPrefix, deadline, &received.fd));
  std::uint32_t size = 0;
  std::memcpy(&size, prefix.data(), kPrefix);
  if (size > limit) {
    return fail(
        ErrorCode::kDeviceLost, "a worker process broke the protocol", {},
        "a frame of " + std::to_string(size) + " bytes, the limit is " + std::to_string(limit));
  }
  received.payload.resize(size);
  WS_CHECK(read_all(socket, received.payload.data(), size, deadline, nullptr));
  return received;
}

}  // namespace ws
