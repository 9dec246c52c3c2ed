// The stdio transport in a process of its own.
#include <chrono>
#include <csignal>
#include <set>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "server/protocol/message.h"
#include "tests/support/child.h"
#include "tests/support/test_bench.h"

namespace ws {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string kPing = R"({"jsonrpc":"2.0","id":"ping","method":"ping"})"
                          "\n";
const std::string kPong = R"({"jsonrpc":"2.0","id":"ping","result":{}})";

std::string cancel_line(int id) {
  return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
         std::to_string(id) + "}}\n";
}

Json read_json(Child& server) {
  const std::optional<std::string> line = server.line();
  REQUIRE(line.has_value());
  return Json::parse(*line, nullptr, false);
}

}  // namespace

TEST_SUITE("mcp.stdio") {
  TEST_CASE("what is printed to stdout goes to stderr, and the end of input ends the server") {
    Child server("ws_test_server", {"--stdio"});
    REQUIRE(server.write(kPing));
    CHECK(server.line() == kPong);
    server.close_input();
    CHECK(server.wait(seconds(2)) == 0);
    CHECK(server.rest().empty());
    const std::string errors = server.errors();
    CHECK(errors.starts_with("this must not get into the stream\n"));
    CHECK(errors.find(" info request: client=stdio method=ping id=ping status=ok ms=") !=
          std::string::npos);
  }

  TEST_CASE("a request without room gets an error that says so, and is in the log") {
    constexpr int kMoreThanWait = 8192 + 256 + 1;
    Child server("ws_test_server", {"--stdio"});
    std::string all;
    for (int i = 0; i < kMoreThanWait; ++i) {
      all += call_line(i, "wait", {{"ms", 600000}}) + "\n";
    }
    REQUIRE(server.write(all));
    const Json refused = read_json(server);
    const Json want = {
        {"jsonrpc", "2.0"},
        {"id", refused["id"]},
        {"error",
         {{"code", -32603}, {"message", "busy: too many requests are queued; wait for answers"}}}};
    CHECK(refused == want);
    std::string logged;
    while (logged.find("client=stdio") == std::string::npos) {
      const std::optional<std::string> line = server.error_line();
      REQUIRE(line.has_value());
      logged = *line;
    }
    CHECK(logged.find(" info request: client=stdio status=-32603 reason=\"busy: too many "
                      "requests are queued; wait "
                      "for answers\"") != std::string::npos);
  }

  TEST_CASE("requests that came before the end of input are answered") {
    Child server("ws_test_server", {"--stdio"});
    REQUIRE(server.write(call_line(1, "wait", {{"ms", 100}}) + "\n" +
                         kPing.substr(0, kPing.size() - 1)));
    server.close_input();
    CHECK(server.line() == kPong);  // The last line has no end.
    CHECK(read_json(server)["id"] == 1);
    CHECK(server.wait(seconds(2)) == 0);
  }

  TEST_CASE("a call that never ends is stopped when the input ends") {
    Child server("ws_test_server", {"--stdio"});
    REQUIRE(server.write(call_line(1, "wait", {{"ms", 600000}}) + "\n"));
    server.close_input();
    CHECK(server.wait(seconds(60)) == 0);
  }

  TEST_CASE("a slow call holds up neither other requests nor its cancel, and is not answered") {
    Child server("ws_test_server", {"--stdio"});
    REQUIRE(server.write(call_line(1, "wait", {{"ms", 600000}}) + "\n" + kPing));
    CHECK(server.line() == kPong);
    REQUIRE(server.write(cancel_line(1) + call_line(2, "wait", {{"ms", 50}}) + "\n"));
    CHECK(read_json(server)["id"] == 2);
    REQUIRE(server.write(cancel_line(2) + cancel_line(99) + kPing));  // Too late, and unknown.
    CHECK(server.line() == kPong);
    server.close_input();
    CHECK(server.wait(milliseconds(800)) == 0);  // Nothing is left to wait for.
    CHECK(server.rest().empty());
  }

  TEST_CASE("an id that is in use is refused, and free again after the answer") {
    Child server("ws_test_server", {"--stdio"});
    REQUIRE(server.write(call_line(1, "wait", {{"ms", 200}}) + "\n" +
                         call_line(1, "echo", {{"text", "x"}}) + "\n"));
    CHECK(read_json(server)["error"]["message"] == "the id 1 belongs to a request in progress");
    CHECK(read_json(server)["result"]["structuredContent"]["summary"] == "waited");
    REQUIRE(server.write(call_line(1, "echo", {{"text", "x"}}) + "\n"));
    CHECK(read_json(server)["result"]["structuredContent"]["summary"] == "x");
  }

  TEST_CASE("a refused batch leaves its ids free") {
    Child server("ws_test_server", {"--stdio"});
    const std::string call = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":)"
                             R"({"name":"echo","arguments":{"text":"x"}}})";
    const std::string hello = R"({"jsonrpc":"2.0","id":6,"method":"initialize","params":)"
                              R"({"protocolVersion":"2025-03-26","capabilities":{},)"
                              R"("clientInfo":{"name":"t","version":"1"}}})";
    REQUIRE(server.write(hello + "\n[" + call + "," + hello + "]\n" + call + "\n"));
    CHECK(read_json(server)["result"]["protocolVersion"] == "2025-03-26");
    CHECK(read_json(server)["error"]["message"] ==
          "a batch cannot hold initialize or a request of a later version");
    CHECK(read_json(server)["result"]["content"][0]["text"].get<std::string>().find("\"x\"") !=
          std::string::npos);
  }

  TEST_CASE("a thousand pipelined requests are all answered, to a client that reads late") {
    Child server("ws_test_server", {"--stdio"});
    std::set<int> wanted;
    for (int id = 0; id < 1000; ++id) {
      REQUIRE(server.write(call_line(id, "echo", {{"text", std::string(2000, 'x')}}) + "\n"));
      wanted.insert(id);
    }
    for (int i = 0; i < 1000; ++i) {
      const Json reply = read_json(server);
      CHECK(reply["result"]["structuredContent"]["summary"].get<std::string>().size() == 2000);
      CHECK(wanted.erase(reply["id"].get<int>()) == 1);
    }
    CHECK(wanted.empty());
  }

  TEST_CASE("a hundred waiting calls do not hold up a quick one") {
    Child server("ws_test_server", {"--stdio"});
    for (int id = 0; id < 100; ++id) {
      REQUIRE(server.write(call_line(id, "wait", {{"ms", 600000}}) + "\n"));
    }
    REQUIRE(server.write(call_line(1000, "echo", {{"text", "x"}}) + "\n"));
    CHECK(read_json(server)["id"] == 1000);
    server.close_input();
    CHECK(server.wait(seconds(60)) == 0);
  }

  TEST_CASE("a garbage line and an empty one leave the stream in order") {
    Child server("ws_test_server", {"--stdio"});
    REQUIRE(server.write("garbage\n\n\r\n{\"jsonrpc\":\n" + kPing.substr(0, kPing.size() - 1) +
                         "\r\n"));
    CHECK(read_json(server)["error"]["code"] == server::rpc::kParseError);
    CHECK(read_json(server)["error"]["code"] == server::rpc::kParseError);
    CHECK(server.line() == kPong);
  }

  TEST_CASE("a line over 16 MiB is refused, and the next one is served") {
    Child server("ws_test_server", {"--stdio"});
    const std::string part(std::size_t{1} << 20U, 'x');
    for (int i = 0; i < 20; ++i) {
      REQUIRE(server.write(part));
    }
    REQUIRE(server.write("\n" + kPing));
    CHECK(
        server.line() ==
        R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"the message is larger than 16 MiB"}})");
    CHECK(server.line() == kPong);
  }

  TEST_CASE("progress comes before the answer, rises, and needs a token") {
    Child server("ws_test_server", {"--stdio"});
    REQUIRE(server.write(call_line(1, "steps", {{"count", 3}, {"gap_ms", 250}}, "p") + "\n"));
    double last = -1;
    for (int i = 0; i < 3; ++i) {
      const Json message = read_json(server);
      REQUIRE(message["method"] == "notifications/progress");
      CHECK(message["params"]["progressToken"] == "p");
      CHECK(message["params"]["progress"] > last);
      last = message["params"]["progress"];
    }
    CHECK(read_json(server)["id"] == 1);
    REQUIRE(server.write(call_line(2, "steps", {{"count", 1}}) + "\n"));
    CHECK(read_json(server)["id"] == 2);
  }
}

}  // namespace ws
