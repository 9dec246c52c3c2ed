// The HTTP server before it knows the client: bounds, deadlines, room for others.
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "server/protocol/protocol.h"
#include "server/transport/http_server.h"
#include "tests/support/child.h"
#include "tests/support/golden.h"
#include "tests/support/local_http.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_bench.h"

namespace ws {
namespace {

const std::string kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
const std::string kPong = R"({"jsonrpc":"2.0","id":1,"result":{}})";

std::string ping_with(int id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"ping"})";
}

HttpResponse once(int port, const std::string& request) {
  HttpConnection connection(port);
  connection.send(request);
  return connection.receive();
}

std::string message_of(const HttpResponse& response) {
  return Json::parse(response.body)["error"]["message"];
}

/// Sends `piece` again and again until the server answers or has closed.
HttpResponse flood(int port, const std::string& start, const std::string& piece) {
  HttpConnection connection(port);
  connection.send(start);
  for (int i = 0; i < 1000 && connection.send(piece); ++i) {
  }
  return connection.receive();
}

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// The output of a shell command, without its last line end, and its exit status.
std::string output_of(const std::string& command) {
  FILE* const pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> text{};
  const std::size_t bytes = std::fread(text.data(), 1, text.size(), pipe);
  std::string printed(text.data(), bytes);
  if (printed.ends_with('\n')) {
    printed.pop_back();
  }
  return printed + " " + std::to_string(WEXITSTATUS(::pclose(pipe)));
}

/// The command by which the image of that name is asked whether it is well, for another port.
std::string health_check(const std::string& name, const std::string& port) {
  const auto file = read_file(source_dir() / "docker" / (name + ".Containerfile"));
  REQUIRE(file.has_value());
  const std::size_t at = file->find("CMD [", file->find("HEALTHCHECK")) + 4;
  const Json words = Json::parse(file->substr(at, file->find('\n', at) - at));
  REQUIRE(words.size() == 3);
  CHECK(words[0] == "bash");
  CHECK(words[1] == "-c");
  std::string script = words[2];
  REQUIRE(script.find("/7411 ") != std::string::npos);
  return script.replace(script.find("/7411 "), 6, "/" + port + " ");
}

}  // namespace

TEST_SUITE("mcp.http_front") {
  TEST_CASE("heads and chunk lines without an end are refused, and take no memory") {
    const TestBench bench;
    const LocalHttp http(bench.server());
    const long before = peak_kib();
    const std::string piece(std::size_t{64} << 10U, 'x');
    std::string headers;
    while (headers.size() < piece.size()) {
      headers += "X: y\r\n";
    }
    const HttpResponse line = flood(http.port(), "POST /", piece);
    CHECK(line.status == 414);
    CHECK(message_of(line) == "the request line is longer than 8 KiB");
    const HttpResponse header = flood(http.port(), "POST /mcp HTTP/1.1\r\nX: ", piece);
    CHECK(header.status == 431);
    CHECK(message_of(header) == "more than 100 headers, or more than 64 KiB of them");
    CHECK(flood(http.port(), "POST /mcp HTTP/1.1\r\n", headers).status == 431);
    const HttpResponse chunk = flood(http.port(),
                                     "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                     "application/json\r\nTransfer-Encoding: chunked\r\n\r\n5;",
                                     piece);
    CHECK(chunk.status == 400);
    CHECK(message_of(chunk) == "the chunks of the body are malformed");
    CHECK(once(http.port(), post_request(kPing)).body == kPong);
    CHECK(peak_kib() - before < 32 * 1024);  // 250 MiB were sent.
  }

  TEST_CASE("a head and a body have a time to come, however steadily they drip") {
    const TestBench bench;
    const LocalHttp http(bench.server(), {.head_seconds = 1, .body_seconds = 1});
    HttpConnection head(http.port());
    head.send("POST /mcp HTTP/1.1\r\n");
    const HttpResponse late = head.receive();
    CHECK(late.status == 408);
    CHECK(message_of(late) == "the head of the request took longer than 1 s");
    CHECK(late.headers.at("connection") == "close");
    HttpConnection body(http.port());
    body.send(post_request(kPing).substr(0, post_request(kPing).size() - 1));
    const HttpResponse unfinished = body.receive();
    CHECK(unfinished.status == 408);
    CHECK(message_of(unfinished) == "the body of the request took longer than 1 s");
  }

  TEST_CASE("connections that do not say what they want make room for one that does") {
    const TestBench bench;
    const LocalHttp http(bench.server(), {.max_per_address = 8});
    std::vector<std::unique_ptr<HttpConnection>> dripping;
    for (int i = 0; i < 40; ++i) {
      dripping.push_back(std::make_unique<HttpConnection>(http.port()));
      dripping.back()->send("POST /mcp HTTP/1.1\r\nHost: loc");
    }
    for (int i = 0; i < 20; ++i) {
      CHECK(once(http.port(), post_request(kPing)).body == kPong);
    }
  }

  TEST_CASE("one connection too many gets an error when all others are at work") {
    const TestBench bench;
    const LocalHttp http(bench.server(), {.max_per_address = 2});
    const std::string call = call_line(1, "wait", {{"ms", 600000}}, "p");
    const std::string request =
        post_request(call, modern_headers("wait") + "Accept: text/event-stream\r\n");
    HttpConnection first(http.port());
    HttpConnection second(http.port());
    for (HttpConnection* connection : {&first, &second}) {
      connection->send(request);
      CHECK(connection->until("\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
    }
    const HttpResponse refused = once(http.port(), post_request(kPing));
    CHECK(refused.status == 503);
    CHECK(message_of(refused) == "too many connections: each has a request in progress; try again");
    first.close();
    HttpResponse answered;
    while (answered.status != 200) {  // Its end is seen soon.
      answered = once(http.port(), post_request(kPing));
    }
    CHECK(answered.body == kPong);
  }

  TEST_CASE("a request that is dropped before it is answered leaves its id to later ones") {
    const TestBench bench;
    server::SharedInFlight requests;
    const server::McpHeaders headers{"2025-11-25", std::nullopt, std::nullopt};
    const auto accept = [&](const std::string& text, const std::stop_source& stop) {
      server::RequestContext context;
      context.headers = &headers;
      context.in_flight = &requests;
      context.session = "a session";
      context.client = "127.0.0.1";
      context.stop = stop;
      return bench.server().accept(text, context);
    };
    const std::string call =
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"wait","arguments":{"ms":600000}}})";
    const std::string cancel =
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})";
    const std::stop_source dropped;
    CHECK(accept(call, dropped).work);  // The transport has no room for it.
    const std::stop_source stop;
    const server::Accepted accepted = accept(call, stop);
    REQUIRE(accepted.work);
    CHECK(accept(cancel, {}).reply->http_status == 202);
    CHECK(stop.stop_requested());
    CHECK_FALSE(dropped.stop_requested());
    std::string answer;
    accepted.work([&answer](const server::Reply& reply) { answer = reply.body; });
    CHECK(Json::parse(answer)["result"]["content"][0]["text"] ==
          "cancelled: the call was cancelled");
  }

  TEST_CASE("requests that are sent at once are answered one by one, in order") {
    const TestBench bench;
    const LocalHttp http(bench.server());
    HttpConnection connection(http.port());
    std::string all;
    for (int i = 0; i < 50; ++i) {
      all += i % 10 == 5
                 ? post_request(call_line(i, "echo", {{"text", "x"}}), modern_headers("echo"))
                 : post_request(ping_with(i));
    }
    REQUIRE(connection.send(all));
    for (int i = 0; i < 50; ++i) {
      const HttpResponse response = connection.receive();
      CHECK(response.status == 200);
      CHECK(Json::parse(response.body)["id"] == i);
    }
  }

  TEST_CASE("of many clients that ask at the same time each gets its answer") {
    const TestBench bench;
    const LocalHttp http(bench.server());
    constexpr std::size_t kClients = 50;  // More than are answered in one round.
    std::vector<HttpConnection> clients;
    clients.reserve(kClients);
    while (clients.size() < kClients) {
      clients.emplace_back(http.port());
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
      CHECK(clients[i].send(post_request(ping_with(static_cast<int>(i)))));
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
      CHECK(Json::parse(clients[i].receive().body)["id"] == i);
    }
  }

  TEST_CASE("what follows a refused request is not taken for another one") {
    const TestBench bench;
    const LocalHttp http(bench.server());
    const std::string hidden = post_request(kPing);
    for (const char* head :
         {"Content-Length: 0\r\nContent-Length: 150\r\n", "Content-Length: abc\r\n",
          "Content-Length: 0, 5\r\n", "Content-Length: 150\r\nTransfer-Encoding: chunked\r\n",
          "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: xchunked\r\n",
          "Content-Type: text/plain\r\nContent-Length: 150\r\n"}) {
      CAPTURE(head);
      HttpConnection connection(http.port());
      connection.send(std::string("POST /mcp HTTP/1.1\r\nHost: localhost\r\n") + head + "\r\n" +
                      hidden);
      const HttpResponse response = connection.receive();
      CHECK(response.status >= 400);
      CHECK(response.headers.at("connection") == "close");
      CHECK(connection.receive().status == 0);
    }
  }

  TEST_CASE("a health check shows that the server works, and nothing else") {
    Child server("ws_test_server", {"--http", "127.0.0.1:0", "0123456789abcdef"});
    const int port = std::stoi(server.line().value_or("0"));
    HttpConnection connection(port);
    for (int i = 0; i < 2; ++i) {
      connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const HttpResponse response = connection.receive();
      CHECK(response.status == 200);
      CHECK(response.body == R"({"status":"ok"})");
    }
    connection.send("HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(connection.until("\r\n\r\n").find("Content-Length: 15\r\n") != std::string::npos);
    CHECK(once(port, "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n").status == 403);
    CHECK(once(port, "DELETE /health HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 401);
  }

  TEST_CASE("the health check of each container asks for no more than that, and notices the end") {
    std::optional<Child> server(std::in_place, "ws_test_server",
                                std::vector<std::string>{"--http", "127.0.0.1:0"});
    const std::string port = server->line().value_or("0");
    const TestFolder folder;
    const std::string check = (folder.path() / "check").string();
    for (const char* name : {"cpu", "cuda", "rocm"}) {
      CAPTURE(name);
      REQUIRE(write_file(check, health_check(name, port)).has_value());
      CHECK(output_of("bash " + check + " 2>&1") == R"({"status":"ok"} 0)");
    }
    server.reset();
    CHECK(output_of("bash " + check + " 2>&1").ends_with("Connection refused 1"));
  }

  TEST_CASE("long answers are packed with gzip for those who take it, and never with brotli") {
    const TestBench bench;
    const LocalHttp http(bench.server());
    const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
    const std::size_t whole = once(http.port(), post_request(list)).body.size();
    CHECK_FALSE(once(http.port(), post_request(list, "Accept-Encoding: br\r\n"))
                    .headers.contains("content-encoding"));
    const HttpResponse packed =
        once(http.port(), post_request(list, "Accept-Encoding: deflate, gzip, br\r\n"));
    CHECK(packed.headers.at("content-encoding") == "gzip");
    CHECK(packed.headers.at("vary") == "Accept-Encoding");
    CHECK(packed.body.starts_with("\x1f\x8b"));
    CHECK(packed.body.size() < whole / 2);
    CHECK_FALSE(once(http.port(), post_request(kPing, "Accept-Encoding: gzip\r\n"))
                    .headers.contains("content-encoding"));
  }

  TEST_CASE("a body that is asked for first is read") {
    const TestBench bench;
    const LocalHttp http(bench.server());
    HttpConnection connection(http.port());
    const std::string request = post_request(kPing, "Expect: 100-continue\r\n");
    connection.send(request.substr(0, request.size() - kPing.size()));
    CHECK(connection.until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
    connection.send(kPing);
    CHECK(connection.receive().body == kPong);
  }

  TEST_CASE("each request, and each that is refused, is one line of the log") {
    Child server("ws_test_server", {"--http", "127.0.0.1:0", "0123456789abcdef"});
    const int port = std::stoi(server.line().value_or("0"));
    const std::string right = "Authorization: Bearer 0123456789abcdef\r\n";
    const auto line_after = [&](const std::string& request) {
      once(port, request);
      std::string line = server.error_line().value_or("none");
      line.erase(0, line.find(' ') + 1);  // The time.
      const std::size_t id = line.rfind(" request_id=");
      CHECK(line.size() - id == std::string(" request_id=").size() + 16);
      line.erase(id);
      const std::size_t ms = line.find(" ms=");
      return ms == std::string::npos ? line : line.substr(0, ms + 4);
    };
    CHECK(line_after(post_request(kPing, right)) ==
          "info request: client=127.0.0.1 principal=owner method=ping id=1 status=ok ms=");
    CHECK(
        line_after(post_request(
            R"({"jsonrpc":"2.0","id":"a b","method":"tools/call","params":{"name":"refuse","arguments":{"code":"not_found"}}})",
            right)) ==
        "info request: client=127.0.0.1 principal=owner method=tools/call name=refuse id=\"a b\" "
        "status=not_found ms=");
    CHECK(
        line_after(post_request(
            R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x\ny=z status=ok"}})",
            right)) ==
        "info request: client=127.0.0.1 principal=owner method=tools/call name=\"x\\ny=z "
        "status=ok\" id=2 "
        "status=-32602 ms=");
    CHECK(
        line_after(post_request("{", right))
            .starts_with("info request: client=127.0.0.1 principal=owner status=-32700 reason=\""));
    CHECK(line_after(post_request(kPing, "Authorization: Bearer wrong\r\n"))
              .starts_with("info http: client=127.0.0.1 http=POST path=/mcp status=401 "
                           "reason=\"the Authorization header does not hold"));
    CHECK(line_after("GET /x%20y HTTP/1.1\r\nHost: evil\r\n\r\n") ==
          "info http: client=127.0.0.1 http=GET path=/x%20y status=403 reason=\"the Host header "
          "must be localhost, 127.0.0.1 or [::1]: this server answers this machine only\"");
    CHECK(line_after("nonsense\r\n\r\n") ==
          "info http: client=127.0.0.1 status=400 reason=\"the request line must be METHOD PATH "
          "HTTP/1.1\"");
    CHECK(line_after("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n") ==
          "debug http: client=127.0.0.1 http=GET path=/health status=200");
  }

  TEST_CASE("a request that is dropped has an answer and a line of the log all the same") {
    server::HttpHandlers handlers;
    handlers.screen = [](const server::HttpHead&) { return std::nullopt; };
    handlers.serve = [](const server::HttpRequest&, const std::shared_ptr<server::HttpResponder>&) {
      return std::function<void()>();
    };
    std::vector<std::string> refused;
    handlers.refuse = [&refused](const std::string& address, int status, const std::string& why) {
      refused.push_back(address + " " + std::to_string(status) + " " + why);
      return server::HttpReply{.status = status, .body = "refused"};
    };
    const auto server =
        bind_http({.address = *server::parse_listen_address("127.0.0.1:0", false)}, handlers);
    REQUIRE(server.has_value());
    std::jthread serving([&server] { (*server)->run(); });
    const HttpResponse response = once((*server)->port(), post_request(kPing));
    (*server)->stop();
    serving.join();
    CHECK(response.status == 500);
    CHECK(response.body == "refused");
    CHECK(refused == std::vector<std::string>{"127.0.0.1 500 the request ended without an answer"});
  }
}

}  // namespace ws
