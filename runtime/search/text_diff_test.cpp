#include "runtime/search/text_diff.h"

#include <string>

#include <doctest/doctest.h>

namespace ws {
namespace {

struct Case {
  const char* name;
  const char* from;
  const char* to;
  const char* diff;
};

// clang-format off
constexpr Case kCases[] = {
    {"equal texts", "a\nb\n", "a\nb\n", ""},
    {"only the last line's end differs", "a\nb", "a\nb\n", ""},
    {"a changed line", "a\nb\nc\n", "a\nX\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+X\n c\n"},
    {"two lines around it and no more", "1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nX\n5\n6\n7\n",
     "@@ -2,5 +2,5 @@\n 2\n 3\n-4\n+X\n 5\n 6\n"},
    {"an added line at the end", "a\n", "a\nb\n", "@@ -1,1 +1,2 @@\n a\n+b\n"},
    {"all is new", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
    {"all is gone", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
    {"changes far apart", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "X\n2\n3\n4\n5\n6\n7\n8\nY\n",
     "@@ -1,3 +1,3 @@\n-1\n+X\n 2\n 3\n@@ -7,3 +7,3 @@\n 7\n 8\n-9\n+Y\n"},
    {"changes near each other", "1\n2\n3\n4\n5\n", "X\n2\n3\n4\nY\n",
     "@@ -1,5 +1,5 @@\n-1\n+X\n 2\n 3\n 4\n-5\n+Y\n"},
};
// clang-format on

std::string numbered(int count, const std::string& head) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += head + std::to_string(i) + "\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("search.text_diff") {
  TEST_CASE("a diff has the changed lines and two around them") {
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.name));
      CHECK(unified_diff(c.from, c.to).text == c.diff);
    }
  }

  TEST_CASE("added and removed lines are counted") {
    const TextDiff diff = unified_diff("a\nb\nc\n", "a\nX\nY\nc\n");
    CHECK(diff.added == 2);
    CHECK(diff.removed == 1);
  }

  TEST_CASE("long texts that have nothing in common are compared without much memory") {
    const TextDiff diff = unified_diff(numbered(100000, "a"), numbered(100000, "b"));
    CHECK(diff.added == 100000);
    CHECK(diff.removed == 100000);
  }
}

}  // namespace ws
