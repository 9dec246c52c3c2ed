#include "tests/support/stub_issuer.h"

#include <array>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace ws::test {

StubIssuer::StubIssuer()
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  auto* const address = reinterpret_cast<sockaddr*>(&name);
  REQUIRE(::bind(listener_.get(), address, size) == 0);
  REQUIRE(::getsockname(listener_.get(), address, &size) == 0);
  url_ = "http://127.0.0.1:" + std::to_string(ntohs(name.sin_port));
}

StubIssuer::~StubIssuer() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  if (thread_.joinable()) {
    thread_.join();
  }
}

void StubIssuer::publish(const std::string& path, const std::string& body) {
  const std::lock_guard lock(mutex_);
  pages_[path] = body;
}

void StubIssuer::start() {
  REQUIRE(::listen(listener_.get(), 8) == 0);
  thread_ = std::thread([this] { serve(); });
}

void StubIssuer::serve() {
  for (;;) {
    const Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client.valid()) {
      return;
    }
    std::string request;
    while (request.find("\r\n\r\n") == std::string::npos) {
      std::array<char, 4096> bytes{};
      const ssize_t count = ::recv(client.get(), bytes.data(), bytes.size(), 0);
      if (count <= 0) {
        break;
      }
      request.append(bytes.data(), static_cast<std::size_t>(count));
    }
    const std::string answer = answer_to(request);
    static_cast<void>(::send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL));
  }
}

std::string StubIssuer::answer_to(const std::string& request) {
  const std::size_t path = request.find(' ') + 1;
  const std::lock_guard lock(mutex_);
  const auto page = pages_.find(request.substr(path, request.find(' ', path) - path));
  const std::string body = page == pages_.end() ? "" : page->second;
  return "HTTP/1.1 " + std::string(page == pages_.end() ? "404 Not Found" : "200 OK") +
         "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

}  // namespace ws::test
