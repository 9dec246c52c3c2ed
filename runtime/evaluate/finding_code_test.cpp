#include "runtime/evaluate/finding_code.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("evaluate.finding_code") {
  TEST_CASE("a finding is found by its name") {
    CHECK(name_of(FindingCode::kSelfReference) == "self_reference");
    CHECK(finding_code_of("self_reference") == FindingCode::kSelfReference);
    CHECK(finding_code_of("tampering") == std::nullopt);
    CHECK(is_note(FindingCode::kReadsClock));
    CHECK_FALSE(is_note(FindingCode::kOrderDependent));
    CHECK(message_of(FindingCode::kSelfReference) ==
          "the kernel was compared with itself: the problem's reference is made from it");
  }
}

}  // namespace ws
