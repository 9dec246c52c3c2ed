// `serve` from its start to its end, as a service manager and an operator handle it.
#include <csignal>
#include <filesystem>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/base/test_metrics.h"
#include "tests/support/child.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

using std::chrono::seconds;

/// The lines of a file of JSON, without their times.
std::vector<Json> lines_of(const std::filesystem::path& path) {
  std::vector<Json> lines;
  const std::string text = read_file(path).value_or("");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    lines.push_back(Json::parse(text.substr(at, end - at), nullptr, false));
    REQUIRE(lines.back().is_object());
    CHECK(lines.back().erase("time") == 1);
    at = end + 1;
  }
  return lines;
}

std::vector<std::string> serving(const TestFolder& folder, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"serve", "--no-gpu", "--data",
                                        (folder.path() / "data").string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

int port_of(Child& server) {
  const std::string line = server.error_line().value_or(":0");
  const std::size_t mcp = line.find("/mcp");
  return std::stoi(line.substr(line.rfind(':', mcp) + 1));
}

/// A call that lasts until its job is told to stop: a benchmark of a minute.
std::string long_call(const std::string& kernel) {
  return call_line(9, "benchmark",
                   {{"kernel_id", kernel},
                    {"baseline", "reference"},
                    {"time_budget_ms", 60000},
                    {"wait_ms", 600000}},
                   "p");
}

/// The stored kernel of a stdio server.
std::string compiled(Child& server) {
  REQUIRE(server.write(
      call_line(1, "compile_kernel", {{"problem", twice_problem()}, {"kernel", good_kernel()}}) +
      "\n"));
  const std::optional<std::string> line = server.line();
  REQUIRE(line.has_value());
  return Json::parse(*line)["result"]["structuredContent"]["kernel_id"];
}

/// The next answer to a request; what the server tells before it is skipped.
Json answer(Child& server) {
  for (;;) {
    const std::optional<std::string> line = server.line();
    REQUIRE(line.has_value());
    Json message = Json::parse(*line);
    if (message.contains("id")) {
      return message;
    }
  }
}

/// Begins the long call, and waits until its job reports progress.
void begin_long_call(Child& server, const std::string& kernel) {
  REQUIRE(server.write(long_call(kernel) + "\n"));
  for (;;) {
    const std::optional<std::string> line = server.line();
    REQUIRE(line.has_value());
    if (line->find("notifications/progress") != std::string::npos) {
      return;
    }
  }
}

}  // namespace

TEST_SUITE("serve.life") {
  TEST_CASE("calls and what they store are in the audit log, which SIGHUP opens again") {
    const TestFolder folder;
    const std::filesystem::path audit = folder.path() / "audit.jsonl";
    Child server("warpsmith", serving(folder, {"--http", "127.0.0.1:0", "--audit", audit.string(),
                                               "--log-format", "json"}));
    HttpConnection connection(port_of(server));
    const auto call = [&](const std::string& tool, const Json& arguments, const std::string& id) {
      connection.send(post_request(call_line(1, tool, arguments),
                                   modern_headers(tool) + "X-Request-Id: " + id + "\r\n"));
      return Json::parse(connection.receive().body)["result"];
    };
    const Json made =
        call("compile_kernel", {{"problem", twice_problem()}, {"kernel", good_kernel()}}, "req-1");
    const std::string kernel = made["structuredContent"]["kernel_id"];
    const std::string problem = made["structuredContent"]["problem_id"];
    call("validate", {{"kernel_id", "krn_0"}}, "req-2");
    const std::filesystem::path old = folder.path() / "audit.old";
    std::filesystem::rename(audit, old);
    server.signal(SIGHUP);
    std::string log;
    while (log.find("the logs were opened again") == std::string::npos) {
      const std::optional<std::string> line = server.error_line();
      REQUIRE(line.has_value());
      log = *line;
      const Json form = Json::parse(log, nullptr, false);
      REQUIRE(form.is_object());
      if (form.value("name", "") == "validate") {
        CHECK(form["request_id"] == "req-2");
        CHECK(form["module"] == "request");
        CHECK(form["status"] != "ok");
      }
    }
    call("list_devices", Json::object(), "req-3");
    server.signal(SIGTERM);
    CHECK(server.wait(seconds(20)) == 0);

    const std::vector<Json> lines = lines_of(old);
    std::set<std::string> stored;
    Json calls = Json::array();
    for (const Json& line : lines) {
      if (line["event"] == "stored") {
        CHECK(line["request_id"] == "req-1");
        stored.insert(
            line["kind"].get<std::string>() + " " +
            (line["kind"] == "evidence" ? line["kernel_id"] : line["id"]).get<std::string>());
      } else {
        calls.push_back(line);
      }
    }
    CHECK(stored ==
          std::set<std::string>{"evidence " + kernel, "kernel " + kernel, "problem " + problem});
    REQUIRE(calls.size() == 2);
    CHECK(calls[0]["event"] == "call");
    CHECK(calls[0]["address"] == "127.0.0.1");
    CHECK(calls[0]["tool"] == "compile_kernel");
    CHECK(calls[0]["outcome"] == "ok");
    CHECK(calls[0]["answered"].dump().find(kernel) != std::string::npos);
    CHECK(calls[1]["tool"] == "validate");
    CHECK(calls[1]["asked"] == Json::array({"krn_0"}));
    CHECK(calls[1]["answered"] == Json::array());
    CHECK(calls[1]["outcome"] != "ok");
    const std::vector<Json> after = lines_of(audit);
    REQUIRE(after.size() == 1);
    CHECK(after[0]["tool"] == "list_devices");
    struct stat status = {};
    REQUIRE(::stat(audit.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }

  TEST_CASE("SIGTERM refuses new calls while one runs, and a second SIGTERM ends it at once") {
    const TestFolder folder;
    Child server("warpsmith", serving(folder, {"--stdio", "--drain", "3600"}));
    begin_long_call(server, compiled(server));
    server.signal(SIGTERM);
    for (std::string log; log.find("stopping: no new requests are taken; what is begun has 3600000 "
                                   "ms to end") == std::string::npos;) {
      const std::optional<std::string> line = server.error_line();
      REQUIRE(line.has_value());
      log = *line;
    }
    REQUIRE(server.write(call_line(10, "list_devices", Json::object()) + "\n"));
    const Json refused = answer(server);
    CHECK(refused["id"] == 10);
    CHECK(refused["error"]["message"] ==
          "busy: the server is stopping and takes no new requests; send it again to the next one");
    server.signal(SIGTERM);
    const Json ended = answer(server);
    CHECK(ended["id"] == 9);
    CHECK(server.wait(seconds(20)) == 0);
  }

  TEST_CASE("SIGTERM lets a call that runs end, and the server ends after it") {
    const TestFolder folder;
    Child server("warpsmith", serving(folder, {"--stdio", "--drain", "3600"}));
    const std::string kernel = compiled(server);
    REQUIRE(server.write(call_line(2, "validate", {{"kernel_id", kernel}, {"level", "quick"}}) +
                         "\n" + call_line(3, "list_devices", Json::object()) + "\n"));
    const Json first = answer(server);  // Both have been read.
    server.signal(SIGTERM);
    const Json second = answer(server);
    const Json& validated = first["id"] == 2 ? first : second;
    CHECK(validated["result"]["structuredContent"]["verdict"] == "passed");
    CHECK(server.wait(seconds(20)) == 0);
  }

  TEST_CASE("without time to drain, SIGTERM ends what runs, and its job goes on with the next") {
    const TestFolder folder;
    Child server("warpsmith", serving(folder, {"--stdio", "--drain", "0"}));
    begin_long_call(server, compiled(server));
    server.signal(SIGTERM);
    CHECK(answer(server)["id"] == 9);
    CHECK(server.wait(seconds(20)) == 0);
  }

  TEST_CASE("pages for operators need the token, but for those of monitoring, and logins count") {
    const TestFolder folder;
    const std::filesystem::path token = folder.path() / "token";
    REQUIRE(write_file(token, "0123456789abcdef").has_value());
    std::filesystem::permissions(token, std::filesystem::perms(0600));
    const std::string shown = "Authorization: Bearer 0123456789abcdef\r\n";
    for (const bool open : {false, true}) {
      CAPTURE(open);
      std::vector<std::string> arguments =
          serving(folder, {"--http", "127.0.0.1:0", "--token-file", token.string()});
      if (open) {
        arguments.emplace_back("--metrics-open");
      }
      Child server("warpsmith", arguments);
      const int port = port_of(server);
      const auto get = [port](const std::string& path, const std::string& headers) {
        HttpConnection connection(port);
        connection.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
        return connection.receive();
      };
      CHECK(get("/ready", "").status == 200);
      CHECK(get("/admin", "").status == 401);
      CHECK(get("/admin", shown).status == 405);
      CHECK(get("/metrics", "").status == (open ? 200 : 401));
      const HttpResponse metrics = get("/metrics", shown);
      CHECK(metrics.status == 200);
      const auto values = read_metrics(metrics.body);
      CHECK(metric_in(values, "warpsmith_rejected_logins_total") == (open ? 1 : 2));
      CHECK(metric_in(values, R"(warpsmith_http_refusals_total{status="401"})") == (open ? 1 : 2));
      CHECK(metric_in(values, R"(warpsmith_http_refusals_total{status="405"})") == 1);
      server.signal(SIGTERM);
      CHECK(server.wait(seconds(20)) == 0);
    }
  }

  TEST_CASE("options for operators that make no sense are refused") {
    const TestFolder folder;
    Child format("warpsmith", serving(folder, {"--stdio", "--log-format", "xml"}));
    CHECK(format.wait(seconds(10)) == 2);
    CHECK(format.errors().starts_with("--log-format: "));
    Child drain("warpsmith", serving(folder, {"--stdio", "--drain", "-1"}));
    CHECK(drain.wait(seconds(10)) == 2);
    Child audit("warpsmith", serving(folder, {"--stdio", "--audit", "/no/such/folder/audit"}));
    CHECK(audit.wait(seconds(10)) == 1);
    CHECK(audit.errors().find(
              "error server: io: cannot write the audit log /no/such/folder/audit (open: No such "
              "file or directory)") != std::string::npos);
  }
}

}  // namespace ws::test
