#include "tools/answer/envelope.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("tools.envelope") {
  TEST_CASE("a measured number keeps four digits, and never leaves JSON") {
    struct Row {
      double value;
      double want;
    };

    constexpr Row kRows[] = {
        {0, 0},
        {123456, 123500},
        {-1.23456, -1.235},
        {0.000123456, 0.0001235},
        {9.9996, 10.0},
        {1e300, 1e300},
        {1e-320, 1e-320},
        {std::nan(""), 0},
        {std::numeric_limits<double>::infinity(), 0},
    };
    for (const Row& row : kRows) {
      CAPTURE(row.value);
      CHECK(rounded(row.value) == doctest::Approx(row.want).epsilon(1e-12));
      CHECK(std::isfinite(rounded(row.value)));
    }
  }

  TEST_CASE("foreign text loses its control characters and is cut between characters") {
    struct Row {
      const char* text;
      std::size_t limit;
      const char* want;
    };

    constexpr Row kRows[] = {
        {"plain", 400, "plain"},
        {"a\tb\x1b[31mc\x7f\r\n", 400, "a b [31mc  \n"},
        {"exactly", 7, "exactly"},
        {"one more", 7, "one mor..."},
        {"caf\xc3\xa9s", 4, "caf..."},
        {"caf\xc3\xa9s", 5, "caf\xc3\xa9..."},
        {"", 0, ""},
    };
    for (const Row& row : kRows) {
      CHECK(quoted(row.text, row.limit) == row.want);
    }
  }

  TEST_CASE("the fields of every tool have the contract's defaults") {
    const CommonParams none = common_params(Json::object());
    CHECK(none.device.empty());
    CHECK(none.wait == std::chrono::milliseconds(45'000));
    CHECK_FALSE(none.full);
    CHECK_FALSE(none.fresh);
    const CommonParams all =
        common_params({{"device", "cpu:0"}, {"wait_ms", 7}, {"detail", "full"}, {"fresh", true}});
    CHECK(all.device == "cpu:0");
    CHECK(all.wait == std::chrono::milliseconds(7));
    CHECK(all.full);
    CHECK(all.fresh);
  }

  TEST_CASE("a finished result has its frame") {
    const Json output = finished("said", {{"x", 1}}, {next_step("job", {{"a", 2}}, "because")});
    CHECK(output == Json::parse(R"({"summary": "said", "status": "done", "x": 1, "links": [],
      "next_steps": [{"tool": "job", "arguments": {"a": 2}, "why": "because"}]})"));
  }
}

}  // namespace ws
