#include "runtime/lift/lower/digits_text.h"

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

/// The text for two counters, of which the second runs faster.
template <typename Value>
std::string text_for(std::int64_t slots, std::int64_t lanes, Value&& value, bool wraps = false) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < slots; ++i) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      values.push_back(value(i, lane));
    }
  }
  return digits_text({{"i", slots, false}, {"tid", lanes, wraps}}, values).value_or("nothing");
}

}  // namespace

TEST_SUITE("lift.lower.digits") {
  TEST_CASE("rows and columns of the sums of products") {
    CHECK(text_for(64, 128, [](auto i, auto t) { return i / 4 * 8 + t % 4 * 2 + i % 2; }) ==
          "i % 2 + i / 4 * 8 + tid % 4 * 2");
    CHECK(text_for(
              64, 128, [](auto i, auto t) { return t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8; },
              true) == "i / 2 % 2 * 8 + tid / 4 % 8 + tid / 32 % 4 * 16");
  }

  TEST_CASE("counts that are no powers of two have a digit without an end") {
    CHECK(text_for(6, 1, [](auto i, auto) { return i / 2 * 8 + i % 2; }) == "i % 2 + i / 2 * 8");
    CHECK(text_for(3, 1, [](auto i, auto) { return 5 + i; }) == "i + 5");
    CHECK(text_for(2, 2, [](auto, auto) { return 0; }) == "0");
    CHECK(text_for(2, 2, [](auto, auto) { return 7; }) == "7");
  }

  TEST_CASE("values that are no sum of digits have no text") {
    CHECK(text_for(4, 4, [](auto i, auto t) { return i * t; }) == "nothing");
    CHECK(text_for(4, 1, [](auto i, auto) { return 3 - i; }) == "nothing");
    CHECK(text_for(4, 1, [](auto i, auto) { return i - 1; }) == "nothing");
    CHECK(text_for(4, 4, [](auto i, auto t) { return i ^ t; }) == "nothing");
  }
}

}  // namespace ws::lift
