// docs/tile-calls.md is the front ends' own table.
#include <doctest/doctest.h>

#include "runtime/lift/tile/api.h"
#include "tests/support/golden.h"

namespace ws::lift::tile {
namespace {

std::string cell(const std::string& prefix, const Spelling& spelling) {
  return spelling.name.empty() ? "" : "`" + prefix + spelling.text() + "`";
}

std::string table() {
  std::string text =
      "# Calls of kernels of tiles\n\n"
      "Each row is one operation: what it is called in Triton, cuTile Python and cuTile.jl, and "
      "in\n"
      "[CuIR](cuir.md). An empty cell: the language has no such call, or only an operator. `*` "
      "takes\n"
      "all arguments that are left. [tile-languages.md](tile-languages.md) says how their "
      "meanings\n"
      "differ. In Julia the functions of cuTile stand after `ct.`, as in `ct.bid(axis)`; those of "
      "Base, such\n"
      "as `sum`, stand alone. `ws_tests --update-golden -ts=lift.tile_calls` writes this page.\n\n"
      "| CuIR | Triton | cuTile Python | cuTile.jl |\n| --- | --- | --- | --- |\n";
  for (const ApiInfo& info : all_apis()) {
    const std::string cuir = info.cuir.empty() ? "" : "`" + std::string(info.cuir) + "`";
    std::string row = "| " + cuir + " | " + cell("tl.", info.triton) + " | " +
                      cell("ct.", info.cutile) + " | " + cell("", info.cutile_jl) + " |\n";
    for (std::size_t bar = row.find("`|`"); bar != std::string::npos; bar = row.find("`|`")) {
      row.replace(bar, 3, "`\\|`");
    }
    text += row;
  }
  return text;
}

}  // namespace

TEST_SUITE("lift.tile_calls") {
  TEST_CASE("the page of translations is the table that the front ends read") {
    check_golden("docs/tile-calls.md", table());
  }

  TEST_CASE("a name means one operation in each language") {
    for (const Language language : {Language::kTriton, Language::kCutile, Language::kCutileJl}) {
      for (const ApiInfo& info : all_apis()) {
        const std::string& name = info.spelling(language).name;
        CAPTURE(name);
        CHECK((name.empty() || find_api(language, name) == &info));
      }
    }
  }
}

}  // namespace ws::lift::tile
