// The HTTP transport in a process of its own, with real sockets on loopback.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "server/protocol/protocol.h"
#include "tests/support/child.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_bench.h"

namespace ws {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

const std::string kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
const std::string kPong = R"({"jsonrpc":"2.0","id":1,"result":{}})";

/// A server on a free port.
struct HttpBench {
  explicit HttpBench(const std::vector<std::string>& arguments = {"--http", "127.0.0.1:0"})
      : server("ws_test_server", arguments) {}

  Child server;
  int port = std::stoi(server.line().value_or("0"));

  HttpResponse once(const std::string& request) const {
    HttpConnection connection(port);
    connection.send(request);
    return connection.receive();
  }

  /// Whether `count` wait calls are running, now or within ten seconds.
  bool becomes_waiting(int count) const {
    const auto end = steady_clock::now() + seconds(10);
    while (steady_clock::now() < end) {
      const HttpResponse response =
          once(post_request(call_line(9, "waiting", Json::object()), modern_headers("waiting")));
      if (Json::parse(response.body)["result"]["structuredContent"]["summary"] ==
          std::to_string(count)) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

const std::string kToken = "0123456789abcdef";

struct TokenCase {
  const char* name;
  const char* path;
  const char* header;
  int status;
  const char* challenge;  ///< The header WWW-Authenticate; null: none.
  const char* message;
};

// clang-format off
constexpr TokenCase kTokenCases[] = {
    {"none", "/mcp", "", 401, "Bearer realm=\"warpsmith\"",
     "this server wants a token: send the header `Authorization: Bearer TOKEN` (claude mcp add --header, warpsmith call with WARPSMITH_TOKEN set)"},
    {"another", "/mcp", "Authorization: Bearer 0123456789abcdeX\r\n", 401, "Bearer realm=\"warpsmith\", error=\"invalid_token\"",
     "the Authorization header does not hold a token of this server: it must be `Bearer TOKEN`, with what `warpsmith token new` printed, or what WARPSMITH_TOKEN or the token file of the server says"},
    {"in the query", "/mcp?token=0123456789abcdef", "", 401, "Bearer realm=\"warpsmith\"",
     "this server wants a token: send the header `Authorization: Bearer TOKEN` (claude mcp add --header, warpsmith call with WARPSMITH_TOKEN set)"},
    {"another path", "/health", "", 401, "Bearer realm=\"warpsmith\"",
     "this server wants a token: send the header `Authorization: Bearer TOKEN` (claude mcp add --header, warpsmith call with WARPSMITH_TOKEN set)"},
    {"a sign-in's path", "/.well-known/oauth-protected-resource/mcp", "", 404, nullptr,
     "there is no OAuth here: this server's token is sent as a header, `Authorization: Bearer TOKEN`"},
    {"the right one elsewhere", "/health", "Authorization: Bearer 0123456789abcdef\r\n", 404, nullptr,
     "there is nothing here; MCP is at POST /mcp"},
};
// clang-format on

struct RefusalCase {
  const char* name;
  const char* request;
  int status;
  const char* message;
};

// clang-format off
constexpr RefusalCase kRefusals[] = {
    {"no host", "POST /mcp HTTP/1.1\r\n\r\n", 403,
     "the Host header must be localhost, 127.0.0.1 or [::1]: this server answers this machine only"},
    {"evil host", "POST /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403,
     "the Host header must be localhost, 127.0.0.1 or [::1]: this server answers this machine only"},
    {"evil host elsewhere", "GET /health HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", 403,
     "the Host header must be localhost, 127.0.0.1 or [::1]: this server answers this machine only"},
    {"evil origin", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n", 403,
     "requests from web pages of other origins are refused"},
    {"null origin", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n", 403,
     "requests from web pages of other origins are refused"},
    {"another path", "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", 404,
     "there is nothing here; MCP is at POST /mcp"},
    {"oauth discovery", "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 404,
     "this server needs no sign-in: there is no OAuth here"},
    {"get", "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", 405,
     "only POST is allowed here: there are no sessions or standing streams"},
    {"delete", "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 405,
     "only POST is allowed here: there are no sessions or standing streams"},
    {"no type", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 415,
     "the Content-Type must be application/json"},
    {"text", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", 415,
     "the Content-Type must be application/json"},
    {"a form", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 2\r\n\r\n--", 415,
     "the Content-Type must be application/json"},
    {"packed", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 415,
     "the body must not have a Content-Encoding"},
    {"two hosts", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400,
     "the header host is there twice"},
    {"two origins", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n\r\n", 400,
     "the header origin is there twice"},
    {"two lengths", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 44\r\n\r\n{}", 400,
     "the header content-length is there twice"},
    {"length and chunks", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400,
     "a request has a Content-Length or a Transfer-Encoding, not both"},
    {"another version", "POST /mcp HTTP/9.9\r\nHost: localhost\r\n\r\n{}", 505,
     "this server speaks HTTP/1.1"},
    {"broken chunks", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}", 400,
     "the chunks of the body are malformed"},
    {"no length", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n", 411,
     "a Content-Length is needed"},
};
// clang-format on

}  // namespace

TEST_SUITE("mcp.http") {
  TEST_CASE("requests are refused for what their heads say") {
    const HttpBench bench;
    for (const RefusalCase& c : kRefusals) {
      CAPTURE(c.name);
      const HttpResponse response = bench.once(c.request);
      CHECK(response.status == c.status);
      CHECK(response.headers.contains("allow") == (c.status == 405));
      CHECK(response.headers.at("connection") == "close");
      CHECK(Json::parse(response.body)["error"]["message"] == c.message);
    }
  }

  TEST_CASE("with a token every request must show it, in the header") {
    const HttpBench bench({"--http", "127.0.0.1:0", kToken});
    for (const TokenCase& c : kTokenCases) {
      CAPTURE(c.name);
      const HttpResponse response =
          bench.once("POST " + std::string(c.path) + " HTTP/1.1\r\nHost: localhost\r\n" + c.header +
                     "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
      CHECK(response.status == c.status);
      const auto challenge = response.headers.find("www-authenticate");
      CHECK((challenge == response.headers.end() ? "" : challenge->second) ==
            (c.challenge == nullptr ? "" : c.challenge));
      CHECK(Json::parse(response.body)["error"]["message"] == c.message);
    }
    const std::string right = "Authorization: Bearer " + kToken + "\r\n";
    CHECK(bench.once(post_request(kPing, right)).body == kPong);
    const HttpResponse page =
        bench.once(post_request(kPing, right + "Origin: http://evil.example\r\n"));
    CHECK(page.status == 403);
  }

  TEST_CASE("beyond loopback a token opens the server to any name, and to no web page") {
    const HttpBench bench({"--http", "0.0.0.0:0", kToken});
    const std::string head =
        "POST /mcp HTTP/1.1\r\nHost: gpu.example:7411\r\n"
        "Content-Type: application/json\r\nContent-Length: " +
        std::to_string(kPing.size()) + "\r\n";
    CHECK(bench.once(head + "\r\n" + kPing).status == 401);
    const std::string right = "Authorization: Bearer " + kToken + "\r\n";
    CHECK(bench.once(head + right + "\r\n" + kPing).body == kPong);
    CHECK(bench.once(head + right + "Origin: http://gpu.example\r\n\r\n" + kPing).status == 403);
  }

  TEST_CASE("local hosts and origins pass, and a connection is kept") {
    const HttpBench bench;
    HttpConnection connection(bench.port);
    for (const char* headers :
         {"", "Origin: http://localhost:3000\r\n", "Origin: https://127.0.0.1\r\n",
          "Origin: http://[::1]:80\r\n", "Accept: application/json, text/event-stream\r\n"}) {
      CAPTURE(headers);
      REQUIRE(connection.send(post_request(kPing, headers)));
      const HttpResponse response = connection.receive();
      CHECK(response.status == 200);
      CHECK(response.headers.at("content-type") == "application/json");
      CHECK(response.body == kPong);
    }
  }

  TEST_CASE("a notification is accepted without a body") {
    const HttpBench bench;
    const HttpResponse response =
        bench.once(post_request(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
    CHECK(response.status == 202);
    CHECK(response.body.empty());
  }

  TEST_CASE("a body over 16 MiB gets 413, with a length and in chunks") {
    const HttpBench bench;
    const std::string body(std::size_t{20} << 20U, 'x');
    HttpConnection sized(bench.port);
    sized.send(post_request(body));
    const HttpResponse response = sized.receive();
    CHECK(response.status == 413);
    CHECK(Json::parse(response.body)["error"]["message"] == "the body is larger than 16 MiB");

    HttpConnection chunked(bench.port);
    chunked.send(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n1400000\r\n");
    chunked.send(body);
    chunked.send("\r\n0\r\n\r\n");
    CHECK(chunked.receive().status == 413);
    CHECK(bench.once(post_request(kPing)).body == kPong);
  }

  TEST_CASE("too many headers are refused") {
    const HttpBench bench;
    std::string headers;
    for (int i = 0; i < 120; ++i) {
      headers += "X-" + std::to_string(i) + ": 1\r\n";
    }
    CHECK(bench.once(post_request(kPing, headers)).status == 431);
  }

  TEST_CASE("the header checks of the modern lane see what was sent") {
    const HttpBench bench;
    const std::string call = call_line(1, "echo", {{"text", "hi"}});
    CHECK(bench.once(post_request(call, modern_headers("wait"))).status == 400);
    const HttpResponse good = bench.once(post_request(call, modern_headers(" echo\t ")));
    CHECK(good.status == 200);
    CHECK(Json::parse(good.body)["result"]["structuredContent"]["summary"] == "hi");
  }

  TEST_CASE("a token and an Accept header make an event stream that ends with the answer") {
    const HttpBench bench;
    const std::string call = call_line(1, "steps", {{"count", 2}, {"gap_ms", 250}}, "p");
    const std::string accept = "Accept: application/json, text/event-stream\r\n";
    const HttpResponse streamed = bench.once(post_request(call, modern_headers("steps") + accept));
    CHECK(streamed.status == 200);
    CHECK(streamed.headers.at("content-type") == "text/event-stream");
    CHECK(streamed.headers.at("cache-control") == "no-cache");
    CHECK(
        streamed.body.find("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                           "progress\"") == 0);
    CHECK(streamed.body.find(R"("id":1,"result")") > streamed.body.find("step 1"));
    CHECK(streamed.body.ends_with("\n\n"));

    const HttpResponse plain = bench.once(post_request(call, modern_headers("steps")));
    CHECK(plain.headers.at("content-type") == "application/json");
    CHECK(Json::parse(plain.body)["id"] == 1);
  }

  TEST_CASE("a client that goes away cancels its modern call, and only that") {
    const HttpBench bench;
    HttpConnection streaming(bench.port);
    HttpConnection plain(bench.port);
    HttpConnection legacy(bench.port);
    const std::string call = call_line(1, "wait", {{"ms", 600000}}, "p");
    streaming.send(post_request(call, modern_headers("wait") + "Accept: text/event-stream\r\n"));
    plain.send(post_request(call, modern_headers("wait")));
    legacy.send(post_request(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"ms":600000}}})"));
    CHECK(bench.becomes_waiting(3));
    streaming.close();
    CHECK(bench.becomes_waiting(2));
    plain.close();
    CHECK(bench.becomes_waiting(1));
    legacy.close();
    HttpConnection last(bench.port);  // When that one's end is seen, so is the legacy one's.
    last.send(post_request(call, modern_headers("wait")));
    CHECK(bench.becomes_waiting(2));
    last.close();
    CHECK(bench.becomes_waiting(1));
  }

  TEST_CASE("a legacy call is cancelled by its id, in its own session only") {
    const HttpBench bench;
    const HttpResponse begun = bench.once(post_request(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})"));
    const std::string session = "Mcp-Session-Id: " + begun.headers.at("mcp-session-id") + "\r\n";
    CHECK(begun.headers.at("mcp-session-id").size() == 32);
    CHECK_FALSE(bench.once(post_request(kPing, session)).headers.contains("mcp-session-id"));
    const std::string call =
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait","arguments":{"ms":600000}}})";
    const std::string cancel =
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})";
    HttpConnection own(bench.port);
    HttpConnection other(bench.port);
    own.send(post_request(call, session));
    other.send(post_request(call, "Mcp-Session-Id: another\r\n"));
    CHECK(bench.becomes_waiting(2));
    CHECK(bench.once(post_request(cancel)).status == 202);  // Nobody's.
    CHECK(bench.once(post_request(cancel, session)).status == 202);
    const HttpResponse ended = own.receive();
    CHECK(ended.status == 200);
    CHECK(Json::parse(ended.body)["result"]["content"][0]["text"] ==
          "cancelled: the call was cancelled");
    CHECK(bench.becomes_waiting(1));
  }

  TEST_CASE("without a session a cancel counts where only one request can be meant") {
    const HttpBench bench;
    const auto call = [](int id) {
      return post_request(
          R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
          R"(,"method":"tools/call","params":{"name":"wait","arguments":{"ms":600000}}})");
    };
    const auto cancel = [](int id) {
      return post_request(
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
          std::to_string(id) + "}}");
    };
    HttpConnection one(bench.port);
    HttpConnection two(bench.port);
    HttpConnection three(bench.port);
    one.send(call(1));
    two.send(call(2));
    three.send(call(2));
    CHECK(bench.becomes_waiting(3));
    CHECK(bench.once(cancel(2)).status == 202);
    CHECK(bench.once(cancel(1)).status == 202);
    CHECK(one.receive().status == 200);
    CHECK(bench.becomes_waiting(2));
  }

  TEST_CASE("a server that ends stops its calls") {
    HttpBench bench;
    HttpConnection legacy(bench.port);
    legacy.send(post_request(call_line(1, "wait", {{"ms", 600000}}), modern_headers("wait")));
    CHECK(bench.becomes_waiting(1));
    bench.server.close_input();
    CHECK(bench.server.wait(seconds(3)) == 0);
  }

  TEST_CASE("many open streams leave room for others") {
    const HttpBench bench;
    std::vector<std::unique_ptr<HttpConnection>> open;
    for (int i = 0; i < 60; ++i) {
      open.push_back(std::make_unique<HttpConnection>(bench.port));
      open.back()->send(post_request(call_line(i, "wait", {{"ms", 600000}}, i),
                                     modern_headers("wait") + "Accept: text/event-stream\r\n"));
    }
    CHECK(bench.once(post_request(call_line(1, "echo", {{"text", "x"}}), modern_headers("echo")))
              .status == 200);
  }

  TEST_CASE("a port in use is one clear message, and status 1") {
    const HttpBench bench;
    const std::string address = "127.0.0.1:" + std::to_string(bench.port);
    Child second("ws_test_server", {"--http", address});
    CHECK(second.wait(seconds(5)) == 1);
    CHECK(second.errors() ==
          "io: cannot listen on " + address +
              " (bind: Address already in use); stop the other server or choose another port");
  }
}

}  // namespace ws
