#include "runtime/base/metrics.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "runtime/base/test_metrics.h"

namespace ws {

TEST_SUITE("base.metrics") {
  TEST_CASE("the list keeps to the conventions of Prometheus") {
    std::set<std::string_view> names;
    for (const MetricSpec& spec : metric_specs()) {
      CAPTURE(spec.name);
      CHECK(names.insert(spec.name).second);
      CHECK((spec.name.starts_with("warpsmith_") || spec.name.starts_with("process_")));
      CHECK(spec.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos);
      CHECK(spec.name.ends_with("_total") == (spec.kind == MetricKind::kCounter));
      CHECK((spec.kind != MetricKind::kHistogram || spec.name.ends_with("_seconds")));
      CHECK(spec.help.find_first_of("\n|") == std::string_view::npos);
      CHECK(spec.labels.find("le,") == std::string_view::npos);
    }
  }

  TEST_CASE("the text has what was counted and what was looked up, well-formed") {
    metric_cell(Metric::kWorkers, {"a \"quoted\\\n role"}).set(3);
    metric_cell(Metric::kAuditLost).add(2);
    const auto values = read_metrics(
        metrics_text({{Metric::kJobs, {"cpu:0", "queued"}, 4}, {Metric::kProcessCpu, {}, 0.25}}));
    CHECK(metric_in(values, R"(warpsmith_workers{role="a \"quoted\\\n role"})") == 3);
    CHECK(metric_in(values, "warpsmith_audit_lines_lost_total") >= 2);
    CHECK(metric_in(values, R"(warpsmith_jobs{lane="cpu:0",state="queued"})") == 4);
    CHECK(metric_in(values, "process_cpu_seconds_total") == 0.25);
    REQUIRE_FALSE(counted(Metric::kWorkers).empty());
    metric_cell(Metric::kWorkers, {"a \"quoted\\\n role"}).set(0);
  }

  TEST_CASE("a histogram counts each time once, up to its bound, and adds them up") {
    MetricHistogram& histogram = metric_histogram(Metric::kJobWait, {"a test's lane"});
    for (const double seconds : {0.0005, 0.001, 0.002, 4.0, 400.0, -1.0}) {
      histogram.observe(std::chrono::duration<double>(seconds));
    }
    const auto values = read_metrics(metrics_text({}));
    const auto bucket = [&](const std::string& bound) {
      return metric_in(
          values,
          R"(warpsmith_job_queue_wait_seconds_bucket{lane="a test's lane",le=")" + bound + "\"}");
    };
    CHECK(bucket("0.001") == 3);
    CHECK(bucket("0.005") == 4);
    CHECK(bucket("1") == 4);
    CHECK(bucket("5") == 5);
    CHECK(bucket("300") == 5);
    CHECK(bucket("+Inf") == 6);
    CHECK(metric_in(values, R"(warpsmith_job_queue_wait_seconds_count{lane="a test's lane"})") ==
          6);
    CHECK(metric_in(values, R"(warpsmith_job_queue_wait_seconds_sum{lane="a test's lane"})") ==
          doctest::Approx(404.0035));
  }

  TEST_CASE("the table for the documents has a row for each metric") {
    const std::string table = metrics_table();
    CHECK(std::count(table.begin(), table.end(), '\n') ==
          static_cast<std::ptrdiff_t>(metric_specs().size() + 2));
    CHECK(table.find("| `warpsmith_jobs` | gauge | lane,state | Jobs that wait or run |\n") !=
          std::string::npos);
  }
}

}  // namespace ws
