// The worked examples of skills/: each call is made, and answers what the file says.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "server/protocol/prompts.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A fenced block of JSON: the word after "json" is a tool, or "answer".
struct Block {
  std::string word;
  Json value;
};

std::vector<Block> blocks_of(const std::string& text) {
  constexpr std::string_view kFence = "```json ";
  std::vector<Block> blocks;
  for (std::size_t at = text.find(kFence); at != std::string::npos; at = text.find(kFence, at)) {
    const std::size_t word = at + kFence.size();
    const std::size_t line = text.find('\n', word);
    const std::size_t end = text.find("\n```", line);
    blocks.push_back({text.substr(word, line - word),
                      Json::parse(text.substr(line, end - line), nullptr, false)});
    at = end;
  }
  return blocks;
}

/// A part of a file that needs a device for shaders; it is the last one.
constexpr std::string_view kWithShaders = "\n## Worked example with HLSL";

}  // namespace

TEST_SUITE("skills") {
  TEST_CASE("each skill is served with the name and description of its file") {
    const server::OrderedJson rows = server::product_skills().rows();
    std::size_t files = 0;
    for (const auto& folder : sorted_entries(source_dir() / "skills")) {
      const auto text = read_file(folder / "SKILL.md");
      if (!text) {
        continue;
      }
      ++files;
      const std::string name = folder.filename().string();
      CAPTURE(name);
      const auto served = server::product_skills().file("skill://" + name + "/SKILL.md");
      REQUIRE(served);
      CHECK(served->text == *text);
      const auto row = std::find_if(rows.begin(), rows.end(),
                                    [&](const auto& each) { return each["name"] == name; });
      REQUIRE(row != rows.end());
      CHECK(text->find("\ndescription: " + (*row)["description"].get<std::string>() + "\n") !=
            std::string::npos);
    }
    CHECK(files == 8);
    CHECK(rows.size() == files);
  }

  TEST_CASE("each skill has a worked example, whose calls answer what it says") {
    int skills = 0;
    for (const auto& folder : sorted_entries(source_dir() / "skills")) {
      const auto text = read_file(folder / "SKILL.md");
      if (!text) {
        continue;
      }
      CAPTURE(folder.filename().string());
      CHECK(text->find("\nname: " + folder.filename().string() + "\n") != std::string::npos);
      const std::size_t shaders = text->find(kWithShaders);
      const bool all = shaders == std::string::npos || lavapipe_is_here();
      ToolBench bench(ToolBench::WithVulkan{all && shaders != std::string::npos ? lavapipe_driver()
                                                                                : std::string()});
      Json answer;
      std::size_t answers = 0;
      for (const Block& block : blocks_of(all ? *text : text->substr(0, shaders))) {
        CAPTURE(block.word);
        REQUIRE_FALSE(block.value.is_discarded());
        if (block.word != "answer") {
          answer = bench.result(block.word, block.value);
          continue;
        }
        for (const auto& [name, value] : block.value.items()) {
          CAPTURE(name);
          CHECK(answer.value(name, Json()) == value);
        }
        ++answers;
      }
      CHECK(answers >= 2);
      ++skills;
    }
    CHECK(skills == 8);
  }
}

}  // namespace ws::test
