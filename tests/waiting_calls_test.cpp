// Calls that wait hold no thread: however many of one client wait, others are answered.
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "server/transport/line_reader.h"
#include "server/transport/stdio_transport.h"
#include "tests/support/local_http.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"
#include "tools/answer/envelope.h"

namespace ws::test {
namespace {

constexpr int kWaiting = 300;

/// Real tools, a compiled kernel, and a device that is held up by a job until the test lets go.
struct HeldBench {
  HeldBench() {
    server::McpServer::Options options;
    options.resources = &tools.resources();
    server = std::make_unique<server::McpServer>(tools.registry(), options);
    kernel = tools.compiled(twice_problem(), good_kernel());
    const auto held = tools.services().jobs->submit(
        "cpu:0", "test", "", [this](CallContext& /*own*/) -> Result<std::string> {
          let_go.get_future().wait();
          return std::string("{}");
        });
    REQUIRE(held.has_value());
  }

  /// Half as many questions as calls: each is asked twice.
  [[nodiscard]] Json validate(int i) const {
    return {{"kernel_id", kernel}, {"workloads", {{{"n", 1 + i / 2}}}}, {"wait_ms", 600000}};
  }

  /// REQUIREs that so many jobs are on the device's lane, now or soon.
  void until_jobs(std::size_t count) const {
    for (int i = 0; i < 6000 && tools.services().jobs->length("cpu:0") != count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    REQUIRE(tools.services().jobs->length("cpu:0") == count);
  }

  std::promise<void> let_go;
  ToolBench tools;
  std::unique_ptr<server::McpServer> server;
  std::string kernel;
};

int threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) {
      return std::stoi(line.substr(line.find('\t')));
    }
  }
  return 0;
}

/// REQUIREs that there are no more threads than that, now or soon: those that have been at work
/// stay for a while.
void until_threads(int most) {
  for (int i = 0; i < 6000 && threads_of_this_process() > most; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  REQUIRE(threads_of_this_process() <= most);
}

std::string resource_line(int id, const std::string& uri) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"resources/read","params":{"uri":")" + uri + R"("}})";
}

std::string legacy_call(int id, const std::string& tool, const Json& arguments) {
  return server::to_line(Json{{"jsonrpc", "2.0"},
                              {"id", id},
                              {"method", "tools/call"},
                              {"params", {{"name", tool}, {"arguments", arguments}}}});
}

/// @param session  A header, or empty.
Json ask(int port, const std::string& body, const std::string& session = {}) {
  HttpConnection connection(port);
  connection.send(post_request(body, "MCP-Protocol-Version: 2025-11-25\r\n" + session));
  Json answer = Json::parse(connection.receive().body, nullptr, false);
  REQUIRE_MESSAGE(answer.contains("result"), answer.dump());
  REQUIRE_MESSAGE(!answer["result"].contains("isError"), answer.dump());
  return answer["result"];
}

/// Another kernel than good_kernel().
Json other_kernel() {
  return twice_kernel("  if (i < n) y[i] = x[i] + x[i];");
}

}  // namespace

TEST_SUITE("mcp.waiting") {
  TEST_CASE("300 calls that wait over HTTP leave all others their answers") {
    HeldBench bench;
    const int threads = threads_of_this_process();
    {
      const LocalHttp http(*bench.server);
      std::vector<std::unique_ptr<HttpConnection>> waiting;
      for (int i = 0; i < kWaiting; ++i) {
        waiting.push_back(std::make_unique<HttpConnection>(http.port()));
        waiting.back()->send(
            post_request(call_line(i, "validate", bench.validate(i)), modern_headers("validate")));
      }
      bench.until_jobs(1 + kWaiting / 2);
      until_threads(threads + kWaiting / 10);
      CHECK(ask(http.port(), R"({"jsonrpc":"2.0","id":1,"method":"ping"})") == Json::object());
      const Json source =
          ask(http.port(), resource_line(2, "kernel://" + bench.kernel + "/source"));
      CHECK(source["contents"][0]["text"].get<std::string>().find("__global__") !=
            std::string::npos);
      const Json compiled =
          ask(http.port(), legacy_call(3, "compile_kernel",
                                       {{"problem", twice_problem()}, {"kernel", other_kernel()}}));
      CHECK(compiled["structuredContent"]["verdict"] == "compiled");
      const Json started =
          ask(http.port(),
              legacy_call(
                  4, "validate",
                  {{"kernel_id", bench.kernel}, {"workloads", {{{"n", 4000}}}}, {"wait_ms", 0}}));
      const Json job = started["structuredContent"]["job_id"];
      const auto job_call = [&](const char* action) {
        return ask(http.port(), legacy_call(5, "job", {{"job_id", job}, {"action", action}}));
      };
      CHECK(job_call("status")["structuredContent"]["status"] == "queued");
      CHECK(job_call("cancel")["structuredContent"]["status"] == "cancelled");
      waiting.clear();      // Calls that leave end the jobs that nobody else asked for.
      bench.until_jobs(1);  // The one that holds the device.
    }
    bench.let_go.set_value();
  }

  TEST_CASE(
      "calls that wait get their answers when the work is done, and when their time is over") {
    HeldBench bench;
    const LocalHttp http(*bench.server);
    HttpConnection first(http.port());
    HttpConnection second(http.port());
    HttpConnection short_one(http.port());
    Json arguments = bench.validate(1000);
    for (HttpConnection* connection : {&first, &second}) {
      connection->send(
          post_request(call_line(1, "validate", arguments), modern_headers("validate")));
    }
    arguments["wait_ms"] = 50;
    short_one.send(post_request(call_line(1, "validate", arguments), modern_headers("validate")));
    const Json unfinished = Json::parse(short_one.receive().body)["result"]["structuredContent"];
    CHECK(unfinished["status"] == "queued");
    bench.let_go.set_value();
    for (HttpConnection* connection : {&first, &second}) {
      const Json done = Json::parse(connection->receive().body)["result"]["structuredContent"];
      CHECK(done["verdict"] == "passed");
    }
    const Json again = ask(http.port(), legacy_call(2, "job", {{"job_id", unfinished["job_id"]}}));
    CHECK(again["structuredContent"]["verdict"] == "passed");
  }

  TEST_CASE("of two sessions that ask the same, one cannot cancel the other's job") {
    HeldBench bench;
    {
      const LocalHttp http(*bench.server);
      const auto begin = [&] {
        HttpConnection connection(http.port());
        connection.send(post_request(
            R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})"));
        return "Mcp-Session-Id: " + connection.receive().headers.at("mcp-session-id") + "\r\n";
      };
      const std::string one = begin();
      const std::string two = begin();
      Json question = bench.validate(0);
      question["wait_ms"] = 0;
      const auto job_of = [&](const std::string& session) -> std::string {
        const Json started = ask(http.port(), legacy_call(1, "validate", question), session);
        return started["structuredContent"]["job_id"];
      };
      const std::string job = job_of(one);
      CHECK(job_of(two) == job);
      const std::string cancel = legacy_call(2, "job", {{"job_id", job}, {"action", "cancel"}});
      for (int i = 0; i < 2; ++i) {  // Once more changes nothing.
        const Json refused = ask(http.port(), cancel, one)["structuredContent"];
        CHECK(refused["status"] == "queued");
        CHECK(refused["summary"] ==
              "the job continues: others asked the same question and want its result");
      }
      bench.let_go.set_value();
      const Json done = ask(http.port(), legacy_call(3, "job", {{"job_id", job}}), two);
      CHECK(done["structuredContent"]["verdict"] == "passed");
    }
  }

  TEST_CASE("300 calls that wait over stdio leave all others their answers") {
    HeldBench bench;
    const int threads = threads_of_this_process();
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
    const auto send = [&](std::string line) {
      line.push_back('\n');
      REQUIRE(::write(to_server.get(), line.data(), line.size()) ==
              static_cast<ssize_t>(line.size()));
    };
    server::LineReader replies(from_server.get(), -1, std::size_t{16} << 20U);
    const auto next = [&] {
      REQUIRE(replies.next() == server::LineReader::Event::kLine);
      return Json::parse(replies.line());
    };
    for (int i = 0; i < kWaiting; ++i) {
      send(call_line(i, "validate", bench.validate(i)));
    }
    bench.until_jobs(1 + kWaiting / 2);
    until_threads(threads + kWaiting / 10);
    send(R"({"jsonrpc":"2.0","id":"ping","method":"ping"})");
    CHECK(next()["id"] == "ping");
    send(resource_line(1000, "kernel://" + bench.kernel + "/source"));
    CHECK(next()["id"] == 1000);
    send(legacy_call(1001, "compile_kernel",
                     {{"problem", twice_problem()}, {"kernel", other_kernel()}}));
    CHECK(next()["result"]["structuredContent"]["verdict"] == "compiled");
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":298}})");
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":299}})");
    bench.until_jobs(kWaiting / 2);  // Both who had asked that question have left.
    to_server.reset();
    serving.join();
    CHECK(idle);
    bench.until_jobs(1);
    bench.let_go.set_value();
  }
}

}  // namespace ws::test
