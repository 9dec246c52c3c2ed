#include "tools/kernels/guide.h"

#include <regex>

#include <doctest/doctest.h>

#include "runtime/ir/syntax/ops.h"
#include "runtime/judge/fills.h"
#include "runtime/kernel/form/options.h"
#include "tools/guide_files.h"

namespace ws {
namespace {

/// The words in backquotes that begin rows of a table under a heading.
std::vector<std::string> first_cells(const std::string& text, const std::string& heading) {
  const std::size_t begin = text.find("## " + heading + "\n");
  REQUIRE(begin != std::string::npos);
  const std::string part = text.substr(begin, text.find("\n## ", begin) - begin);
  const std::regex row("\n\\| ([^|]+) \\|");
  const std::regex word("`([^`]+)`");
  std::vector<std::string> words;
  for (std::sregex_iterator at(part.begin(), part.end(), row), end; at != end; ++at) {
    const std::string cell = (*at)[1];
    for (std::sregex_iterator in(cell.begin(), cell.end(), word); in != end; ++in) {
      words.push_back((*in)[1]);
    }
  }
  return words;
}

}  // namespace

TEST_SUITE("tools.guide") {
  TEST_CASE("each listed page has its text, and an example is a problem with a kernel") {
    for (const Json& row : guide_rows()) {
      const std::string uri = row["uri"];
      CAPTURE(uri);
      const auto page = guide_text(uri);
      REQUIRE(page.has_value());
      CHECK(page->mime_type == row["mimeType"]);
      CHECK(page->text.size() > 500);
      if (uri.starts_with("example://")) {
        const Json arguments = Json::parse(page->text);
        CHECK(arguments.size() == 2);
        CHECK(arguments["problem"]["args"].is_array());
        CHECK(arguments["kernel"]["launches"].is_array());
      }
    }
    CHECK_FALSE(guide_text("doc://nothing").has_value());
    CHECK(guide_file("nothing").empty());
  }

  TEST_CASE("the reference of CuIR has the operations alone, with an example of each") {
    const auto page = guide_text("cuir://reference");
    REQUIRE(page.has_value());
    CHECK(page->text.starts_with("## Operations\n"));
    CHECK(page->text.find("\n## ") == std::string::npos);
    std::size_t rows = 0;
    for (const ir::OpInfo& info : ir::all_ops()) {
      rows += page->text.find("| `" + std::string(info.name) + "(") != std::string::npos ? 1 : 0;
    }
    CHECK(rows == ir::all_ops().size());
  }

  TEST_CASE("the page on fills and options has all that there are, and no other") {
    const auto page = guide_text("doc://fills-and-options");
    REQUIRE(page.has_value());
    const std::vector<std::string> fills = first_cells(page->text, "Fills");
    CHECK(fills.size() == 16);
    for (const std::string& fill : fills) {
      CHECK_MESSAGE(find_fill(fill) != nullptr, fill);
    }
    for (std::string option : first_cells(page->text, "Options")) {
      option = std::regex_replace(option, std::regex("^(--[a-z-]+=)$"), "$1true");
      option = std::regex_replace(option, std::regex("=N$"), "=64");
      CHECK_MESSAGE(check_option(option).has_value(), option);
    }
  }
}

}  // namespace ws
