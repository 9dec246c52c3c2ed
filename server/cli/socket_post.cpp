#include "server/cli/socket_post.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include <sys/socket.h>

#include "server/transport/socket_place.h"

namespace ws::server {
namespace {

/// As HTTP/1.0, so that the answer comes in one piece and ends with the connection.
std::string request_of(const HttpPost& post) {
  std::string text = "POST " + post.path + " HTTP/1.0\r\nHost: localhost\r\n";
  for (const auto& [name, value] : post.headers) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  return text +
         "Content-Type: application/json\r\nContent-Length: " + std::to_string(post.body.size()) +
         "\r\n\r\n" + post.body;
}

bool send_all(const Fd& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return true;
}

/// Up to the end of the connection.
std::string receive_all(const Fd& socket) {
  std::string text;
  std::array<char, 65536> bytes{};
  for (;;) {
    const ssize_t count = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (count > 0) {
      text.append(bytes.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

}  // namespace

Result<HttpAnswer> socket_post(const HttpPost& post) {
  const Fd socket = connect_to(post.server);
  if (!socket.valid()) {
    return fail_errno("connect", "no answer from unix:" + post.server,
                      "start it with: warpsmith serve --socket PATH");
  }
  // A server that refuses a request may close before it has read all of it.
  const bool sent = send_all(socket, request_of(post));
  const std::string text = receive_all(socket);
  constexpr std::string_view kStart = "HTTP/1.1 ";
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t head = text.find(kEnd);
  HttpAnswer answer;
  if (head == std::string::npos || !text.starts_with(kStart) ||
      std::from_chars(text.data() + kStart.size(), text.data() + head, answer.status).ec !=
          std::errc{}) {
    return fail(ErrorCode::kIo,
                "no answer from unix:" + post.server + (sent ? "" : ": it closed the connection"));
  }
  answer.body = text.substr(head + kEnd.size());
  return answer;
}

}  // namespace ws::server
