#include "tests/support/loopback_listener.h"

#include <array>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace ws::test {

LoopbackListener::LoopbackListener()
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  auto* const address = reinterpret_cast<sockaddr*>(&name);
  REQUIRE(::bind(socket_.get(), address, size) == 0);
  REQUIRE(::getsockname(socket_.get(), address, &size) == 0);
  url_ = "http://127.0.0.1:" + std::to_string(ntohs(name.sin_port));
}

LoopbackListener::~LoopbackListener() {
  stop();
}

void LoopbackListener::start(std::function<void(int client)> serve) {
  REQUIRE(::listen(socket_.get(), 8) == 0);
  thread_ = std::thread([this, serve = std::move(serve)] {
    for (;;) {
      const Fd client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client.valid()) {
        return;
      }
      serve(client.get());
    }
  });
}

void LoopbackListener::stop() {
  ::shutdown(socket_.get(), SHUT_RDWR);
  if (thread_.joinable()) {
    thread_.join();
  }
}

std::string read_http_request(int client) {
  constexpr std::string_view kLength = "Content-Length: ";
  std::string request;
  std::size_t whole = std::string::npos;
  while (request.size() < whole) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::recv(client, bytes.data(), bytes.size(), 0);
    if (count <= 0) {
      break;
    }
    request.append(bytes.data(), static_cast<std::size_t>(count));
    if (const std::size_t head = request.find("\r\n\r\n"); head != std::string::npos) {
      const std::size_t length = request.find(kLength);
      const std::size_t body =
          length < head ? std::stoul(request.substr(length + kLength.size())) : 0;
      whole = head + 4 + body;
    }
  }
  return request;
}

bool send_text(int client, const std::string& text) {
  return ::send(client, text.data(), text.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

}  // namespace ws::test
