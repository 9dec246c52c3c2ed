// A hostile server, and the client that gets an issuer's keys from it.
#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "runtime/base/files.h"
#include "server/cli/http_client.h"

namespace ws::test {
namespace {

/// Listens on loopback, reads the head of one request, and does what it is told with the client.
class OneAnswer {
 public:
  explicit OneAnswer(std::function<void(int client)> act)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(name);
    auto* const address = reinterpret_cast<sockaddr*>(&name);
    REQUIRE(::bind(listener_.get(), address, size) == 0);
    REQUIRE(::listen(listener_.get(), 1) == 0);
    REQUIRE(::getsockname(listener_.get(), address, &size) == 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(name.sin_port));
    thread_ = std::thread([this, act = std::move(act)] {
      const Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      std::string request;
      std::array<char, 4096> bytes{};
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t count = ::recv(client.get(), bytes.data(), bytes.size(), 0);
        if (count <= 0) {
          return;
        }
        request.append(bytes.data(), static_cast<std::size_t>(count));
      }
      act(client.get());
    });
  }

  OneAnswer(const OneAnswer&) = delete;
  OneAnswer& operator=(const OneAnswer&) = delete;

  ~OneAnswer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  [[nodiscard]] const std::string& url() const { return url_; }

  /// "STATUS BODY", or the error's text with URL in the place of its own.
  [[nodiscard]] std::string got(int limit_s) const {
    const auto answer = server::http_get({.server = url_, .path = "/keys"}, {}, limit_s);
    if (answer) {
      return std::to_string(answer->status) + " " + answer->body;
    }
    std::string text = to_text(answer.error());
    const std::size_t at = text.find(url_);
    return at == std::string::npos ? text : text.replace(at, url_.size(), "URL");
  }

 private:
  Fd listener_;
  std::string url_;
  std::thread thread_;
};

bool say(int client, const std::string& text) {
  return ::send(client, text.data(), text.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

/// A server that sends the text byte by byte, for more than the client's patience.
void drip(int client, const std::string& before, const std::string& dripped,
          const std::string& after) {
  bool heard = say(client, before);
  for (std::size_t i = 0; heard && i < dripped.size(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    heard = say(client, dripped.substr(i, 1));
  }
  if (heard) {
    say(client, after);
  }
}

}  // namespace

TEST_SUITE("http_get") {
  TEST_CASE("an answer is taken as it is") {
    const OneAnswer server([](int client) {
      say(client, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
    });
    CHECK(server.got(60) == "200 {}");
  }

  TEST_CASE("a redirection is not followed") {
    const OneAnswer other([](int client) {
      say(client, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nother");
    });
    const OneAnswer server([&other](int client) {
      say(client, "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 4\r\nLocation: " +
                      other.url() + "/\r\n\r\nhere");
    });
    CHECK(server.got(60) == "302 here");
  }

  TEST_CASE("an answer that is too long is not read to its end") {
    const OneAnswer server([](int client) {
      say(client, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
      while (say(client, std::string(65536, ' '))) {
      }
    });
    CHECK(server.got(60) == "io: no answer from URL/keys (it is longer than 1048576 bytes)");
  }

  TEST_CASE("a server that sends byte by byte holds nobody") {
    const std::string ending = "\r\nConnection: close\r\nContent-Length: 100\r\n\r\n";
    const std::string want = "io: no answer from URL/keys (it took longer than 1 s)";
    const OneAnswer slow_head([&](int client) {
      drip(client, "HTTP/1.1 200 OK\r\nX-Slow: ", std::string(100, 'x'),
           ending + std::string(100, ' '));
    });
    CHECK(slow_head.got(1) == want);
    const OneAnswer slow_body(
        [&](int client) { drip(client, "HTTP/1.1 200 OK" + ending, std::string(100, ' '), ""); });
    CHECK(slow_body.got(1) == want);
  }
}

}  // namespace ws::test
