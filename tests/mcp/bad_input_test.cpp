// Messages that hand-made clients send, and clients that do not read.
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "tests/support/child.h"
#include "tests/support/test_bench.h"

namespace ws {
namespace {

/// A legacy request. @param params  JSON text.
std::string request(const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}";
}

std::string modern(const std::string& method, const std::string& params) {
  return request(method, "{" + params + modern_meta() + "}");
}

}  // namespace

TEST_SUITE("mcp.bad_input") {
  TEST_CASE("null stands for a member that is not there") {
    TestBench bench;

    struct Row {
      std::string with_null;
      std::string without;
    };

    const std::string list = modern("tools/list", "");
    const std::string call = R"("name":"echo","arguments":{"text":"x"},)";
    const std::string token = R"("_meta":{)";
    std::string null_token = modern("tools/call", call);
    null_token.replace(null_token.find(token), token.size(), token + R"("progressToken":null,)");
    const Row rows[] = {
        {request("ping", "null"), request("ping", "{}")},
        {request("tools/list", "null"), request("tools/list", "{}")},
        {request("tools/list", R"({"cursor":null})"), request("tools/list", "{}")},
        {request("prompts/list", R"({"cursor":null})"), request("prompts/list", "{}")},
        {request("resources/list", R"({"cursor":null})"), request("resources/list", "{}")},
        {request("resources/templates/list", R"({"cursor":null})"),
         request("resources/templates/list", "{}")},
        {modern("tools/list", R"("cursor":null,)"), list},
        {request("tools/call", R"({"name":"steps","arguments":null})"),
         request("tools/call", R"({"name":"steps"})")},
        {null_token, modern("tools/call", call)},
    };
    for (const Row& row : rows) {
      CAPTURE(row.with_null);
      CHECK(bench.send(row.with_null).body == bench.send(row.without).body);
    }
    CHECK(bench.notified.empty());
    CHECK(bench.send(request("ping", "null")).body == R"({"jsonrpc":"2.0","id":1,"result":{}})");
    CHECK(bench.send(request("tools/list", R"({"cursor":""})")).body ==
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":)"
          R"("`cursor` is not one that this server gave out"}})");
  }

  TEST_CASE("a client that never reads is told so in the last line, and the server ends") {
    const TestFolder folder;
    Child server("warpsmith",
                 {"serve", "--stdio", "--data", folder.path().string(), "--log-level", "error"});
    std::jthread writing([&server] {
      std::string lines;
      for (int i = 0; i < 100; ++i) {
        lines += R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"
                 "\n";
      }
      while (server.write(lines)) {
      }
    });
    std::string logged;
    while (logged.find("the client does not read its answers") == std::string::npos) {
      const std::optional<std::string> line = server.error_line();
      REQUIRE(line.has_value());
      logged = *line;
    }
    std::string answers = server.rest();
    REQUIRE(answers.ends_with("\n"));
    answers.pop_back();
    CHECK(answers.size() > std::size_t{250} << 20U);
    CHECK(answers.substr(answers.rfind('\n') + 1) ==
          R"({"jsonrpc":"2.0","error":{"code":-32603,"message":"256 MiB of answers were not read: )"
          R"(this is the last one, and the connection ends"}})");
    CHECK(server.wait(std::chrono::seconds(20)) == 0);
  }
}

}  // namespace ws
