// Kernels handed over as files: `workflow` with `as`, and `warpsmith export`.
#include "runtime/handover/handover.h"

#include <chrono>
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/kernel/form/forms.h"
#include "tests/support/child.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct Ended {
  int status = -1;
  std::string out;
  std::string errors;
};

Ended run_export(std::vector<std::string> words) {
  words.insert(words.begin(), "export");
  Child child("warpsmith", words);
  Ended ended;
  ended.out = child.rest();
  ended.errors = child.errors();
  ended.status = child.wait(std::chrono::seconds(60)).value_or(-1);
  return ended;
}

std::string file_of(const Json& answer, const std::string& path) {
  for (const Json& file : answer["files"]) {
    if (file["path"] == path) {
      return file["text"];
    }
  }
  return "";
}

std::vector<std::string> paths_of(const Json& answer) {
  std::vector<std::string> paths;
  for (const Json& file : answer["files"]) {
    paths.push_back(file["path"]);
  }
  return paths;
}

}  // namespace

TEST_SUITE("handover") {
  TEST_CASE("only a kernel that passed is handed over, unless the caller says otherwise") {
    ToolBench bench;
    const std::string id = bench.compiled(twice_problem(), good_kernel());
    const Json asked = {{"action", "export"}, {"ref", id}, {"as", "cuda"}};
    CHECK(bench.refusal("workflow", asked) ==
          "conflict: " + id +
              " has no passed validation; validate it first, or say \"allow_unverified\": true");
    Json forced = asked;
    forced["allow_unverified"] = true;
    const Json unverified = bench.result("workflow", forced);
    CHECK(file_of(unverified, "kernel.cu").find("// It was not verified.\n") != std::string::npos);
    const Json passed =
        bench.result("validate", {{"kernel_id", id}, {"level", "quick"}, {"device", "cpu:0"}});
    REQUIRE(passed["verdict"] == "passed");
    const Json answer = bench.result("workflow", asked);
    const std::string evidence = answer["evidence_id"];
    CHECK(evidence.starts_with("evd_"));
    CHECK(file_of(answer, "kernel.cu")
              .find("// It passed validation " + evidence + " (level quick, device cpu:0).\n") !=
          std::string::npos);
    CHECK(paths_of(answer) == std::vector<std::string>{"README.md", "kernel.cu", "kernel.h",
                                                       "reference.cu", "reference.h", "main.cu"});
  }

  TEST_CASE("a kernel that was found wrong is not handed over") {
    ToolBench bench;
    const std::string id =
        bench.compiled(twice_problem(), twice_kernel("  if (i < n) y[i] = 3 * x[i];"));
    const Json found =
        bench.result("validate", {{"kernel_id", id}, {"level", "quick"}, {"device", "cpu:0"}});
    REQUIRE(found["verdict"] == "incorrect");
    const std::string evidence = found["evidence_id"];
    CHECK(bench.refusal(
              "workflow",
              {{"action", "export"}, {"ref", id}, {"as", "pytorch"}, {"allow_unverified", true}}) ==
          "conflict: " + id + " is wrong: its newest validation " + evidence +
              " says incorrect; export another version; `log` shows them");
  }

  TEST_CASE("an extension has its operator, a build, and a test that compares") {
    const Json problem = twice_problem();
    const std::string id = tools().compiled(problem, good_kernel());
    const Json answer = tools().result(
        "workflow",
        {{"action", "export"}, {"ref", id}, {"as", "pytorch"}, {"allow_unverified", true}});
    CHECK(paths_of(answer) == std::vector<std::string>{"README.md", "kernel.cu", "kernel.h",
                                                       "reference.cu", "reference.h", "binding.cpp",
                                                       "setup.py", "test_kernel.py"});
    const std::string binding = file_of(answer, "binding.cpp");
    CHECK(binding.find("  library.def(\"run(Tensor x) -> Tensor\");\n") != std::string::npos);
    CHECK(binding.find("  library.def(\"reference(Tensor x) -> Tensor\");\n") != std::string::npos);
    CHECK(file_of(answer, "test_kernel.py").find("OPERATORS.reference(") != std::string::npos);
    CHECK(file_of(answer, "kernel.cu").find("n is \" + std::to_string(numbers.n)") !=
          std::string::npos);
  }

  TEST_CASE("text of a client cannot leave its string") {
    Json problem = twice_problem();
    problem["reference"] = {{"kind", "python"},
                            {"source",
                             "def reference(inputs, dims):\n"
                             "    return {'y': 2 * inputs['x']}\n"}};
    const std::string id = tools().compiled(problem, good_kernel());
    const Json answer = tools().result(
        "workflow",
        {{"action", "export"}, {"ref", id}, {"as", "pytorch"}, {"allow_unverified", true}});
    CHECK(file_of(answer, "reference.py") == problem["reference"]["source"].get<std::string>());
    CHECK(file_of(answer, "test_kernel.py").find("reference.reference(arrays, sizes)") !=
          std::string::npos);
  }

  TEST_CASE("other languages and references that nothing could test are refused") {
    const auto text = read_file(source_dir() / "examples/kernels/vadd/problem.json");
    REQUIRE(text.has_value());
    const auto problem = problem_from_json(Json::parse(*text));
    REQUIRE(problem.has_value());
    Kernel kernel;
    kernel.id = "krn_tiles_0";
    kernel.language = "triton";
    const auto tiles = hand_over({*problem, kernel, {}, {}}, HandoverForm::kCuda);
    REQUIRE_FALSE(tiles.has_value());
    CHECK(to_text(tiles.error()) ==
          "unsupported: krn_tiles_0 is written in `triton`; only kernels in CUDA are handed over; "
          "kernel://krn_tiles_0/source is its text");
    Problem other = *problem;
    other.reference_kind = "cuir";
    other.reference = nullptr;
    kernel.language = "cuda";
    const auto untested = hand_over({other, kernel, {}, {}}, HandoverForm::kPytorch);
    REQUIRE_FALSE(untested.has_value());
    CHECK(
        to_text(untested.error()) ==
        "unsupported: a reference of kind `cuir` cannot be handed over, so nothing would test the "
        "extension; give the problem a reference of kind `kernel` or `python`");
  }

  TEST_CASE("the command writes into a folder that was empty or not there") {
    ToolBench bench;
    const std::string id = bench.compiled(twice_problem(), good_kernel());
    const std::string data = bench.services().options.data_dir.string();
    const TestFolder out;
    const std::string folder = (out.path() / "made").string();
    const std::vector<std::string> words = {id, "--as", "cuda", "-o", folder, "--data", data};
    const Ended refused = run_export(words);
    CHECK(refused.status == 1);
    CHECK(refused.errors ==
          "conflict: " + id +
              " has no passed validation; validate it first, or say \"allow_unverified\": true\n");
    std::vector<std::string> forced = words;
    forced.emplace_back("--allow-unverified");
    const Ended written = run_export(forced);
    CHECK(written.errors == "");
    CHECK(written.out == "6 files of " + id + " are in `" + folder + "`\n");
    CHECK(std::filesystem::exists(folder + "/main.cu"));
    const Ended again = run_export(forced);
    CHECK(again.status == 1);
    CHECK(again.errors ==
          "invalid_argument: `" + folder + "` is not empty; name a folder that is not there yet\n");
    forced[4] = "/proc/nothing";
    const Ended nowhere = run_export(forced);
    CHECK(nowhere.status == 1);
    CHECK(nowhere.errors == "io: `/proc/nothing` cannot be made (No such file or directory)\n");
  }
}

}  // namespace ws::test
