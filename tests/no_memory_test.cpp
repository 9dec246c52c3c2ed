// Every request gets an answer, whatever happens to the tool that works on it, and the server goes
// on where there is no memory.
#include <csignal>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/archive/store/test_folder.h"
#include "server/protocol/message.h"
#include "server/transport/line_reader.h"
#include "server/transport/stdio_transport.h"
#include "tests/support/child.h"
#include "tests/support/local_http.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_bench.h"

namespace ws {
namespace {

using Body = std::function<Result<Json>(CallContext& context)>;

class BareTool : public Tool {
 public:
  BareTool(const std::string& name, Body body)
      : body_(std::move(body)) {
    spec_.name = name;
    spec_.json = {{"name", name},
                  {"title", name},
                  {"description", "goes wrong"},
                  {"inputSchema", {{"type", "object"}, {"additionalProperties", false}}},
                  {"outputSchema", {{"type", "object"}}}};
  }

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& /*arguments*/, CallContext& context) override {
    return body_(context);
  }

 private:
  ToolSpec spec_;
  Body body_;
};

/// A tool that leaves this wait, where it may.
Body that_waits(std::function<void(std::function<void()>)> wait) {
  return [wait = std::move(wait)](CallContext& context) -> Result<Json> {
    REQUIRE(context.later != nullptr);
    context.later->wait = wait;
    context.later->go_on = [](CallContext&) { return Result<Json>(Json{{"summary", "waited"}}); };
    return Json();
  };
}

constexpr const char* kLost = "the request ended without an answer";

struct Wrong {
  const char* tool;
  const char* message;  ///< Null: it has a result.
};

const Wrong kWrongs[] = {
    {"throws", server::kNoMemory},
    {"cannot_wait", server::kNoMemory},
    {"forgets", kLost},
    {"waits", nullptr},
};

/// A server whose tools go wrong in each way there is.
struct WrongBench {
  WrongBench() {
    add("throws", [](CallContext&) -> Result<Json> { throw std::bad_alloc(); });
    add("cannot_wait", that_waits([](const std::function<void()>&) { throw std::bad_alloc(); }));
    add("forgets", that_waits([](const std::function<void()>&) {}));
    add("waits", that_waits([](const std::function<void()>& over) { std::jthread(over).join(); }));
    REQUIRE(registry.status().has_value());
    server = std::make_unique<server::McpServer>(registry, server::McpServer::Options{});
  }

  void add(const std::string& name, Body body) {
    registry.add(std::make_unique<BareTool>(name, std::move(body)));
  }

  ToolRegistry registry;
  std::unique_ptr<server::McpServer> server;
};

void check_answer(const Wrong& wrong, int id, const std::string& text) {
  CAPTURE(wrong.tool);
  CAPTURE(text);
  const Json answer = Json::parse(text, nullptr, false);
  REQUIRE(answer.is_object());
  CHECK(answer["id"] == id);
  if (wrong.message == nullptr) {
    CHECK(answer["result"]["structuredContent"]["summary"] == "waited");
  } else {
    CHECK(answer["error"] == Json{{"code", -32603}, {"message", wrong.message}});
  }
}

/// Arguments that take twenty times their text to hold, in `count` pieces.
std::string large_call(int id, int count) {
  std::string text = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                     R"(,"method":"tools/call","params":{"name":"search","arguments":{"query":[0)";
  for (int i = 0; i < count; ++i) {
    text += ",{}";
  }
  return text + "]}}}";
}

}  // namespace

TEST_SUITE("mcp.no_memory") {
  TEST_CASE("over HTTP each call has its answer, however its tool goes wrong") {
    const WrongBench bench;
    const LocalHttp http(*bench.server);
    for (int id = 0; id < 8; ++id) {
      const Wrong& wrong = kWrongs[id % 4];
      HttpConnection connection(http.port());
      connection.send(
          post_request(call_line(id, wrong.tool, Json::object()), modern_headers(wrong.tool)));
      check_answer(wrong, id, connection.receive().body);
    }
  }

  TEST_CASE("over stdio too, its id is free again, and the end of input is the end") {
    const WrongBench bench;
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    REQUIRE(::pipe(in) == 0);
    REQUIRE(::pipe(out) == 0);
    Fd to_server(in[1]);
    const Fd server_in(in[0]);
    const Fd server_out(out[1]);
    const Fd from_server(out[0]);
    bool idle = false;
    std::thread serving([&] {
      idle = server::StdioTransport(*bench.server, server_in.get(), server_out.get(), -1).run();
    });
    server::LineReader replies(from_server.get(), -1, std::size_t{1} << 20U);
    for (int i = 0; i < 8; ++i) {
      const Wrong& wrong = kWrongs[i % 4];
      const std::string line = call_line(7, wrong.tool, Json::object()) + "\n";
      REQUIRE(::write(to_server.get(), line.data(), line.size()) ==
              static_cast<ssize_t>(line.size()));
      REQUIRE(replies.next() == server::LineReader::Event::kLine);
      check_answer(wrong, 7, std::string(replies.line()));
    }
    to_server.reset();
    serving.join();
    CHECK(idle);
  }

#ifndef __SANITIZE_ADDRESS__  // It wants more address space than the test leaves.
  TEST_CASE("large requests at once take the server its memory, and nobody an answer") {
    constexpr int kAtOnce = 8;
    const TestFolder data;
    Child server("warpsmith", {"serve", "--http", "127.0.0.1:0", "--data", data.path().string()});
    const std::string said = server.error_line().value_or("");
    const std::size_t at = said.find("127.0.0.1:");
    REQUIRE_MESSAGE(at != std::string::npos, said);
    const int port = std::stoi(said.substr(at + 10));
    const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    // With each limit another allocation fails.
    for (const int mib : {400, 200, 130, 100, 80}) {
      CAPTURE(mib);
      server.limit_memory(static_cast<std::size_t>(mib) << 20U);
      std::vector<std::string> answers(kAtOnce);
      {
        std::vector<std::jthread> clients;
        for (int i = 0; i < kAtOnce; ++i) {
          clients.emplace_back([&, i] {
            HttpConnection connection(port);
            connection.send(post_request(large_call(i, 400000)));
            const HttpResponse response = connection.receive();
            answers[static_cast<std::size_t>(i)] = response.status == 0 ? "closed" : response.body;
          });
        }
      }
      for (int i = 0; i < kAtOnce; ++i) {
        const std::string& text = answers[static_cast<std::size_t>(i)];
        const Json answer = Json::parse(text, nullptr, false);
        CAPTURE(text);
        CHECK((text == "closed" || (answer.is_object() && answer.contains("jsonrpc"))));
      }
      HttpConnection connection(port);
      connection.send(post_request(ping));
      CHECK(connection.receive().body == R"({"jsonrpc":"2.0","id":1,"result":{}})");
    }
    server.signal(SIGTERM);
    CHECK(server.wait(std::chrono::seconds(60)) == 0);
  }

  TEST_CASE("large requests on stdio take the server its memory, and nobody an answer") {
    const TestFolder data;
    Child server("warpsmith", {"serve", "--stdio", "--data", data.path().string()});
    const std::string ping = R"({"jsonrpc":"2.0","id":"ping","method":"ping"})";
    REQUIRE(server.write(ping + "\n"));
    CHECK(server.line() == R"({"jsonrpc":"2.0","id":"ping","result":{}})");
    for (const int mib : {300, 150, 100}) {
      CAPTURE(mib);
      server.limit_memory(static_cast<std::size_t>(mib) << 20U);
      for (int id = 0; id < 8; ++id) {
        REQUIRE(server.write(large_call(id, 400000) + "\n"));
      }
      REQUIRE(server.write(ping + "\n"));
      int answers = 0;
      for (; answers < 9; ++answers) {
        const auto line = server.line();
        REQUIRE(line.has_value());
        CHECK(Json::parse(*line, nullptr, false).is_object());
      }
    }
    server.close_input();
    CHECK(server.wait(std::chrono::seconds(60)) == 0);
  }
#endif
}

}  // namespace ws
