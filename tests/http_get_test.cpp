// A hostile server, and the client that gets an issuer's keys from it.
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include "server/cli/http_client.h"
#include "tests/support/loopback_listener.h"

namespace ws::test {
namespace {

/// Does what it is told with whoever sent a request.
class OneAnswer {
 public:
  explicit OneAnswer(std::function<void(int client)> act) {
    listener_.start([act = std::move(act)](int client) {
      if (read_http_request(client).ends_with("\r\n\r\n")) {
        act(client);
      }
    });
  }

  [[nodiscard]] const std::string& url() const { return listener_.url(); }

  /// "STATUS BODY", or the error's text with URL in the place of its own.
  [[nodiscard]] std::string got(int limit_s) const {
    const auto answer = server::http_get({.server = url(), .path = "/keys"}, {}, limit_s);
    if (answer) {
      return std::to_string(answer->status) + " " + answer->body;
    }
    std::string text = to_text(answer.error());
    const std::size_t at = text.find(url());
    return at == std::string::npos ? text : text.replace(at, url().size(), "URL");
  }

 private:
  LoopbackListener listener_;
};

/// A server that sends the text byte by byte, for more than the client's patience.
void drip(int client, const std::string& before, const std::string& dripped,
          const std::string& after) {
  bool heard = send_text(client, before);
  for (std::size_t i = 0; heard && i < dripped.size(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    heard = send_text(client, dripped.substr(i, 1));
  }
  if (heard) {
    send_text(client, after);
  }
}

}  // namespace

TEST_SUITE("http_get") {
  TEST_CASE("an answer is taken as it is") {
    const OneAnswer server([](int client) {
      send_text(client, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
    });
    CHECK(server.got(60) == "200 {}");
  }

  TEST_CASE("a redirection is not followed") {
    const OneAnswer other([](int client) {
      send_text(client, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nother");
    });
    const OneAnswer server([&other](int client) {
      send_text(client,
                "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 4\r\nLocation: " +
                    other.url() + "/\r\n\r\nhere");
    });
    CHECK(server.got(60) == "302 here");
  }

  TEST_CASE("an answer that is too long is not read to its end") {
    const OneAnswer server([](int client) {
      send_text(client, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
      while (send_text(client, std::string(65536, ' '))) {
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
