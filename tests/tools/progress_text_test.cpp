// The progress that the work of validate and benchmark reports: in words, and as a share.
#include <algorithm>
#include <regex>

#include <doctest/doctest.h>

#include "runtime/evaluate/measure/measurement.h"
#include "runtime/evaluate/validate/validation.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// All reports of one piece of work, of which it CHECKs that none falls behind.
struct Reports {
  CallContext context;
  std::vector<std::string> messages;
  double last = 0;

  Reports() {
    context.progress = [this](const Progress& report) {
      CHECK(report.fraction >= last);
      CHECK(report.fraction <= 1);
      last = report.fraction;
      messages.push_back(report.message);
    };
  }

  [[nodiscard]] bool has(const std::string& pattern) const {
    return std::any_of(messages.begin(), messages.end(), [&](const std::string& message) {
      return std::regex_match(message, std::regex(pattern));
    });
  }
};

Result<Subject> subject_of(ToolBench& bench) {
  return load_subject(*bench.services().archive, bench.compiled(twice_problem(), good_kernel()));
}

}  // namespace

TEST_SUITE("tools.progress_text") {
  TEST_CASE("a validation says which workload it compiles for, and which run it makes") {
    const auto subject = subject_of(tools());
    REQUIRE(subject.has_value());
    ValidationRequest request;
    request.params = {Params{}};
    Reports reports;
    const auto result =
        validate_kernel(*tools().services().devices[0].backend, *tools().services().host_workers,
                        *subject, request, reports.context);
    REQUIRE(result.has_value());
    REQUIRE(reports.messages.size() >= 2);
    CHECK(std::regex_match(reports.messages[0], std::regex(R"(compiling for workload 1 of \d+)")));
    CHECK(std::regex_match(reports.messages[1], std::regex(R"(validating 1 of \d+)")));
    CHECK(std::regex_match(reports.messages.back(), std::regex(R"(validating (\d+) of \1)")));
  }

  TEST_CASE("a comparison says how far it is, its samples, and the ratio so far") {
    const auto subject = subject_of(tools());
    REQUIRE(subject.has_value());
    BenchmarkRequest request;
    request.baseline.kernel = *subject->problem.reference;
    request.time_budget_ms = 500;
    Reports reports;
    const auto result =
        measure_kernel(*tools().services().devices[0].backend, *subject, request, reports.context);
    REQUIRE_MESSAGE(result.has_value(), to_text(result.error()));
    REQUIRE_FALSE(reports.messages.empty());
    CHECK(std::regex_match(reports.messages[0], std::regex(R"(timing, 1 of \d+)")));
    CHECK(reports.has(R"(timing, 1 of \d+: 1 sample of [0-9.]+ us, noise 0.0 %)"));
    if (!result->workloads.front().times.resolution_limited) {
      CHECK(reports.has(R"(timing, 2 of \d+; so far [0-9.]+x to [0-9.]+x)"));
    }
  }
}

}  // namespace ws::test
