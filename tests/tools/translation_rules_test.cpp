// verify_ir names the line and the rule of a mistake in a translation.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/support/planted_translations.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
  const Result<std::string> text = read_file(path, std::size_t{1} << 20U);
  REQUIRE(text.has_value());
  return Json::parse(*text);
}

Json example(const std::string& name) {
  return read_json(source_dir() / "examples/tiles" / (name + ".json"));
}

Json problem_of(const std::string& name) {
  const fs::path folder = fs::path(name).parent_path();
  const fs::path own = source_dir() / "examples/tiles" / folder / "problem.json";
  return read_json(fs::exists(own) ? own
                                   : source_dir() / "examples/kernels" / folder / "problem.json");
}

std::string compiled_example(const std::string& name) {
  return tools().compiled(problem_of(name), example(name));
}

int line_with(const std::string& source, const std::string& text) {
  const std::size_t at = source.find(text);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<int>(std::count(source.begin(),
                                         source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// "RULE:line " of each rule that is told.
std::string told(const Json& verified) {
  std::string text;
  for (const Json& row : verified.value("rules", Json::array())) {
    text += row["rule"].get<std::string>() + ":" + std::to_string(row.value("line", 0)) + " ";
  }
  return text;
}

}  // namespace

TEST_SUITE("tools.translation_rules") {
  TEST_CASE("each planted mistake is told with its rule and line") {
    for (const PlantedTranslation& row : planted_translations()) {
      Json kernel = example(row.translation);
      std::string source = kernel["source"];
      const std::size_t at = source.find(row.right);
      REQUIRE_MESSAGE(at != std::string::npos, row.right);
      source.replace(at, std::string(row.right).size(), row.wrong);
      kernel["source"] = source;
      const Json verified = tools().result(
          "verify_ir", {{"kernel_id", tools().compiled(problem_of(row.translation), kernel)},
                        {"against", compiled_example(row.original)}});
      const std::string wrong = std::string(row.translation) + ": " + row.wrong;
      CAPTURE(wrong);
      INFO(verified["summary"].dump());
      CHECK(verified["verdict"] != "ok");
      const std::string text = row.at == nullptr ? row.wrong : row.at;
      const std::string want =
          std::string(row.rule) + ":" + std::to_string(line_with(source, text)) + " ";
      CAPTURE(want);
      const std::string rules = told(verified);
      CAPTURE(rules);
      CHECK(rules.find(want) != std::string::npos);
    }
  }

  TEST_CASE("the page of languages lists all rules") {
    const Result<std::string> page = read_file(source_dir() / "docs/tile-languages.md");
    REQUIRE(page.has_value());
    for (const char* id : {
#define WS_TRANSLATION_RULE(identifier, id, what, fix) "| `" id "` | " what " |\n",
#include "runtime/ir/translation/rules.def"
#undef WS_TRANSLATION_RULE
         }) {
      CHECK_MESSAGE(page->find(id) != std::string::npos, id);
    }
  }

  TEST_CASE("mistakes of a launch are told") {
    const std::string name = "matmul/matmul_cutile_jl";
    const std::string original = compiled_example("matmul/matmul_cutile");
    const auto rules_of = [&](const Json& kernel) {
      return told(tools().result(
          "verify_ir",
          {{"kernel_id", tools().compiled(problem_of(name), kernel)}, {"against", original}}));
    };
    Json kernel = example(name);
    kernel["launches"][0]["grid"] = {"max(m // TM, 1)", "cdiv(n, TN)"};
    CHECK(rules_of(kernel).find("GRID-FLOOR:0 ") != std::string::npos);
    kernel = example(name);
    std::swap(kernel["launches"][0]["args"][0], kernel["launches"][0]["args"][1]);
    CHECK(rules_of(kernel).find("LAUNCH-ARG-ORDER:0 ") != std::string::npos);
  }

  TEST_CASE("right translations break no rule, whatever the languages") {
    std::size_t pairs = 0;
    for (const fs::path& folder : sorted_entries(source_dir() / "examples/tiles")) {
      std::vector<std::string> ids;
      for (const fs::path& file : sorted_entries(folder)) {
        if (file.filename() != "problem.json") {
          ids.push_back(compiled_example(folder.filename() / file.stem()));
        }
      }
      for (std::size_t i = 1; i < ids.size(); ++i) {
        const bool forth = pairs % 2 == 0;
        const Json verified = tools().result(
            "verify_ir", {{"kernel_id", ids[forth ? i : 0]}, {"against", ids[forth ? 0 : i]}});
        INFO(verified["summary"].dump());
        CHECK(verified["verdict"] == "ok");
        CHECK_FALSE(verified.contains("rules"));
        ++pairs;
      }
    }
    CHECK(pairs >= 14);
  }
}

}  // namespace ws::test
