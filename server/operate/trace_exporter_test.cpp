#include "server/operate/trace_exporter.h"

#include <atomic>
#include <future>

#include <doctest/doctest.h>

#include "runtime/base/metrics.h"
#include "runtime/base/request_id.h"

namespace ws::server {
namespace {

Span example() {
  return {.name = "job validate",
          .server = false,
          .trace = "0af7651916cd43dd8448eb211c80319c",
          .id = "b7ad6b7169203331",
          .parent = "00f067aa0ba902b7",
          .began_ns = 1'700'000'000'000'000'001,
          .ended_ns = 1'700'000'000'000'000'002,
          .attributes = {{"lane", "cpu:0"}},
          .error = "it was cancelled"};
}

}  // namespace

TEST_SUITE("operate.traces") {
  TEST_CASE("spans have the form of OTLP in JSON") {
    CHECK(
        otlp_body({example()}, "1.2.3") ==
        R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"warpsmith"}},)"
        R"({"key":"service.version","value":{"stringValue":"1.2.3"}}]},"scopeSpans":[{"scope":{"name":"warpsmith"},)"
        R"("spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",)"
        R"("parentSpanId":"00f067aa0ba902b7","name":"job validate","kind":1,)"
        R"("startTimeUnixNano":"1700000000000000001","endTimeUnixNano":"1700000000000000002",)"
        R"("attributes":[{"key":"lane","value":{"stringValue":"cpu:0"}}],)"
        R"("status":{"code":2,"message":"it was cancelled"}}]}]}]})");
  }

  TEST_CASE("what waits when the exporter ends is sent in one body") {
    std::vector<std::string> bodies;
    {
      const TraceExporter exporter(
          [&bodies](const std::string& body) -> Status {
            bodies.push_back(body);
            return {};
          },
          "1");
      const RequestScope scope("r1");
      for (int i = 0; i < 3; ++i) {
        const TraceSpan span("part");
      }
    }
    std::size_t parts = 0;
    for (const std::string& body : bodies) {
      for (std::size_t at = 0; (at = body.find(R"("name":"part")", at)) != std::string::npos;
           ++at) {
        ++parts;
      }
    }
    CHECK(parts == 3);
    const RequestScope scope("r1");
    {
      const TraceSpan late("part");
    }  // Nobody takes it.
    CHECK(bodies.size() <= 3);
  }

  TEST_CASE(
      "a collector that is slow or fails loses spans, which are counted, and holds up nothing") {
    const std::int64_t before = metric_cell(Metric::kSpansLost).value();
    std::promise<void> asked;
    std::promise<void> go;
    std::atomic<int> bodies = 0;
    {
      const TraceExporter exporter(
          [&](const std::string&) -> Status {
            if (bodies++ == 0) {
              asked.set_value();
              go.get_future().wait();
            }
            return fail(ErrorCode::kIo, "no answer");
          },
          "1");
      const RequestScope scope("r1");
      {
        const TraceSpan first("first");
      }
      asked.get_future().wait();
      for (std::size_t i = 0; i < TraceExporter::kMostWaiting + 10; ++i) {
        const TraceSpan span("part");
      }
      CHECK(metric_cell(Metric::kSpansLost).value() == before + 10);
      go.set_value();
    }
    CHECK(metric_cell(Metric::kSpansLost).value() ==
          before + 11 + static_cast<std::int64_t>(TraceExporter::kMostWaiting));
  }
}

}  // namespace ws::server
