#include "runtime/kernel/form/edits.h"

#include <doctest/doctest.h>

#include "runtime/base/hash.h"
#include "runtime/kernel/form/lines.h"
#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr const char* kSource = "one\ntwo\nthree\nfour\nfive\n";

Result<Kernel> edit(const Json& edits, const Json& set = nullptr) {
  const Problem problem = read_problem(matmul_problem());
  const Kernel base = read_kernel(patched(matmul_kernel(), "/source", kSource), problem);
  return edit_kernel(problem, base, edits, set);
}

struct EditCase {
  std::string name;
  std::string edits;
  std::string want;  // The source, or the whole error.
};

const std::vector<EditCase>& edit_cases() {
  static const std::vector<EditCase> cases = {
      {"replace lines",
       R"([{"region":"source","op":"replace","from":2,"to":3,"old":"two\nthree","text":"2\n3\n3b"}])",
       "one\n2\n3\n3b\nfour\nfive\n"},
      {"old and text may end in a newline",
       R"([{"region":"source","op":"replace","from":2,"old":"two\n","text":"2\n"}])",
       "one\n2\nthree\nfour\nfive\n"},
      {"delete lines", R"([{"region":"source","op":"delete","from":4,"to":5,"old":"four\nfive"}])",
       "one\ntwo\nthree\n"},
      {"insert before the first line",
       R"([{"region":"source","op":"insert","from":1,"text":"zero"}])",
       "zero\none\ntwo\nthree\nfour\nfive\n"},
      {"insert after the last line",
       R"([{"region":"source","op":"insert","from":6,"text":"six\nseven"}])",
       "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"},
      {"all numbers refer to the base, in any order",
       R"([{"region":"source","op":"insert","from":5,"text":"4.5"},
           {"region":"source","op":"delete","from":1,"old":"one"},
           {"region":"source","op":"replace","from":3,"old":"three","text":"3a\n3b"}])",
       "two\n3a\n3b\nfour\n4.5\nfive\n"},
      {"inserts in one place keep their order, before a replaced line",
       R"([{"region":"source","op":"replace","from":2,"old":"two","text":"2"},
           {"region":"source","op":"insert","from":2,"text":"a"},
           {"region":"source","op":"insert","from":2,"text":"b"}])",
       "one\na\nb\n2\nthree\nfour\nfive\n"},
      {"an empty text replaces by nothing",
       R"([{"region":"source","op":"replace","from":2,"old":"two","text":""}])",
       "one\nthree\nfour\nfive\n"},
      {"old text that differs",
       R"([{"region":"source","op":"replace","from":2,"to":3,"old":"2\n3","text":""}])",
       "conflict: edits[0]: `old` does not match source lines 2 to 3, which are now:\n"
       "  2 | two\n  3 | three; copy the lines as they are, without their numbers"},
      {"a wrong hash",
       R"([{"region":"source","op":"delete","from":1,"expect":"0123456789abcdef"}])",
       "conflict: edits[0]: `expect` does not match source lines 1 to 1, which are now:\n"
       "  1 | one; copy the lines as they are, without their numbers"},
      {"no old text", R"([{"region":"source","op":"delete","from":1}])",
       "invalid_argument: edits[0]: field `old` is missing; "
       "send the exact text of the lines, or `expect` with its hash"},
      {"a line beyond the end", R"([{"region":"source","op":"insert","from":7,"text":"x"}])",
       "invalid_argument: edits[0].from: line 7 is beyond the end: `source` has 5 lines"},
      {"a range beyond the end",
       R"([{"region":"source","op":"delete","from":5,"to":6,"old":"five"}])",
       "invalid_argument: edits[0].to: line 6 is beyond the end: `source` has 5 lines"},
      {"a range backwards", R"([{"region":"source","op":"delete","from":3,"to":2,"old":"x"}])",
       "invalid_argument: edits[0].to: expected an integer from 3 to 1048576, got 2"},
      {"line zero", R"([{"region":"source","op":"insert","from":0,"text":"x"}])",
       "invalid_argument: edits[0].from: expected an integer from 1 to 1048576, got 0"},
      {"an overlap",
       R"([{"region":"source","op":"delete","from":2,"to":4,"old":"two\nthree\nfour"},
           {"region":"source","op":"replace","from":4,"old":"four","text":"x"}])",
       "invalid_argument: edits[1]: overlaps edits[0]; merge the two edits into one"},
      {"an insert inside a deleted range",
       R"([{"region":"source","op":"insert","from":3,"text":"x"},
           {"region":"source","op":"delete","from":2,"to":4,"old":"two\nthree\nfour"}])",
       "invalid_argument: edits[0]: overlaps edits[1]; merge the two edits into one"},
      {"another region", R"([{"region":"launches","op":"insert","from":1,"text":"x"}])",
       "invalid_argument: edits[0].region: expected `source` or `macros`, got \"launches\"; "
       "plan fields change through `set`"},
      {"another op", R"([{"region":"source","op":"append","from":1,"text":"x"}])",
       "invalid_argument: edits[0].op: expected `replace`, `delete` or `insert`, got \"append\""},
      {"nothing in the list", "[]",
       "invalid_argument: edits: expected a list of 1 to 256 items, got a list of 0 items"},
      {"everything deleted",
       R"([{"region":"source","op":"delete","from":1,"to":5,"old":"one\ntwo\nthree\nfour\nfive"}])",
       "invalid_argument: kernel.source: may not be empty"},
  };
  return cases;
}

}  // namespace

TEST_SUITE("kernel.edits") {
  TEST_CASE("edits give this source or this error") {
    for (const EditCase& c : edit_cases()) {
      CAPTURE(c.name);
      const Result<Kernel> kernel = edit(Json::parse(c.edits));
      CHECK((kernel ? kernel->source : to_text(kernel.error())) == c.want);
    }
  }

  TEST_CASE("the new kernel has its own id and remembers the base") {
    const Problem problem = read_problem(matmul_problem());
    const Kernel base = read_kernel(patched(matmul_kernel(), "/source", kSource), problem);
    const Result<Kernel> kernel = edit_kernel(
        problem, base, Json::parse(R"([{"region":"macros","op":"insert","from":2,"text":"//"}])"),
        Json::parse(R"({"params": {"BM": [16, 32, 64], "BN": [32], "TILE_K": [16], "K_SPLITS": [2]},
                        "headers": null, "name": "wider"})"));
    REQUIRE_MESSAGE(kernel.has_value(), error_text(kernel));
    CHECK(kernel->parent == base.id);
    CHECK(kernel->id != base.id);
    CHECK(kernel->id.substr(0, 10) == "krn_wider_");
    CHECK(kernel->source == base.source);
    CHECK(kernel->macros == "#define TILE_K @TILE_K@\n//\n");
    CHECK(kernel->params.at("BM").size() == 3);
    CHECK(kernel->headers.empty());
    CHECK(parse_kernel(kernel->json, problem)->id == kernel->id);
  }

  TEST_CASE("an edit and its opposite give the base again, whether or not it ends in a newline") {
    const Problem problem = read_problem(matmul_problem());
    for (const std::string source : {"a\nb", "a\nb\n"}) {
      const Kernel base = read_kernel(patched(matmul_kernel(), "/source", source), problem);
      const auto there = edit_kernel(
          problem, base, Json::parse(R"([{"region":"source","op":"insert","from":2,"text":"x"}])"),
          nullptr);
      REQUIRE_MESSAGE(there.has_value(), error_text(there));
      const auto back = edit_kernel(
          problem, *there, Json::parse(R"([{"region":"source","op":"delete","from":2,"old":"x"}])"),
          nullptr);
      CHECK(back->id == base.id);
    }
  }

  TEST_CASE("a hash of the old lines stands for their text") {
    const Json edits = {{{"region", "source"},
                         {"op", "replace"},
                         {"from", 1},
                         {"to", 2},
                         {"expect", short_hash("one\ntwo")},
                         {"text", "1"}}};
    CHECK(edit(edits)->source == "1\nthree\nfour\nfive\n");
  }

  TEST_CASE("set replaces whole plan fields only") {
    CHECK(error_text(edit(nullptr, {{"source", "x"}})) ==
          "invalid_argument: set: `source` cannot be set; "
          "change it line by line with `edits`, or send a whole `kernel`");
    CHECK(error_text(edit(nullptr, {{"lauches", 1}})) ==
          "invalid_argument: set: unknown field `lauches`; did you mean `launches`?");
    CHECK(error_text(edit(nullptr, {{"launches", Json::array()}})) ==
          "invalid_argument: kernel.launches: expected a list of 1 to 64 items, got a list of 0 "
          "items");
    CHECK(error_text(edit(nullptr, 5)) == "invalid_argument: set: expected an object, got 5");
    CHECK(error_text(edit(nullptr)) ==
          "invalid_argument: nothing to change: neither `edits` nor `set` is given");
  }

  TEST_CASE("long ranges are cut in the message, and numbers are aligned") {
    const std::vector<std::string> lines(200, "x");
    const std::string shown = numbered_lines(lines, 99, 200);
    CHECK(shown.substr(0, 22) == "   99 | x\n  100 | x\n  ");
    CHECK(shown.substr(shown.size() - 14) == "\n  and 62 more");
  }
}

}  // namespace ws
