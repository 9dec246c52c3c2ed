#include "runtime/search/operations.h"

#include <doctest/doctest.h>

#include "runtime/search/fingerprint.h"

namespace ws {

TEST_SUITE("search.operations") {
  TEST_CASE("a histogram is read back as it was written, and invalid text gives nothing") {
    const OperationCounts counts = {{"exp", 1}, {"*", 2}};
    CHECK(operations_text(counts) == R"({"*":2,"exp":1})");
    CHECK(operations_from_text(operations_text(counts)) == counts);
    for (const char* text : {"", "null", "[1]", R"({"exp":-1})", R"({"exp":"1"})", R"({"exp")"}) {
      CAPTURE(std::string(text));
      CHECK(operations_from_text(text).empty());
    }
  }

  TEST_CASE("the share is what both do over what either does, each as often as it does it") {
    const auto share = [](const OperationCounts& a, const OperationCounts& b) {
      return jaccard(operation_runs(a), operation_runs(b));
    };
    CHECK(share({{"*", 2}, {"exp", 1}}, {{"*", 2}, {"exp", 1}}) == 1);
    CHECK(share({{"*", 1}, {"exp", 1}}, {{"*", 3}, {"exp", 1}}) == 0.5);
    CHECK(share({{"*", 1}}, {{"+", 1}}) == 0);
    CHECK(share({{"*", 1}}, {}) == 0);
    CHECK(share({{"*", 64}}, {{"*", 4000000000}}) == 1);
  }
}

}  // namespace ws
