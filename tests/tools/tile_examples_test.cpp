// The examples in languages of tiles, validated by the executor against their problems' references.
#include <filesystem>
#include <map>
#include <string>

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

  TEST_CASE("verify_ir finds what is lifted right, or lift_to_ir says why it cannot compare it") {
    std::map<std::string, std::string> not_compared;
    for (const fs::path& folder : sorted_entries(kExamples / "tiles")) {
      for (const fs::path& file : sorted_entries(folder)) {
        if (file.filename() == "problem.json") {
          continue;
        }
        CAPTURE(file.string());
        const Json compiled = tools().result(
            "compile_kernel", {{"problem", problem_of(folder)}, {"kernel", read_json(file)}});
        const Json lifted = tools().result(
            "lift_to_ir", {{"kernel_id", compiled["kernel_id"]}, {"detail", "full"}});
        const Json& step = lifted["next_steps"][0];
        if (!step.contains("read")) {
          not_compared[file.stem()] = step["why"];
          continue;
        }
        const Json compared = tools().result(
            "verify_ir", {{"kernel_id", compiled["kernel_id"]}, {"ir", lifted["ir"]}});
        INFO(compared.dump(1));
        CHECK(compared["verdict"] == "ok");
      }
    }
    const std::string read = "read the program in `ir`, which an answer with `detail` `full` has; ";
    const std::string julia =
        read +
        "verify_ir passes arrays with their dimensions in the problem's order, and the "
        "program has them in Julia's";
    const std::map<std::string, std::string> expected = {
        {"attention_cutile_jl", julia},
        {"layernorm_cutile_jl", julia},
        {"matmul_cutile_jl", julia},
        {"softmax_cutile_jl", julia},
        {"sum_triton",
         read + "verify_ir compares programs of whole plans, and this is launch 0 of 2"}};
    CAPTURE(Json(not_compared).dump(1));
    CHECK(not_compared == expected);
  }
}

}  // namespace ws::test
