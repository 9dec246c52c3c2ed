#include "runtime/lineage/kernel_changes.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace ws {
namespace {

/// `count` lines, each made by its number.
template <typename Line>
std::string lines(std::size_t count, const Line& line) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += line(i) + "\n";
  }
  return text;
}

std::string numbered(std::size_t i) {
  return "line " + std::to_string(i);
}

constexpr std::size_t kMany = 20'000;

}  // namespace

TEST_SUITE("tools.kernel_changes") {
  TEST_CASE("of long texts that share no line of their own the whole middle is one edit") {
    // Comparing each line with each would take gigabytes.
    const auto every = [](std::size_t by) {
      return [by](std::size_t i) { return std::string(i % by == 0 ? "a" : "b"); };
    };
    const nlohmann::json edits = line_edits("first\n" + lines(kMany, every(2)) + "last\n",
                                            "first\n" + lines(kMany, every(3)) + "last\n");
    REQUIRE(edits.size() == 1);
    CHECK(edits[0]["op"] == "replace");
    CHECK(edits[0]["from"] == 4);        // "first", "a" and "b" are alike.
    CHECK(edits[0]["to"] == kMany - 2);  // "b", "a", "b" and "last" are.
  }

  TEST_CASE("of long texts the lines that both have once keep their places") {
    const auto changed = [](std::size_t i) {
      return i % 1000 == 500 ? "// now " + numbered(i) : numbered(i);
    };
    const nlohmann::json edits = line_edits(lines(kMany, numbered), lines(kMany, changed));
    REQUIRE(edits.size() == kMany / 1000);
    CHECK(edits[0].dump() == R"({"from":501,"old":"line 500","op":"replace","region":"source",)"
                             R"("text":"// now line 500\n","to":501})");
    CHECK(edits.back()["from"] == 19'501);
  }

  TEST_CASE("a block that moved in a long text is taken out and put in") {
    const auto moved = [](std::size_t i) { return numbered((i + 100) % kMany); };
    const nlohmann::json edits = line_edits(lines(kMany, numbered), lines(kMany, moved));
    REQUIRE(edits.size() == 2);
    CHECK(edits[0]["op"] == "delete");
    CHECK(edits[0]["to"] == 100);
    CHECK(edits[1]["op"] == "insert");
    CHECK(edits[1]["from"] == kMany + 1);
  }
}

}  // namespace ws
