#include "runtime/base/nearest.h"

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("base.nearest") {
  TEST_CASE("a misspelt word gets the nearest known one, a strange one gets the list") {
    struct Case {
      std::string word;
      std::vector<std::string> known;
      std::string want;
    };

    const std::vector<Case> cases = {
        {"lauches", {"launches", "scratch"}, "did you mean `launches`?"},
        {"Launches", {"launches", "scratch"}, "did you mean `launches`?"},
        {"gird", {"entry", "grid"}, "did you mean `grid`?"},
        {"q", {"m", "n"}, "known: m, n"},
        {"tollerance", {"args", "tolerance"}, "did you mean `tolerance`?"},
        {"zzzzzz", {"args", "dims"}, "known: args, dims"},
        {"x", {}, ""},
        {"zz",
         {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m1", "n1"},
         "known: a, b, c, d, e, f, g, h, i, j, k, l, m1, n1"},
        {"old_string", {"from", "old", "text"}, "did you mean `old`?"},
        {"new_string", {"from", "old", "text"}, "did you mean `text`?"},
        {"new_string", {"from", "to"}, "known: from, to"},
        {"shared memory tiling",
         {"coalesce", "offset", "tb-tiling", "thread-tiling"},
         "known: tb-tiling, thread-tiling, coalesce, offset"},
    };
    for (const Case& c : cases) {
      CAPTURE(c.word);
      CHECK(suggest(c.word, c.known) == c.want);
    }
  }
}

}  // namespace ws
