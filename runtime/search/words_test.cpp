#include "runtime/search/words.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

struct Case {
  const char* text;
  const char* words;
};

// clang-format off
constexpr Case kCases[] = {
    {"tmaLoad_x4", "tmaload tma load x4"},
    {"SGEMM sgemm Sgemm", "sgemm"},
    {"a AND b OR NOT c NEAR(d, 3)", "a and b or not c near d 3"},
    {"\"x\" : words*^ -y {z}", "x words y z"},
    {"gr\xc3\xb6\xc3\x9f""e", "gr\xc3\xb6\xc3\x9f""e"},
    {"' OR 1=1; DROP TABLE kernels; --", "or 1 drop table kernels"},
    {"+-*/", ""},
    {"", ""},
    {"\x01\x1f", ""},
};
// clang-format on

}  // namespace

TEST_SUITE("search.words") {
  TEST_CASE("words are runs of letters and digits, and nothing in them is syntax") {
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.text));
      CHECK(joined(words_of(c.text, 100)) == c.words);
    }
  }

  TEST_CASE("words are bounded in number and length") {
    CHECK(words_of("a b c d", 2).size() == 2);
    const std::vector<std::string> words = words_of(std::string(1000, 'x'), 10);
    REQUIRE(words.size() == 1);
    CHECK(words[0].size() == 40);
  }

  TEST_CASE("of a source only names are words") {
    CHECK(joined(source_words("// secret\nint rowSum = 42; f(\"text\");", 100)) ==
          "int rowsum row sum f");
  }
}

}  // namespace ws
