#include "runtime/base/numbers.h"

#include <limits>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("base.numbers") {
  TEST_CASE("a measured number keeps four significant digits") {
    CHECK(rounded(1234.56) == 1235);
    CHECK(rounded(-0.00012345) == -0.0001235);
    CHECK(rounded(0) == 0);
    CHECK(rounded(std::numeric_limits<double>::infinity()) == 0);
  }

  TEST_CASE("so many digits are written, and a number that fills lines is a question mark") {
    CHECK(fixed_digits(12.3, 2) == "12.30");
    CHECK(fixed_digits(-0.05, 1) == "-0.1");
    CHECK(fixed_digits(1e60, 1) ==
          "999999999999999949387135297074018866963645011013410073083904.0");
    CHECK(fixed_digits(1e80, 1) == "?");
  }

  TEST_CASE("significant digits are as many as there are, up to a limit") {
    CHECK(three_digits(12.34) == "12.3");
    CHECK(three_digits(12340) == "1.23e+04");
    CHECK(three_digits(120) == "120");
    CHECK(significant_digits(1.25, 4) == "1.25");
    CHECK(significant_digits(0.1, 15) == "0.1");
    CHECK(significant_digits(1e-7, 15) == "1e-07");
    CHECK(significant_digits(std::numeric_limits<double>::infinity(), 15) == "inf");
  }
}

}  // namespace ws
