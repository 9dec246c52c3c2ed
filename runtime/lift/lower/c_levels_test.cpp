#include "runtime/lift/lower/c_levels.h"

#include <doctest/doctest.h>

namespace ws::lift {
TEST_SUITE("lift.lower.levels") {
  TEST_CASE("an operand has parentheses where it would come apart") {
    CHECK(operand_text("a + b", Level::kSum) == "a + b");
    CHECK(operand_text("a + b", Level::kProduct) == "(a + b)");
    CHECK(operand_text("a[i + 1]", Level::kSimple) == "a[i + 1]");
    CHECK(operand_text("f(a, b)", Level::kSimple) == "f(a, b)");
    CHECK(operand_text("(int)blockIdx.x", Level::kSimple) == "(int)blockIdx.x");
    CHECK(operand_text("-1e-30f", Level::kProduct) == "-1e-30f");
    CHECK(operand_text("-1e-30f", Level::kSimple) == "(-1e-30f)");
    CHECK(operand_text("a + -b", Level::kSum) == "a + -b");
    CHECK(operand_text("a < b && c", Level::kAnd) == "a < b && c");
    CHECK(operand_text("a < b && c", Level::kCompare) == "(a < b && c)");
  }

  TEST_CASE("text without blanks and operators without a form have them, too") {
    CHECK(operand_text("a[i]/b", Level::kSimple) == "(a[i]/b)");
    CHECK(operand_text("a[i]/b", Level::kProduct) == "a[i]/b");
    CHECK(operand_text("a-b", Level::kProduct) == "(a-b)");
    CHECK(operand_text("n & 3", Level::kOr) == "(n & 3)");
    CHECK(operand_text("a << 2", Level::kSum) == "(a << 2)");
    CHECK(operand_text("BN == 256 ? 2 : 1", Level::kSum) == "(BN == 256 ? 2 : 1)");
    CHECK(operand_text("BN / 128", Level::kSum) == "BN / 128");
  }
}

}  // namespace ws::lift
