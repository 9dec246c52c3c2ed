#include "runtime/base/verdict.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("base.verdict") {
  TEST_CASE("every verdict has one name and one sentence, and is found by its name") {
    std::set<std::string_view> names;
    for (const VerdictFacts& row : all_verdicts()) {
      CAPTURE(row.name);
      CHECK(&facts_of(row.verdict) == &row);
      CHECK(verdict_of(row.name) == row.verdict);
      CHECK(name_of(row.verdict) == row.name);
      CHECK(names.insert(row.name).second);
      CHECK(row.meaning.ends_with('.'));
      // One word cannot say both that results were right and that they are wrong.
      CHECK_FALSE((row.proves_wrong && row.right_when_timed));
    }
    CHECK(verdict_of("perhaps") == std::nullopt);
    CHECK(verdict_of("") == std::nullopt);
    CHECK(verdict_text(Verdict::kTimeout, "2 s") == "timeout: 2 s");
  }

  TEST_CASE("a limit, the reference or a value that may not matter proves nothing") {
    for (const char* name : {"passed", "unsupported", "invalid_reference", "timeout",
                             "resource_limit", "compile_error", "uninitialised_read"}) {
      CAPTURE(name);
      CHECK_FALSE(facts_of(verdict_of(name).value()).proves_wrong);
    }
    for (const char* name :
         {"incorrect", "incorrect_nan", "stateful", "out_of_bounds", "input_modified",
          "runtime_error", "launch_error", "barrier_divergence", "deadlock", "suspect", "data_race",
          "sanitizer"}) {
      CAPTURE(name);
      CHECK(facts_of(verdict_of(name).value()).proves_wrong);
    }
  }

  TEST_CASE("only a kernel that was right whenever it was timed says so") {
    for (const char* name :
         {"faster", "slower", "equivalent", "inconclusive", "resolution_limited"}) {
      CAPTURE(name);
      CHECK(facts_of(verdict_of(name).value()).right_when_timed);
    }
    for (const char* name : {"suspect", "invalid", "passed", "compiled", "incorrect"}) {
      CAPTURE(name);
      CHECK_FALSE(facts_of(verdict_of(name).value()).right_when_timed);
    }
  }
}

}  // namespace ws
