// Tests of what a terminal is sent.
#include "server/look/terminal.h"

#include <doctest/doctest.h>

namespace ws::server {
namespace {

constexpr Terminal kPlain{};
constexpr Terminal kRich{.colours = true, .unicode = true};

}  // namespace

TEST_SUITE("server.look.terminal") {
  TEST_CASE("only a terminal with colours gets them") {
    CHECK(inked(kPlain, TextColour::kBad, "wrong") == "wrong");
    CHECK(inked(kRich, TextColour::kBad, "wrong") == "\x1b[31mwrong\x1b[0m");
    CHECK(inked(kRich, TextColour::kPlain, "right") == "right");
    CHECK(inked(kRich, TextColour::kGood, "").empty());
  }

  TEST_CASE("a bar is as long as its share, in eighths where the terminal has these") {
    CHECK(bar(kPlain, 0.5, 8) == "####");
    CHECK(bar(kPlain, 0.1, 8) == "#");
    CHECK(bar(kRich, 0.5, 8) == "\u2588\u2588\u2588\u2588");
    CHECK(bar(kRich, 9.0 / 64, 8) == "\u2588\u258f");
    CHECK(bar(kRich, 7, 2) == "\u2588\u2588");
    CHECK(bar(kRich, -1, 2).empty());
  }

  TEST_CASE("text of others cannot draw on the terminal, nor turn its direction") {
    CHECK(one_line("a\x1b[2Jb\nc\td\x7f", 100) == "a [2Jb c d ");
    CHECK(one_line("a\u009b2Jb\u202e\u2067c\u200f", 100) == "a 2Jb  c ");
    CHECK(one_line("\xff\xc3", 100) == "??");
    CHECK(one_line("gr\u00fc\u00dfe", 4) == "gr\u00fc...");
    CHECK(many_lines("a\n\tb\r\x1b") == "a\n\tb  ");
  }

  TEST_CASE("columns count characters, not bytes") {
    CHECK(column("\u00fc", 3) == "\u00fc  ");
    CHECK(column("abc", 3) == "abc ");
  }
}

}  // namespace ws::server
