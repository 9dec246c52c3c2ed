#include "runtime/curate/curate.h"

#include <cmath>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"

namespace ws {
namespace {

using Json = nlohmann::json;

std::string problem_text(const std::string& op, const std::string& body, const char* type = "f32",
                         int size = 4096) {
  return Json{{"name", "p"},
              {"op", op},
              {"dims", {{"n", {size}}}},
              {"args",
               {{{"name", "x"}, {"type", type}, {"role", "in"}, {"shape", {"n"}}},
                {{"name", "y"}, {"type", type}, {"role", "out"}, {"shape", {"n"}}}}},
              {"reference",
               {{"kind", "kernel"},
                {"language", "cuda"},
                {"entry", "r"},
                {"source", "__global__ void r(const float* x, float* y, int n) {" + body + "}"},
                {"launches", Json::array()}}}}
      .dump();
}

constexpr const char* kAdd =
    "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] + 1;";
constexpr const char* kRoot =
    "float a = x[threadIdx.x]; a = sqrtf(a) * expf(a); y[threadIdx.x] = a / logf(a);";

class Files {
 public:
  void put(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    REQUIRE(write_file(path, text).has_value());
  }

  [[nodiscard]] Curation made(const CurateOptions& options = {},
                              std::optional<double> us = std::nullopt) const {
    const auto read = read_problem_folder(folder_.path().string());
    REQUIRE_MESSAGE(read.has_value(), to_text(read.error()));
    auto curation = curate(*read, options, [us](const std::string& /*id*/) {
      return Result<std::optional<double>>(us);
    });
    REQUIRE(curation.has_value());
    return *curation;
  }

  [[nodiscard]] const TestFolder& folder() const { return folder_; }

 private:
  TestFolder folder_;
};

std::string left_out(const Curation& curation) {
  std::string text;
  for (const LeftOut& row : curation.left_out) {
    text += row.path + ": " + row.reason + "\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("curate.set") {
  TEST_CASE("near-duplicates are left out, other types and operations stay") {
    const Files files;
    files.put("a.json", problem_text("add", kAdd));
    files.put("b/renamed.json", problem_text("add",
                                             "int j = blockIdx.x * blockDim.x + "
                                             "threadIdx.x; if (j < n) y[j] = x[j] + 2;",
                                             "f32", 512));
    files.put("c.json", problem_text("add", kAdd, "f64"));
    files.put("d.json", problem_text("other", kAdd));
    files.put("e.json", problem_text("add", kRoot));
    const Curation curation = files.made();
    CHECK(left_out(curation) == "b/renamed.json: is a near-duplicate of a.json\n");
    REQUIRE(curation.kept.size() == 4);
    CHECK(curation.kept[1].path == "c.json");
  }

  TEST_CASE("a problem weighs 1/ln(n+1), n being how many its operation has left") {
    const Files files;
    files.put("a.json", problem_text("add", kAdd));
    files.put("b.json", problem_text("add", kRoot));
    files.put("c.json", problem_text("root", kRoot));
    const Curation curation = files.made();
    REQUIRE(curation.kept.size() == 3);
    CHECK(curation.kept[0].cluster == 2);
    CHECK(curation.kept[0].weight == doctest::Approx(1 / std::log(3.0)));
    CHECK(curation.kept[2].weight == doctest::Approx(1 / std::log(2.0)));
    CHECK(curation.kept[0].share + curation.kept[1].share + curation.kept[2].share ==
          doctest::Approx(1));
  }

  TEST_CASE("a range of times leaves out what is outside of it, and what was never timed") {
    const Files files;
    files.put("a.json", problem_text("add", kAdd));
    CHECK(files.made({}, 3).kept.at(0).runtime_us == 3);
    CHECK(files.made({.least_us = 3, .most_us = 3}, 3).kept.size() == 1);
    CHECK(left_out(files.made({.least_us = 10, .most_us = {}}, 2.5)) ==
          "a.json: takes 2.5 us, less than 10\n");
    CHECK(left_out(files.made({.least_us = {}, .most_us = 2}, 2.5)) ==
          "a.json: takes 2.5 us, more than 2\n");
    CHECK(left_out(files.made({.least_us = 10, .most_us = {}})) ==
          "a.json: was never timed here: benchmark a kernel of it against `reference`\n");
  }

  TEST_CASE("a file that looks like a problem but is invalid is named, others are passed over") {
    const Files files;
    files.put("kernel.json", R"({"language":"cuda","source":"","launches":[]})");
    files.put("list.json", "[1, 2]");
    files.put("noise.json", "\xff{");
    files.put("notes.txt", problem_text("add", kAdd));
    files.put("wrong.json", R"({"name":"p","args":7})");
    std::filesystem::create_symlink("wrong.json", files.folder().path() / "link.json");
    const Curation curation = files.made();
    CHECK(curation.kept.empty());
    REQUIRE(curation.left_out.size() == 1);
    CHECK(curation.left_out[0].path == "wrong.json");
    CHECK(curation.left_out[0].reason.starts_with("invalid_argument: problem"));
    const auto none = read_problem_folder((files.folder().path() / "none").string());
    REQUIRE_FALSE(none.has_value());
    CHECK(to_text(none.error()) == "io: `" + (files.folder().path() / "none").string() +
                                       "` cannot be read (No such file or directory)");
  }
}

}  // namespace ws
