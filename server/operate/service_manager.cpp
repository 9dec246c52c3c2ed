#include "server/operate/service_manager.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include <sys/socket.h>
#include <sys/un.h>

#include "runtime/base/log.h"

namespace ws::server {
namespace {

std::optional<std::chrono::microseconds> beat_of(const std::string& text) {
  std::int64_t us = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), us);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && us > 1 ? std::optional(std::chrono::microseconds(us / 3)) : std::nullopt;
}

/// Invalid where it cannot be reached.
Fd connected(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path) || (path[0] != '/' && path[0] != '@')) {
    return {};
  }
  std::copy(path.begin(), path.end(), name.sun_path);
  if (path[0] == '@') {
    name.sun_path[0] = '\0';
  }
  Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  if (!socket.valid() || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&name), size) != 0) {
    return {};
  }
  return socket;
}

}  // namespace

ServiceManager::ServiceManager(const ServiceSocket& socket) {
  if (socket.path.empty()) {
    return;
  }
  socket_ = connected(socket.path);
  beat_ = beat_of(socket.watchdog_us);
  if (!socket_.valid()) {
    log(LogLevel::kWarning, "server", "the service manager cannot be told: NOTIFY_SOCKET");
  }
}

void ServiceManager::tell(std::string_view state) const {
  if (socket_.valid()) {
    [[maybe_unused]] const ssize_t sent =
        ::send(socket_.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

}  // namespace ws::server
