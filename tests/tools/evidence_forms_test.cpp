// The answers of validate, benchmark and evaluate can be read back, and nothing is lost on the way.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"
#include "tools/evaluate/evaluation.h"

namespace ws::test {
namespace {

/// The answer without its frame, without the links, which the form of an evaluation has, and
/// without what `validate` adds from the problem.
Json body_of(Json answer) {
  for (const char* key : {"summary", "status", "next_steps", "links", "tolerance", "error_model",
                          "passes", "flaky"}) {
    answer.erase(key);
  }
  return answer;
}

template <typename Output>
Json read_back(const Json& answer) {
  return body_of(answer.get<Output>());
}

Json validated(const std::string& body, const Json& arguments = Json::object()) {
  Json asked = arguments;
  asked["kernel_id"] = tools().compiled(twice_problem(), twice_kernel(body));
  return tools().result("validate", asked);
}

}  // namespace

TEST_SUITE("tools.evidence_forms") {
  TEST_CASE("a validation is read back as it was written") {
    for (const char* body : {"  if (i < n) y[i] = 2 * x[i];", "  if (i < n - 1) y[i] = 2 * x[i];",
                             "  y[i] = 2 * x[i];", "  if (i < n) y[i] = 2 * x[i] / (n - n);",
                             "  __shared__ int s;\n  if (threadIdx.x == 0) s = 1;\n"
                             "  if (i < n) y[i] = s == 1 && clock() > 0 ? 2 * x[i] : 0;"}) {
      CAPTURE(body);
      const Json answer = validated(body);
      CHECK(read_back<StoredValidation>(answer) == body_of(answer));
    }
    const Json full =
        validated("  if (i < n) y[i] = x[i] + x[i];", {{"level", "standard"}, {"detail", "full"}});
    CHECK(full["runs"].size() == full["runs_total"]);
    CHECK(read_back<StoredValidation>(full) == body_of(full));
  }

  TEST_CASE("a long validation shows its first runs and the one that decided") {
    ValidationResult result;
    for (int i = 0; i < 12; ++i) {
      result.runs.push_back({.workload = {.dims = {{"n", i}}, .scalars = {}},
                             .params = {},
                             .distribution = "declared",
                             .verdict = Verdict::kPassed,
                             .shrunk_from = std::nullopt});
    }
    result.runs_total = result.runs.size();
    shorten_runs(result);
    REQUIRE(result.runs.size() == 8);
    CHECK(result.runs[6].workload.dims.at("n") == 6);
    CHECK(result.runs[7].workload.dims.at("n") == 11);
    shorten_runs(result);
    CHECK(result.runs.size() == 8);
  }

  TEST_CASE("a benchmark and a refusal are read back as they were written") {
    for (const char* body : {"  if (i < n) y[i] = 2 * x[i];  // timed", "  y[i] = 2 * x[i];  //"}) {
      CAPTURE(body);
      const std::string id = tools().compiled(twice_problem(), twice_kernel(body));
      for (const char* baseline : {"reference", "none"}) {
        CAPTURE(baseline);
        const Json answer =
            tools().result("benchmark", {{"kernel_id", id}, {"baseline", baseline}});
        CHECK(read_back<StoredBenchmark>(answer) == body_of(answer));
      }
    }
  }

  TEST_CASE("an evaluation is read back as it was written") {
    for (const char* body :
         {"  if (i < n) y[i] = 2 * x[i];  // paid", "  y[i] = 2 * x[i];  // out", "  y[i] = ;"}) {
      CAPTURE(body);
      const Json answer = tools().result(
          "evaluate",
          {{"problem", twice_problem()}, {"kernel", twice_kernel(body)}, {"device", "cpu:0"}});
      CHECK(read_back<Evaluation>(answer) == body_of(answer));
    }
  }
}

}  // namespace ws::test
