// A server as those who operate it see it: its pages, its numbers, and the commands that ask it.
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/clock.h"
#include "runtime/base/test_metrics.h"
#include "server/cli/admin_client.h"
#include "server/cli/operate_text.h"
#include "server/operate/operation.h"
#include "server/operate/work_rows.h"
#include "tests/support/child.h"
#include "tests/support/local_http.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

using std::chrono::seconds;

HttpResponse ask(int port, const std::string& request) {
  HttpConnection connection(port);
  connection.send(request);
  return connection.receive();
}

HttpResponse get(int port, const std::string& path, const std::string& headers = "") {
  return ask(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
}

HttpResponse order(int port, const Json& order) {
  const std::string body = order.dump();
  return ask(port,
             "POST /admin HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Content-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n" + body);
}

/// The product's tools on the CPU engine behind a port, with all pages for operators.
struct Operated {
  ToolBench bench;
  server::McpServer server{bench.registry(), options()};
  std::unique_ptr<server::Operation> operation = opened();
  LocalHttp http{server, {}, operation->pages()};

  static server::McpServer::Options options() {
    server::McpServer::Options options;
    options.talks = true;
    return options;
  }

  std::unique_ptr<server::Operation> opened() {
    auto operation = server::Operation::open(bench.services(), server, "1.2.3");
    REQUIRE(operation.has_value());
    return *std::move(operation);
  }

  [[nodiscard]] std::map<std::string, double> metrics() const {
    const HttpResponse response = get(http.port(), "/metrics");
    REQUIRE(response.status == 200);
    CHECK(response.headers.at("content-type") == "text/plain; version=0.0.4; charset=utf-8");
    return read_metrics(response.body);
  }

  Json call(const std::string& tool, const Json& arguments) {
    const HttpResponse response =
        ask(http.port(), post_request(call_line(1, tool, arguments), modern_headers(tool)));
    const Json reply = Json::parse(response.body);
    REQUIRE(reply.contains("result"));
    return reply["result"];
  }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(http.port()) + "/mcp";
  }
};

/// A job that runs until it is told to stop, or its test ends.
class LongJob {
 public:
  explicit LongJob(JobQueue& queue)
      : queue_(queue) {
    const auto submitted =
        queue.submit({.lanes = {"cpu:0"}, .tool = "validate", .caller = {.client = "10.0.0.7 ann"}},
                     [this](CallContext& context) { return run(context); });
    REQUIRE(submitted.has_value());
    id = *submitted;
    started_.get_future().wait();
  }

  LongJob(const LongJob&) = delete;
  LongJob& operator=(const LongJob&) = delete;

  ~LongJob() {
    end_.set_value();
    CHECK(queue_.wait(id, seconds(10), {}).has_value());
  }

  std::string id;

 private:
  Result<std::string> run(const CallContext& context) {
    context.report(0.25, "run 1 of 4");
    started_.set_value();
    while (ended_.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
      if (context.stop.stop_requested()) {
        return fail(ErrorCode::kCancelled, "stopped");
      }
    }
    return std::string("{}");
  }

  JobQueue& queue_;
  std::promise<void> started_;
  std::promise<void> end_;
  const std::shared_future<void> ended_ = end_.get_future().share();
};

struct Printed {
  int status = -1;
  std::string out;
  std::string err;
};

Printed run(const std::vector<std::string>& arguments) {
  Child child("warpsmith", arguments);
  child.close_input();
  Printed printed;
  printed.out = child.rest();
  printed.err = child.errors();
  printed.status = child.wait(seconds(10)).value_or(-1);
  return printed;
}

}  // namespace

TEST_SUITE("operate.metrics") {
  TEST_CASE("each number moves for what it counts") {
    Operated operated;
    const auto before = operated.metrics();
    const Json arguments = {{"problem", twice_problem()}, {"kernel", good_kernel()}};
    const Json compiled = operated.call("compile_kernel", arguments)["structuredContent"];
    REQUIRE(compiled["verdict"] == "compiled");
    operated.call("compile_kernel", {{"kernel_id", compiled["kernel_id"]}});
    operated.call("validate", {{"kernel_id", compiled["kernel_id"]}, {"level", "quick"}});
    operated.call("validate", {{"kernel_id", "krn_nothing"}});
    CHECK(ask(operated.http.port(), post_request("{")).status == 400);
    const auto after = operated.metrics();
    const auto moved = [&](const std::string& series) {
      return metric_in(after, series) - metric_in(before, series);
    };
    CHECK(moved(R"(warpsmith_tool_calls_total{tool="compile_kernel",outcome="ok"})") == 2);
    CHECK(moved(R"(warpsmith_tool_calls_total{tool="validate",outcome="ok"})") == 1);
    CHECK(moved(R"(warpsmith_tool_calls_total{tool="validate",outcome="invalid_argument"})") +
              moved(R"(warpsmith_tool_calls_total{tool="validate",outcome="not_found"})") ==
          1);
    CHECK(moved(R"(warpsmith_requests_total{method="tools/call",outcome="ok"})") == 3);
    CHECK(moved(R"(warpsmith_requests_total{method="unknown",outcome="protocol"})") == 1);
    CHECK(moved(R"(warpsmith_tool_call_duration_seconds_count{tool="validate"})") == 2);
    CHECK(moved(R"(warpsmith_tool_call_duration_seconds_sum{tool="validate"})") > 0);
    CHECK(moved(R"(warpsmith_jobs_ended_total{lane="cpu:0",state="done"})") >= 1);
    CHECK(moved(R"(warpsmith_job_queue_wait_seconds_count{lane="cpu:0"})") >= 1);
    CHECK(moved(R"(warpsmith_device_busy_seconds_total{device="cpu:0"})") > 0);
    CHECK(moved("warpsmith_compile_cache_misses_total") >= 1);
    CHECK(moved(R"(warpsmith_evidence_total{kind="compile",verdict="compiled"})") >= 1);
    CHECK(moved(R"(warpsmith_evidence_total{kind="validate",verdict="passed"})") == 1);
    CHECK(moved(R"(warpsmith_archive_rows{table="kernels"})") >= 1);
    CHECK(moved(R"(warpsmith_archive_rows{table="evidence"})") >= 2);
    CHECK(moved(R"(warpsmith_workers_started_total{role="run"})") >= 1);
    CHECK(moved("warpsmith_http_connections_total") == 6);
    CHECK(metric_in(after, R"(warpsmith_archive_bytes{file="database"})") +
              metric_in(after, R"(warpsmith_archive_bytes{file="log"})") >
          4096);
    CHECK(metric_in(after, R"(warpsmith_build_info{version="1.2.3"})") == 1);
    CHECK(metric_in(after, "warpsmith_open_calls") == 0);
    CHECK(metric_in(after, "process_resident_memory_bytes") > 1e6);
    CHECK(metric_in(after, "process_open_fds") > 3);
    CHECK(metric_in(after, "process_start_time_seconds") > 1.7e9);
  }

  TEST_CASE("jobs that wait and run are counted by lane, sessions and calls as they come and go") {
    Operated operated;
    const LongJob first(*operated.bench.services().jobs);
    REQUIRE(operated.bench.services()
                .jobs
                ->submit("cpu:0", "validate", "",
                         [](CallContext&) { return Result<std::string>("{}"); })
                .has_value());
    ask(operated.http.port(),
        post_request(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
                     R"("protocolVersion":"2025-11-25","capabilities":{},)"
                     R"("clientInfo":{"name":"ann","version":"1"}}})"));
    const auto values = operated.metrics();
    CHECK(metric_in(values, R"(warpsmith_jobs{lane="cpu:0",state="running"})") == 1);
    CHECK(metric_in(values, R"(warpsmith_jobs{lane="cpu:0",state="queued"})") == 1);
    CHECK(metric_in(values, R"(warpsmith_jobs{lane="compile",state="queued"})") == 0);
    CHECK(metric_in(values, "warpsmith_sessions") == 1);
  }
}

TEST_SUITE("operate.pages") {
  TEST_CASE("a server is ready until it drains, and says which it is") {
    Operated operated;
    const HttpResponse ready = get(operated.http.port(), "/ready");
    CHECK(ready.status == 200);
    CHECK(ready.body == R"({"status":"ready"})");
    operated.server.drain();
    const HttpResponse draining = get(operated.http.port(), "/ready");
    CHECK(draining.status == 503);
    CHECK(draining.headers.at("retry-after") == "5");
    CHECK(draining.body == R"({"reason":"the server is stopping","status":"not ready"})");
    CHECK(get(operated.http.port(), "/health").status == 200);
    const HttpResponse refused =
        ask(operated.http.port(), post_request(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"));
    CHECK(refused.status == 503);
    CHECK(refused.headers.at("retry-after") == "5");
    CHECK(Json::parse(refused.body)["error"]["message"] ==
          "busy: the server is stopping and takes no new requests; send it again to the next one");
    CHECK(metric_in(operated.metrics(), "warpsmith_draining") == 1);
  }

  TEST_CASE("a server that cannot write its archive is not ready, and is again when it can") {
    Operated operated;
    auto archive =
        Connection::open((operated.bench.folder() / "archive.db").string(), /*read_only=*/false);
    REQUIRE(archive.has_value());
    REQUIRE(archive->execute("ALTER TABLE settings RENAME TO gone").has_value());
    const HttpResponse unready = get(operated.http.port(), "/ready");
    CHECK(unready.status == 503);
    CHECK(unready.body ==
          R"({"reason":"the archive cannot be written; the log says why","status":"not ready"})");
    REQUIRE(archive->execute("ALTER TABLE gone RENAME TO settings").has_value());
    int status = 0;
    for (int i = 0; i < 500 && status != 200; ++i) {  // It looks once a second.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      status = get(operated.http.port(), "/ready").status;
    }
    CHECK(status == 200);
  }

  TEST_CASE("pages are refused as other requests are, and there are none without an operator") {
    Operated operated;
    const int port = operated.http.port();
    const std::string evil = "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    CHECK(ask(port, evil).status == 403);
    const HttpResponse posted = ask(port, "POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(posted.status == 405);
    CHECK(posted.headers.at("allow") == "GET");
    CHECK(Json::parse(posted.body)["error"]["message"] == "only GET is allowed here");
    const HttpResponse got = get(port, "/admin");
    CHECK(got.status == 405);
    CHECK(Json::parse(got.body)["error"]["message"] ==
          "only POST is allowed here: an order as a JSON object");
    const TestBench bench;
    const LocalHttp bare(bench.server());
    for (const char* path : {"/metrics", "/ready", "/admin"}) {
      CHECK(get(bare.port(), path).status == 404);
    }
  }

  TEST_CASE("orders that make no sense are refused in words") {
    Operated operated;
    const int port = operated.http.port();
    const Json none = Json::parse(order(port, Json::array()).body);
    CHECK(none["error"] ==
          R"(invalid_argument: the body must be a JSON object; such as {"action": "status"})");
    const HttpResponse dance = order(port, {{"action", "dance"}});
    CHECK(dance.status == 400);
    CHECK(Json::parse(dance.body)["error"] ==
          R"(invalid_argument: no such order; use {"action": "status"} or )"
          R"({"action": "cancel", "job_id": "job_..."})");
    const HttpResponse missing = order(port, {{"action", "cancel"}, {"job_id", "job_0"}});
    CHECK(missing.status == 404);
    CHECK(Json::parse(missing.body)["error"] ==
          "not_found: no job `job_0`; job ids come from a result with status running; ended jobs "
          "are kept for 24 h");
  }

  TEST_CASE("each answer names its request") {
    Operated operated;
    const int port = operated.http.port();
    const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    CHECK(ask(port, post_request(ping, "X-Request-Id: mine-1\r\n")).headers.at("x-request-id") ==
          "mine-1");
    CHECK(ask(port, post_request(ping)).headers.at("x-request-id").size() == 16);
    CHECK(get(port, "/nothing", "X-Request-Id: mine-2\r\n").headers.at("x-request-id") == "mine-2");
    CHECK(get(port, "/health", "X-Request-Id: mine-3\r\n").headers.at("x-request-id") == "mine-3");
    CHECK(get(port, "/ready", "X-Request-Id: mine-4\r\n").headers.at("x-request-id") == "mine-4");
    CHECK(ask(port, "nonsense\r\n\r\n").headers.at("x-request-id").size() == 16);
  }
}

TEST_SUITE("operate.commands") {
  TEST_CASE("jobs lists the jobs of a server, follows and ends them") {
    Operated operated;
    const LongJob job(*operated.bench.services().jobs);
    const Json listed =
        Json::parse(run({"jobs", "--server", operated.url(), "--json"}).out)["jobs"];
    REQUIRE(listed.size() == 1);
    CHECK(listed[0]["job_id"] == job.id);
    CHECK(listed[0]["tool"] == "validate");
    CHECK(listed[0]["state"] == "running");
    CHECK(listed[0]["lane"] == "cpu:0");
    CHECK(listed[0]["client"] == "10.0.0.7 ann");
    CHECK(listed[0]["message"] == "run 1 of 4");
    const Printed table = run({"jobs", "--server", operated.url()});
    CHECK(table.status == 0);
    CHECK(table.out.find("\n" + job.id + " ") != std::string::npos);
    CHECK(table.out.find(" validate ") != std::string::npos);
    CHECK(table.out.find("25 % run 1 of 4\n") != std::string::npos);
    Child following("warpsmith", {"jobs", "--server", operated.url(), "--follow"});
    CHECK(following.line().value_or("").starts_with(job.id));
    const Printed ended = run({"jobs", "--server", operated.url(), "--cancel", job.id});
    CHECK(ended.status == 0);
    CHECK(ended.out.starts_with(job.id + " is told to stop: "));
    const std::string last = following.line().value_or("");
    CHECK(last.starts_with(job.id));
    CHECK(operated.bench.services().jobs->wait(job.id, seconds(10), {})->state ==
          JobState::kCancelled);
    const Printed unknown = run({"jobs", "--server", operated.url(), "--cancel", "job_0"});
    CHECK(unknown.status == 1);
    CHECK(unknown.err == "invalid_argument: " + operated.url() +
                             " refused with status 404: not_found: no job `job_0`; job ids come "
                             "from a result with status running; ended jobs are kept for 24 h\n");
  }

  TEST_CASE("the page shows the work of a server, and nobody's name") {
    Operated operated;
    const LongJob job(*operated.bench.services().jobs);
    const Json work = server::public_work(*operated.bench.services().jobs);
    REQUIRE(work["jobs"].size() == 1);
    CHECK(work["jobs"][0]["job_id"] == job.id);
    CHECK(work["jobs"][0]["progress"] == 0.25);
    CHECK(work["jobs"][0]["lane"] == "cpu:0");
    CHECK(work.dump().find("10.0.0.7") == std::string::npos);
    CHECK_FALSE(work["jobs"][0].contains("request_id"));
    CHECK(server::device_rows(operated.bench.services().devices)[0]["emulated"] == true);
  }

  TEST_CASE("sessions and top show a server's clients and load") {
    Operated operated;
    const LongJob job(*operated.bench.services().jobs);
    CHECK(run({"sessions", "--server", operated.url()}).out ==
          "no sessions: clients of 2026-07-28 have none\n");
    const std::string session =
        ask(operated.http.port(),
            post_request(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
                         R"("protocolVersion":"2025-11-25","capabilities":{},)"
                         R"("clientInfo":{"name":"ann","version":"1"}}})"))
            .headers.at("mcp-session-id");
    const Json sessions =
        Json::parse(run({"sessions", "--server", operated.url(), "--json"}).out)["sessions"];
    REQUIRE(sessions.size() == 1);
    CHECK(sessions[0]["session"] == session.substr(0, 8));
    CHECK(sessions[0]["client"] == "127.0.0.1 ann");
    const Printed table = run({"sessions", "--server", operated.url()});
    CHECK(table.out.find(session.substr(0, 8)) != std::string::npos);
    CHECK(table.out.ends_with(" 127.0.0.1 ann\n"));
    const Printed top = run({"top", "--server", operated.url()});
    CHECK(top.status == 0);
    CHECK(top.out.starts_with("warpsmith 1.2.3, pid "));
    CHECK(top.out.find(" connections, 0 open calls, 1 sessions\n") != std::string::npos);
    CHECK(top.out.find(job.id) != std::string::npos);
    const Json status = Json::parse(run({"top", "--server", operated.url(), "--json"}).out);
    CHECK(status["version"] == "1.2.3");
    CHECK(status["draining"] == false);
    CHECK(status["lanes"].size() == 4);
  }

  TEST_CASE("without a server, jobs shows what the data folder remembers") {
    const TestFolder folder;
    server::OperateOptions options;
    options.data_dir = folder.path();
    CHECK(server::stored_jobs(options)->at("jobs").empty());
    {
      auto archive = Archive::open(folder.path());
      REQUIRE(archive.has_value());
      REQUIRE((*archive)
                  ->put_job({.id = "job_a",
                             .tool = "tune",
                             .status = "running",
                             .json = "{}",
                             .created_at = {},
                             .updated_ms = unix_ms()})
                  .has_value());
    }
    const auto stored = server::stored_jobs(options);
    REQUIRE(stored.has_value());
    const std::string text = server::jobs_text(*stored);
    CHECK(text.find("job_a") != std::string::npos);
    CHECK(text.find(" tune ") != std::string::npos);
    CHECK(text.find(" running ") != std::string::npos);
  }

  TEST_CASE("a server that does not answer is an error that says how to start one") {
    const std::string nobody = "http://127.0.0.1:1/mcp";
    for (const char* command : {"jobs", "top", "sessions"}) {
      const Printed refused = run({command, "--server", nobody});
      CHECK(refused.status == 1);
      CHECK(refused.err ==
            "io: no answer from http://127.0.0.1:1/admin (Connection); start it with: warpsmith "
            "serve --http HOST:PORT\n");
    }
    const Printed bad = run({"jobs", "--server", "nowhere"});
    CHECK(bad.status == 1);
    CHECK(bad.err ==
          "invalid_argument: \"nowhere\" is not a server's URL; such as "
          "http://127.0.0.1:7411/mcp, https://HOST:7411/mcp or unix:PATH\n");
  }

  TEST_CASE("metrics lists them all") {
    const Printed printed = run({"metrics"});
    CHECK(printed.status == 0);
    CHECK(printed.out == metrics_table());
  }
}

}  // namespace ws::test
