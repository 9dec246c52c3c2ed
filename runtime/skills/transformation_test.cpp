// Transformation files: what is read of a right one, and the line and reason of each wrong one.
#include <fstream>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/skills/skill_library.h"

namespace ws {
namespace {

constexpr const char* kGood = R"(---
name: good
summary: "Does: nothing"
# A comment.
applies_to:
  languages: [cuda, hip]
  ops: [matmul]
requires:
  - text: a loop
    source: ["for (", "while ("]
  - text: people must judge
introduces:
  TILE: [16, 8]
passes:
  - name: first step
    region: source
    adds: [TILE]
    constraints: ["TILE <= 32"]
    check: compile
  - name: second
    region: [macros, plan]
    region_in:
      hip: [source, plan]
    imports: [help.cuh]
---
Introduction.

## 1. first step

Use {{TILE}} in {{entry}}.

```cuda
## no heading in code
```
### Keep
- the first
  on two lines
- the second
### Pitfalls
- a pit
### Check
Look.
### Words
| what | cuda | hip |
| --- | --- | --- |
| a bar | `a \| b` | c |

## 2. second

Do it.
### Keep
- all
### Check
Look again.
)";

Result<Transformation> parse(const std::string& text) {
  return parse_transformation(text, {"help.cuh"});
}

/// The good file with one place changed.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto parsed = parse(text);
  REQUIRE_FALSE(parsed.has_value());
  return to_text(parsed.error());
}

struct Wrong {
  const char* from;
  const char* to;
  const char* error;
};

constexpr Wrong kWrong[] = {
    {"---\nname", "name", "invalid_argument: line 1: the file does not begin with a line `---`"},
    {"summary: \"Does: nothing\"", "summary: Does: nothing",
     "invalid_argument: line 3: `Does: nothing` is not plain text; put it in double quotes"},
    {"name: good", "name: good\nname: bad", "invalid_argument: line 3: `name` is there twice"},
    {"  ops: [matmul]", "  ops: [matmul",
     "invalid_argument: line 7: a list without its end; write [a, b] on one line"},
    {"  ops: [matmul]", "\tops: [matmul]", "invalid_argument: line 7: a tab; indent by spaces"},
    {"  ops: [matmul]", "  op: [matmul]",
     "invalid_argument: line 5: front matter.applies_to: unknown field `op`; did you mean `ops`?"},
    {"  ops: [matmul]", "   ops: [matmul]",
     "invalid_argument: line 7: a line that is indented by 3 spaces where none were expected"},
    {"[cuda, hip]", "[cuda, hipp]",
     "invalid_argument: line 6: front matter.applies_to.languages: `hipp` is no language; did you "
     "mean `hip`?"},
    {"region: source", "region: sources",
     "invalid_argument: line 16: front matter.passes[0].region: `sources` is no region; did you "
     "mean `source`?"},
    {"hip: [source, plan]", "hip: [sources, plan]",
     "invalid_argument: line 23: front matter.passes[1].region_in.hip: `sources` is no region; did "
     "you mean `source`?"},
    {"hip: [source, plan]", "hlsl: [source, plan]",
     "invalid_argument: line 23: front matter.passes[1].region_in.hlsl: `hlsl` is no language of "
     "`applies_to`; known: cuda, hip"},
    {"check: compile", "check: none",
     "invalid_argument: line 19: front matter.passes[0].check: expected `compile`, `quick` or "
     "`standard`, got \"none\""},
    {"adds: [TILE]", "adds: [TILES]",
     "invalid_argument: line 17: front matter.passes[0].adds: `TILES` is no parameter that the "
     "file introduces; did you mean `TILE`?"},
    {"    adds: [TILE]\n", "",
     "invalid_argument: line 1: pass `first step` uses `TILE`, which is not declared; add it to "
     "`introduces`, and to `adds` of this pass or an earlier one"},
    {"TILE <= 32", "OTHER <= 32",
     "invalid_argument: line 1: pass `first step` uses `OTHER`, which is not declared; add it to "
     "`introduces`, and to `adds` of this pass or an earlier one"},
    {"Do it.", "Do @IT@.",
     "invalid_argument: line 1: pass `second` uses `IT`, which is not declared; add it to "
     "`introduces`, and to `adds` of this pass or an earlier one"},
    {"imports: [help.cuh]", "imports: [helper.cuh]",
     "invalid_argument: line 24: front matter.passes[1].imports: `helper.cuh` is no file of the "
     "library; did you mean `help.cuh`?"},
    {"## 2. second", "## 2. third",
     "invalid_argument: line 48: expected `## 2. second`, got `## 2. third`; sections stand in "
     "the order of `passes`, with their names"},
    {"    source: [\"for (\", \"while (\"]", "    loop: nest",
     "invalid_argument: line 10: front matter.requires[0].loop: `nest` is no need; write sums, "
     "shares or products"},
    {"### Pitfalls", "### Traps",
     "invalid_argument: line 39: unknown part `Traps`; known: Keep, Pitfalls, Check, Words"},
    {"- all\n", "", "invalid_argument: line 48: pass `second` has no part `### Keep`"},
    {"| what | cuda | hip |", "| what | hip | cuda |",
     "invalid_argument: line 44: the columns must be `what` and then `languages`, in order"},
};

}  // namespace

TEST_SUITE("skills.transformation") {
  TEST_CASE("a file is read whole") {
    const auto read = parse(kGood);
    REQUIRE_MESSAGE(read.has_value(), to_text(read.error()));
    CHECK(read->summary == "Does: nothing");
    CHECK(read->languages == std::vector<std::string>{"cuda", "hip"});
    CHECK(read->requirements[0].source == std::vector<std::string>{"for (", "while ("});
    CHECK(read->introduces.at("TILE") == std::vector<std::int64_t>{16, 8});
    const Pass& pass = read->passes[0];
    CHECK(pass.check == PassCheck::kCompile);
    CHECK(pass.instruction.starts_with("Use {{TILE}} in {{entry}}."));
    CHECK(pass.instruction.ends_with("## no heading in code\n```"));
    CHECK(pass.keep == std::vector<std::string>{"the first on two lines", "the second"});
    CHECK(pass.pitfalls == std::vector<std::string>{"a pit"});
    CHECK(pass.test == "Look.");
    CHECK(pass.words[0].at("cuda") == "`a | b`");
    CHECK(read->passes[1].regions_for("cuda") == std::vector<std::string>{"macros", "plan"});
    CHECK(read->passes[1].regions_for("hip") == std::vector<std::string>{"source", "plan"});
    CHECK(pass.regions_for("hip") == std::vector<std::string>{"source"});
  }

  TEST_CASE("what is wrong is said with its line") {
    for (const Wrong& wrong : kWrong) {
      CAPTURE(wrong.to);
      CHECK(error_of(changed(wrong.from, wrong.to)) == wrong.error);
    }
  }

  TEST_CASE("a malformed file is named, and the others still load") {
    const TestFolder own;
    const TestFolder shipped;
    std::filesystem::create_directories(own.path() / "lib");
    std::ofstream(own.path() / "lib/help.cuh") << "#pragma once\n";
    std::ofstream(own.path() / "good.md") << kGood;
    std::ofstream(own.path() / "bad.md") << "no front matter\n";
    std::ofstream(own.path() / "other.md") << kGood;
    std::ofstream(shipped.path() / "good.md") << "not read: the first folder's goes before it\n";
    const SkillLibrary skills =
        load_skills({own.path(), shipped.path(), shipped.path() / "not there"});
    CHECK(skills.transformations.size() == 1);
    CHECK(skills.find("good").has_value());
    REQUIRE(skills.problems.size() == 2);
    CHECK(skills.problems[0].file == own.path() / "bad.md");
    CHECK(skills.problems[0].reason == "line 1: the file does not begin with a line `---`");
    CHECK(skills.problems[1].reason ==
          "line 1: the name is `good`, but the file's name is not; call the file good.md");
  }

  TEST_CASE("a requirement's transformation must be there") {
    const TestFolder folder;
    std::filesystem::create_directories(folder.path() / "lib");
    std::ofstream(folder.path() / "lib/help.cuh") << "#pragma once\n";
    std::ofstream(folder.path() / "good.md")
        << changed("- text: people must judge", "- text: comes later\n    after: better");
    const SkillLibrary skills = load_skills({folder.path()});
    REQUIRE(skills.problems.size() == 1);
    CHECK(skills.problems[0].reason == "requires `better`, which is no transformation here");
  }
}

}  // namespace ws
