#include "runtime/base/align.h"

#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace ws {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids ids(std::string_view letters) {
  return {letters.begin(), letters.end()};
}

std::string text(const AlignedPairs& pairs) {
  std::string text;
  for (const auto& [i, j] : pairs) {
    text += std::to_string(i) + "-" + std::to_string(j) + " ";
  }
  return text;
}

/// The length of a longest common subsequence, by the whole table.
std::size_t longest(const Ids& a, const Ids& b) {
  std::vector<std::vector<std::size_t>> length(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      length[i][j] =
          a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  return length[0][0];
}

void check_pairs(const Ids& a, const Ids& b, const AlignedPairs& pairs) {
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    CHECK(a[pairs[at].first] == b[pairs[at].second]);
    if (at > 0) {
      CHECK(pairs[at].first > pairs[at - 1].first);
      CHECK(pairs[at].second > pairs[at - 1].second);
    }
  }
}

}  // namespace

TEST_SUITE("base.align") {
  TEST_CASE("elements belong together in order, and the first sequence is left out first") {
    struct Case {
      std::string_view a;
      std::string_view b;
      std::string_view pairs;
    };

    const Case cases[] = {
        {"", "", ""},
        {"", "ab", ""},
        {"abc", "abc", "0-0 1-1 2-2 "},
        {"abc", "aXc", "0-0 2-2 "},
        {"abc", "xabcx", "0-1 1-2 2-3 "},
        {"px", "qxx", "1-2 "},         // The ends belong together.
        {"pxr", "qxxs", "1-1 "},       // The first of equal ones.
        {"xyab", "abxy", "2-0 3-1 "},  // Two blocks changed places: the later one.
        {"pabcq", "rcabcas", "1-2 2-3 3-4 "},
    };
    for (const Case& c : cases) {
      CAPTURE(std::string(c.a));
      const Alignment alignment = align(ids(c.a), ids(c.b));
      CHECK(text(alignment.pairs) == c.pairs);
      CHECK(alignment.longest);
    }
  }

  TEST_CASE("no common subsequence is longer") {
    std::mt19937 random(7);  // The same sequences each time.
    for (unsigned round = 0; round < 400; ++round) {
      const auto sequence = [&] {
        Ids made(random() % 40);
        std::generate(made.begin(), made.end(),
                      [&] { return static_cast<std::uint32_t>(random() % (2 + round % 9)); });
        return made;
      };
      const Ids a = sequence();
      const Ids b = sequence();
      const Alignment alignment = align(a, b);
      CAPTURE(round);
      CHECK(alignment.pairs.size() == longest(a, b));
      check_pairs(a, b, alignment.pairs);
    }
  }

  TEST_CASE("of equal elements the preferred one is taken, but never instead of a longer result") {
    constexpr std::size_t kNone = SIZE_MAX;
    const auto preferring = [](std::string_view a, std::string_view b,
                               const std::vector<std::size_t>& preferred) {
      return text(align(ids(a), ids(b), {.preferred = preferred}).pairs);
    };
    CHECK(preferring("x", "xxx", {1}) == "0-1 ");
    CHECK(preferring("x", "xxx", {kNone}) == "0-0 ");
    CHECK(preferring("axb", "xaxxb", {kNone, 3, kNone}) == "0-1 1-3 2-4 ");
    CHECK(preferring("ax", "xa", {kNone, 0}) == "1-0 ");
    CHECK(preferring("abx", "xab", {kNone, kNone, 0}) == "0-1 1-2 ");
  }

  TEST_CASE("long sequences are parted at elements that both have once") {
    // 20,000 elements and as many others: their table would have 400,000,000 cells.
    Ids a(20'000);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::uint32_t>(i % 100 == 0 ? i + 10 : i % 3);
    }
    Ids b = a;
    for (std::size_t i = 50; i < b.size(); i += 100) {
      b[i] = 3;
    }
    b.front() = 4;
    b.back() = 5;
    const Alignment alignment = align(a, b);
    CHECK_FALSE(alignment.longest);
    CHECK(alignment.pairs.size() == a.size() - 202);
    check_pairs(a, b, alignment.pairs);
  }

  TEST_CASE("a part without an element of its own has no pairs") {
    const Alignment alignment =
        align(ids("-ababab+"), ids("-babbaa+"), {.most_cells = 20, .preferred = {}});
    CHECK(text(alignment.pairs) == "0-0 7-7 ");
    CHECK_FALSE(alignment.longest);
  }

  TEST_CASE("equal texts have equal numbers") {
    TextNumbers number;
    CHECK(number("a") == 0);
    CHECK(number("b") == 1);
    CHECK(number(std::string("a")) == 0);
  }
}

}  // namespace ws
