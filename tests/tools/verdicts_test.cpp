// The tools' schemas and docs/verdicts.md name the verdicts of the table.
#include <doctest/doctest.h>

#include "runtime/base/verdict.h"
#include "tests/ir/program_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// Appends the names that a schema lists for any field `verdict`.
void add_verdicts(const Json& schema, std::vector<std::string>& names) {
  if (schema.is_object() && schema.contains("verdict") && schema["verdict"].contains("enum")) {
    for (const Json& name : schema["verdict"]["enum"]) {
      names.push_back(name);
    }
  }
  if (schema.is_structured()) {
    for (const Json& part : schema) {
      add_verdicts(part, names);
    }
  }
}

}  // namespace

TEST_SUITE("tools.verdicts") {
  TEST_CASE("the schemas list no verdict that the table lacks") {
    std::size_t listed = 0;
    for (const ToolRegistry::Entry* entry : tools().registry().list()) {
      std::vector<std::string> names;
      add_verdicts(entry->tool->spec().json, names);
      for (const std::string& name : names) {
        CAPTURE(entry->tool->spec().name);
        CAPTURE(name);
        CHECK(verdict_of(name).has_value());
        ++listed;
      }
    }
    CHECK(listed == 13);  // Those of compile_kernel and benchmark.
  }

  TEST_CASE("docs/verdicts.md has the table's rows, and no others") {
    const std::string page = ir::repository_file("docs/verdicts.md");
    const auto mark = [](bool yes) { return yes ? std::string(" yes |") : std::string(" |"); };
    for (const VerdictFacts& row : all_verdicts()) {
      const std::string want = "| `" + std::string(row.name) + "` | " + std::string(row.meaning) +
                               " |" + mark(row.retryable) + mark(row.proves_wrong) +
                               mark(row.right_when_timed) + "\n";
      CAPTURE(want);
      CHECK(page.find(want) != std::string::npos);
    }
    std::size_t rows = 0;
    for (std::size_t at = page.find("\n| `"); at != std::string::npos;
         at = page.find("\n| `", at + 1)) {
      ++rows;
    }
    CHECK(rows == all_verdicts().size());
  }
}

}  // namespace ws::test
