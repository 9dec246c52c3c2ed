// The examples in languages of tiles, validated by the executor against their problems' references.
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(WS_SOURCE_DIR) / "examples";

Json read_json(const fs::path& path) {
  const Result<std::string> text = read_file(path, std::size_t{1} << 20U);
  REQUIRE(text.has_value());
  return Json::parse(*text);
}

/// The problem of a folder: its own, or the one of CUDA's examples.
Json problem_of(const fs::path& folder) {
  const fs::path own = folder / "problem.json";
  return read_json(fs::exists(own) ? own
                                   : kExamples / "kernels" / folder.filename() / "problem.json");
}

}  // namespace

TEST_SUITE("examples.tiles") {
  TEST_CASE("every kernel of tiles passes validation") {
    std::size_t seen = 0;
    for (const fs::path& folder : sorted_entries(kExamples / "tiles")) {
      for (const fs::path& file : sorted_entries(folder)) {
        if (file.filename() == "problem.json") {
          continue;
        }
        CAPTURE(file.string());
        const Json judged = tools().judge(problem_of(folder), read_json(file));
        INFO(judged.dump(1));
        CHECK(judged["verdict"] == "passed");
        ++seen;
      }
    }
    CHECK(seen >= 15);
  }
}

}  // namespace ws::test
