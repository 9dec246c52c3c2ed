// `serve --otlp` with a collector of OpenTelemetry that only keeps what it gets.
#include <csignal>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <poll.h>

#include "runtime/archive/store/test_folder.h"
#include "tests/support/child.h"
#include "tests/support/loopback_listener.h"
#include "tests/support/raw_http.h"
#include "tests/support/run_program.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// Answers each POST with 200. One thread, one connection at a time.
class Collector {
 public:
  Collector() {
    listener_.start([this](int client) {
      requests_.push_back(read_http_request(client));
      send_text(client, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
  }

  [[nodiscard]] const std::string& url() const { return listener_.url(); }

  /// All spans that came, by name; ends the collector.
  std::map<std::string, Json> spans() {
    listener_.stop();
    std::map<std::string, Json> all;
    for (const std::string& request : requests_) {
      CHECK(request.starts_with("POST /v1/traces HTTP/1.1\r\n"));
      const Json body = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
      for (const Json& span : body["resourceSpans"][0]["scopeSpans"][0]["spans"]) {
        all[span["name"]] = span;
      }
    }
    return all;
  }

 private:
  std::vector<std::string> requests_;  ///< Only the server's thread touches them until it stops.
  LoopbackListener listener_;
};

}  // namespace

TEST_SUITE("serve.traces") {
  TEST_CASE("a call, its job and its compile are spans of the client's trace") {
    const std::string trace = "0af7651916cd43dd8448eb211c80319c";
    const TestFolder folder;
    Collector collector;
    Child server("warpsmith", {"serve", "--no-gpu", "--http", "127.0.0.1:0", "--data",
                               (folder.path() / "data").string(), "--otlp", collector.url()});
    const std::string listening = server.error_line().value_or(":0/mcp");
    const std::size_t mcp = listening.find("/mcp");
    HttpConnection connection(std::stoi(listening.substr(listening.rfind(':', mcp) + 1)));
    const std::string parent = "traceparent: 00-" + trace + "-00f067aa0ba902b7-01\r\n";
    const auto call = [&](const std::string& tool, const Json& arguments) {
      connection.send(post_request(call_line(1, tool, arguments), modern_headers(tool) + parent));
      return Json::parse(connection.receive().body)["result"]["structuredContent"];
    };
    const Json made =
        call("compile_kernel", {{"problem", twice_problem()}, {"kernel", good_kernel()}});
    CHECK(call("validate", {{"kernel_id", made["kernel_id"]}})["verdict"] == "passed");
    server.signal(SIGTERM);
    CHECK(server.wait(std::chrono::seconds(20)) == 0);

    auto spans = collector.spans();
    REQUIRE(spans.contains("tools/call validate"));
    REQUIRE(spans.contains("job validate"));
    REQUIRE(spans.contains("compile"));
    for (const auto& [name, span] : spans) {
      CAPTURE(name);
      CHECK(span["traceId"] == trace);
      CHECK_FALSE(span.contains("status"));
    }
    const Json request = spans["tools/call validate"];
    CHECK(request["kind"] == 2);
    CHECK(request["parentSpanId"] == "00f067aa0ba902b7");
    CHECK(spans["job validate"]["parentSpanId"] == request["spanId"]);
    CHECK(spans["job validate"]["attributes"].dump().find("cpu:0") != std::string::npos);
  }

  TEST_CASE(
      "a collector that no request can reach is refused, one that is not there does no harm") {
    const TestFolder folder;
    const std::string data = (folder.path() / "data").string();
    const Ended refused = run_program(
        {"serve", "--stdio", "--no-gpu", "--data", data, "--otlp", "https://host:4318"});
    CHECK(refused.status == 1);
    CHECK(refused.err.find("error server: invalid_argument: --otlp is not a collector's URL: "
                           "https://host:4318; such as http://127.0.0.1:4318; one beside the "
                           "server speaks TLS to others\n") != std::string::npos);
    const Ended alone = run_program(
        {"serve", "--stdio", "--no-gpu", "--data", data, "--otlp", "http://127.0.0.1:1"},
        R"({"jsonrpc":"2.0","id":1,"method":"ping"})"
        "\n");
    CHECK(alone.status == 0);
    CHECK(alone.out == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    CHECK(alone.err.find("the collector takes no spans: ") != std::string::npos);
  }
}

}  // namespace ws::test
