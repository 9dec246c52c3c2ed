#include "runtime/base/text.h"

#include <string>

#include <doctest/doctest.h>

namespace ws {
namespace {

struct LengthCase {
  const char* name;
  std::string text;
  std::size_t length;
};

}  // namespace

TEST_SUITE("base.text") {
  TEST_CASE("a character is as long as Unicode's table says, and an invalid one has no length") {
    const LengthCase cases[] = {
        {"ASCII", "a", 1},
        {"NUL", std::string(1, '\0'), 1},
        {"two bytes", "\xc3\xa9", 2},
        {"three bytes", "\xe2\x82\xac", 3},
        {"four bytes", "\xf0\x9f\x98\x80", 4},
        {"the last one", "\xf4\x8f\xbf\xbf", 4},
        {"beyond the last", "\xf4\x90\x80\x80", 0},
        {"a continuation alone", "\x80", 0},
        {"overlong, two bytes", "\xc0\xaf", 0},
        {"overlong, three bytes", "\xe0\x9f\xbf", 0},
        {"overlong, four bytes", "\xf0\x8f\xbf\xbf", 0},
        {"a surrogate", "\xed\xa0\x80", 0},
        {"cut off", "\xe2\x82", 0},
        {"a wrong third byte", "\xe2\x82(", 0},
        {"no lead byte", "\xff", 0},
    };
    for (const LengthCase& c : cases) {
      CAPTURE(std::string(c.name));
      CHECK(utf8_length(c.text, 0) == c.length);
    }
    CHECK(utf8_length("ab\xc3\xa9", 2) == 2);
  }

  TEST_CASE("a cut does not fall into a character") {
    const std::string text =
        "a\xe2\x82\xac"
        "b";
    const std::size_t ends[] = {0, 1, 1, 1, 4, 5, 5};
    for (std::size_t limit = 0; limit < std::size(ends); ++limit) {
      CAPTURE(limit);
      CHECK(utf8_cut(text, limit) == ends[limit]);
    }
    CHECK(utf8_cut("", 3) == 0);
  }

  TEST_CASE("words are of ASCII letters, digits and _, and do not begin with a digit") {
    CHECK(is_word_start('_'));
    CHECK(is_word_start('Z'));
    CHECK_FALSE(is_word_start('7'));
    CHECK(is_word('7'));
    CHECK_FALSE(is_word('-'));
    CHECK_FALSE(is_word('\xc3'));
  }
}

}  // namespace ws
