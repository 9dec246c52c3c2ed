#include "runtime/base/trace.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

/// Takes spans for as long as it lives.
struct Taken {
  Taken() {
    set_span_taker([this](Span span) { spans.push_back(std::move(span)); });
  }

  ~Taken() { set_span_taker({}); }

  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  std::vector<Span> spans;
};

constexpr const char* kTrace = "0af7651916cd43dd8448eb211c80319c";

}  // namespace

TEST_SUITE("base.trace") {
  TEST_CASE("a request's work is a tree of spans in the request's trace") {
    const Taken taken;
    const auto began = std::chrono::steady_clock::now();
    const std::string own = drawn_span();
    CHECK(own.size() == kSpanDigits);
    {
      const RequestScope scope(kTrace, own);
      TraceSpan job("job validate");
      job.note("lane", "cpu:0");
      TraceSpan compile("compile");
      compile.fail("no compiler");
    }
    add_request_span({.name = "tools/call validate",
                      .trace = trace_of_request(kTrace),
                      .id = own,
                      .parent = "00f067aa0ba902b7",
                      .attributes = {{"client", "ann"}},
                      .error = {}},
                     began);
    REQUIRE(taken.spans.size() == 3);
    const Span& compile = taken.spans[0];
    const Span& job = taken.spans[1];
    const Span& request = taken.spans[2];
    CHECK(request.name == "tools/call validate");
    CHECK(request.server);
    CHECK(request.trace == kTrace);
    CHECK(job.name == "job validate");
    CHECK_FALSE(job.server);
    CHECK(job.parent == own);
    CHECK(job.trace == kTrace);
    CHECK(job.attributes == std::vector<std::pair<std::string, std::string>>{{"lane", "cpu:0"}});
    CHECK(job.error.empty());
    CHECK(compile.parent == job.id);
    CHECK(compile.error == "no compiler");
    for (const Span& span : taken.spans) {
      CHECK(span.began_ns > 0);
      CHECK(span.began_ns <= span.ended_ns);
    }
  }

  TEST_CASE("an id of another form stands for one trace, and only for one") {
    CHECK(trace_of_request("mine").size() == 32);
    CHECK(trace_of_request("mine") == trace_of_request("mine"));
    CHECK(trace_of_request("mine") != trace_of_request("yours"));
    // Upper case is no trace's.
    const std::string upper = "0AF7651916CD43DD8448EB211C80319C";
    CHECK(trace_of_request(upper) != upper);
  }

  TEST_CASE("without a request, or a taker, there is no span") {
    {
      const RequestScope scope("r1");
      const TraceSpan nobody("lost");
      CHECK(drawn_span().empty());
      CHECK(current_span().empty());
    }
    const Taken taken;
    const TraceSpan nothing("no request");
    CHECK(taken.spans.empty());
  }

  TEST_CASE("after a span the thread's next one is not a part of it") {
    const Taken taken;
    const RequestScope scope("r1");
    {
      const TraceSpan first("first");
    }
    {
      const TraceSpan second("second");
    }
    REQUIRE(taken.spans.size() == 2);
    CHECK(taken.spans[0].parent == taken.spans[1].parent);
    CHECK(taken.spans[0].id != taken.spans[1].id);
  }
}

}  // namespace ws
