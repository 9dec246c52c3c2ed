// The numbers of GET /metrics.
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/test_metrics.h"
#include "tests/support/operated.h"
#include "tests/support/test_bench.h"

namespace ws::test {

TEST_SUITE("operate.metrics") {
  TEST_CASE("each number moves for what it counts") {
    OperatedServer operated;
    const auto before = operated.metrics();
    const Json arguments = {{"problem", twice_problem()}, {"kernel", good_kernel()}};
    const Json compiled = operated.call("compile_kernel", arguments)["structuredContent"];
    REQUIRE(compiled["verdict"] == "compiled");
    const auto verdict = [&](const std::string& tool, const Json& asked) {
      return operated.call(tool, asked)["structuredContent"]["verdict"];
    };
    const Json kernel = {{"kernel_id", compiled["kernel_id"]}};
    CHECK(verdict("compile_kernel", kernel) == "compiled");
    CHECK(verdict("validate", {{"kernel_id", compiled["kernel_id"]}, {"level", "quick"}}) ==
          "passed");
    CHECK(operated.call("validate", {{"kernel_id", "krn_nothing"}})["isError"] == true);
    CHECK(ask_server(operated.port(), post_request("{")).status == 400);
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
    OperatedServer operated;
    const LongJob first(*operated.services().jobs);
    REQUIRE(operated.services()
                .jobs
                ->submit("cpu:0", "validate", "",
                         [](CallContext&) { return Result<std::string>("{}"); })
                .has_value());
    ask_server(operated.port(),
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

}  // namespace ws::test
