// The transformations of kernels of tiles: each is carried out in each language as its text says,
// and the kernel that it makes is validated. tests/transformed_tiles has the results of the edits.
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/kernel/form/lines.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
  const Result<std::string> text = read_file(path, std::size_t{1} << 20U);
  REQUIRE(text.has_value());
  return Json::parse(*text);
}

std::string lines_of(const Json& lines) {
  std::string text;
  for (const Json& line : lines) {
    text += line.get<std::string>() + "\n";
  }
  return text;
}

/// The problem of CUDA's examples, with sizes that the executor runs in a moment.
Json small_problem(const std::string& name) {
  Json problem = read_json(source_dir() / "examples/kernels" / name / "problem.json");
  for (auto& [dim, sizes] : problem["dims"].items()) {
    const bool flat = problem["dims"].size() == 1;
    sizes = {{"values", {flat ? 5000 : 80}}, {"min", 1}, {"max", flat ? 200000 : 90}};
  }
  return problem;
}

Json kernel_of(const Json& form) {
  if (form.is_string()) {
    return read_json(source_dir() / "examples/tiles" / (form.get<std::string>() + ".json"));
  }
  Json kernel = form;
  kernel["source"] = lines_of(form["source"]);
  return kernel;
}

/// One edit that replaces all lines.
Json whole_source(const std::string& old, const std::string& text) {
  const std::vector<std::string> lines = split_lines(old);
  return {{"op", "replace"},
          {"from", 1},
          {"to", lines.size()},
          {"old", join_lines(lines, 1, lines.size())},
          {"text", text}};
}

}  // namespace

TEST_SUITE("tools.tile_transformations") {
  TEST_CASE("each makes a right kernel in each language") {
    std::size_t seen = 0;
    for (const fs::path& file : sorted_entries(source_dir() / "tests/transformed_tiles")) {
      CAPTURE(file.string());
      const Json step = read_json(file);
      const Json kernel = kernel_of(step["kernel"]);
      const std::string id = tools().compiled(small_problem(step["problem"]), kernel);
      Json call = {{"kernel_id", id}, {"transformation", step["transformation"]}};
      const Json told = tools().result("apply_transformation", call);
      for (const Json& requirement : told["requires"]) {
        CHECK_MESSAGE(requirement["holds"] != false, requirement.dump());
      }
      call["edits"] = {whole_source(kernel["source"], lines_of(step["source"]))};
      if (step.contains("set")) {
        call["set"] = step["set"];
      }
      const Json made = tools().result("apply_transformation", call);
      INFO(made.dump(1));
      CHECK(made["applied"] == true);
      CHECK(made["validation"]["verdict"] == "passed");
      ++seen;
    }
    CHECK(seen == 15);
  }

  TEST_CASE("an instruction has the code of the kernel's own language, and no other") {
    const Json kernel = kernel_of("matmul/matmul_cutile_jl");
    const std::string id = tools().compiled(small_problem("matmul"), kernel);
    const Json told = tools().result("apply_transformation",
                                     {{"kernel_id", id}, {"transformation", "tile-swizzle"}});
    const std::string text = told["instruction"];
    CHECK(text.find("fld(number, group * tiles_n)") != std::string::npos);
    CHECK(text.find("tl.program_id") == std::string::npos);
    CHECK(text.find("ct.bid(0)") == std::string::npos);
    CHECK(text.find("block's number: `ct.bid(1)`, from 1") != std::string::npos);
  }

  TEST_CASE("the list for a kernel of tiles has those of its kind, and why the others are not") {
    const std::string id =
        tools().compiled(small_problem("softmax"), kernel_of("softmax/softmax_triton"));
    const Json list = tools().result("apply_transformation", {{"kernel_id", id}});
    std::vector<std::string> names;
    for (const Json& row : list["transformations"]) {
      names.push_back(row["name"]);
    }
    CHECK(names == std::vector<std::string>{"tile-online-softmax", "tile-persistent"});
    CHECK(list["others"]["tile-swizzle"] ==
          "needs a grid of two dimensions, whose blocks do not depend on their order");
    CHECK(list["others"]["vectorize"] == "needs a kernel in cuda, hip or hlsl");
  }
}

}  // namespace ws::test
