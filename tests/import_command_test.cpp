// `warpsmith import` and `warpsmith export` of other projects' files, from the file to a kernel
// that passes and back.
#include <filesystem>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/kernel/form/forms.h"
#include "tests/support/child.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct ImportEnded {
  int status = -1;
  std::string out;
  std::string errors;
};

ImportEnded run_words(const std::vector<std::string>& words) {
  Child child("warpsmith", words);
  child.close_input();
  ImportEnded ended;
  ended.out = child.rest();
  ended.errors = child.errors();
  ended.status = child.wait(std::chrono::seconds(180)).value_or(-1);
  return ended;
}

std::string sample_path(const std::string& name) {
  return (source_dir() / "tests/data/exchange" / name).string();
}

std::string sample_text(const std::string& name) {
  const auto text = read_file(sample_path(name));
  REQUIRE(text.has_value());
  return *text;
}

/// The printed {problem, kernel}. REQUIREs success.
Json imported_call(const std::vector<std::string>& words) {
  const ImportEnded ended = run_words(words);
  REQUIRE_MESSAGE(ended.status == 0, ended.errors);
  return Json::parse(ended.out);
}

/// The error of an import of a text that stands in a file.
std::string refusal_of_file(const std::string& source, const std::string& text,
                            const std::string& name = "solution.py") {
  const TestFolder folder;
  const std::string path = (folder.path() / name).string();
  REQUIRE(write_file(path, text).has_value());
  const ImportEnded ended = run_words({"import", source, path});
  CHECK(ended.status == 1);
  CHECK(ended.out.empty());
  return ended.errors;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

bool torch_for_imports() {
  static const bool here = [] {
    const ImportEnded ended = run_words({"import", "pytorch", sample_path("bias_relu.py")});
    if (ended.status != 0) {
      MESSAGE("left out: PyTorch (" << ended.errors << ")");
    }
    return ended.status == 0;
  }();
  return here;
}

/// The files that `export` writes of a kernel.
std::filesystem::path exported(const ToolBench& bench, const std::string& kernel,
                               const std::string& form, const TestFolder& place) {
  const std::filesystem::path folder = place.path() / form;
  const ImportEnded ended =
      run_words({"export", kernel, "--as", form, "-o", folder.string(), "--data",
                 bench.folder().string(), "--log-level", "off", "--no-gpu", "--allow-unverified"});
  REQUIRE_MESSAGE(ended.status == 0, ended.errors);
  return folder;
}

struct BadSolution {
  const char* from;
  const char* to;
  const char* error;
};

}  // namespace

TEST_SUITE("tools.import") {
  TEST_CASE("a solution of FlashInfer-Bench is judged, and comes back from its export") {
    if (!torch_for_imports()) {
      return;
    }
    const Json call = imported_call(
        {"import", "flashinfer", sample_path("row_scale.definition.json"),
         sample_path("row_scale.workloads.jsonl"), sample_path("row_scale.solution.json")});
    ToolBench bench;
    const Json judged = bench.judge(call["problem"], call["kernel"]);
    CHECK_MESSAGE(judged["verdict"] == "passed", judged.dump());
    const std::string kernel = judged["kernel_id"];
    const TestFolder place;
    const auto folder = exported(bench, kernel, "flashinfer", place);
    const Json again =
        imported_call({"import", "flashinfer", (folder / "definitions/row_scale_h96.json").string(),
                       (folder / "solutions/row_scale_by_element.json").string()});
    CHECK(bench.compiled(again["problem"], again["kernel"]) == kernel);
    // The definition by itself describes the same problem to others.
    Json definition = Json::parse(*read_file(folder / "definitions/row_scale_h96.json"));
    const Json given = Json::parse(sample_text("row_scale.definition.json"));
    CHECK(definition["reference"] == given["reference"]);
    CHECK(definition["axes"]["hidden"]["value"] == 96);
    CHECK(definition["outputs"] == given["outputs"]);
  }

  TEST_CASE("a solution of KernelBench is judged, and comes back from its export") {
    if (!torch_for_imports()) {
      return;
    }
    const Json call = imported_call({"import", "kernelbench", sample_path("bias_relu.py"),
                                     sample_path("bias_relu_solution.py")});
    CHECK(
        call["kernel"]["launches"][0]["args"] ==
        Json::parse(
            R"json(["x", "shift", "output", {"value": "(tokens * 40)", "type": "i32"}, {"value": "40", "type": "i32"}])json"));
    ToolBench bench;
    const Json judged = bench.judge(call["problem"], call["kernel"]);
    CHECK_MESSAGE(judged["verdict"] == "passed", judged.dump());
    const std::string kernel = judged["kernel_id"];
    const TestFolder place;
    const std::string file =
        (exported(bench, kernel, "kernelbench", place) / "kernel_bias_relu_forward.py").string();
    const Json again = imported_call({"import", "kernelbench", file});
    CHECK(bench.compiled(again["problem"], again["kernel"]) == kernel);
    const std::string text = *read_file(file);
    CHECK(text.find("class ModelNew(Model):") != std::string::npos);
    CHECK(text.find("tensors += [state[name] for name in (\"shift\", )]") != std::string::npos);
    CHECK(text.find("make_module") == text.find("make_module", text.find("warpsmith = (")));
    const BadSolution kChanges[] = {
        {"cuda_source = (", "cuda_source = (\"//\"\n", "cuda_sources"},
        {"return torch.relu(x + self.shift)", "return torch.relu(x)", "file"},
        {"kernel.run(*tensors)", "kernel.run(*tensors[::-1])", "file"},
        {"\\\"role\\\":\\\"out\\\"", "\\\"role\\\":\\\"in\\\"", "problem"}};
    for (const BadSolution& each : kChanges) {
      CAPTURE(std::string(each.from));
      CHECK(refusal_of_file("kernelbench", replaced(text, each.from, each.to)) ==
            "conflict: the solution was changed after its export: `" + std::string(each.error) +
                "` is not that of the kernel in `warpsmith`; change the kernel here and export it "
                "again\n");
    }
  }

  TEST_CASE("a specification of Kernel Tuner is judged, and comes back from its export") {
    const Json call = imported_call({"import", "kernel-tuner", sample_path("clamp.t1.json")});
    ToolBench bench;
    const std::string kernel = bench.compiled(call["problem"], call["kernel"]);
    CHECK(bench.result("validate", {{"kernel_id", kernel}})["message"] ==
          "the kernel was compared with itself: the problem's reference is made from it");
    const TestFolder place;
    const auto folder = exported(bench, kernel, "kernel-tuner", place);
    const Json again = imported_call({"import", "kernel-tuner", (folder / "t1.json").string()});
    CHECK(bench.compiled(again["problem"], again["kernel"]) == kernel);
  }

  TEST_CASE("a solution of KernelBench in a form that cannot be read is refused by its line") {
    const std::string good = sample_text("bias_relu_solution.py");
    const BadSolution kCases[] = {
        {"class ModelNew(nn.Module):", "class Other(nn.Module):  # class ModelNew",
         "invalid_argument: the file has no class ModelNew\n"},
        {"loaded = load_inline(", "loaded = compiled(",
         "invalid_argument: the file does not call load_inline\n"},
        {"class ModelNew(nn.Module):", "load_inline()\nload_inline()\n\nclass ModelNew(nn.Module):",
         "invalid_argument: the file calls load_inline more than once, and one call can be read\n"},
        {"cuda_sources=cuda_text", "cuda_sources=open(\"x\").read()",
         "invalid_argument: load_inline gets cuda_sources that are not texts of the file: "
         "`open('x').read()`\n"},
        {"loaded = load_inline(", "cuda_text += other\n\nloaded = load_inline(",
         "invalid_argument: load_inline gets cuda_sources that are not texts of the file: "
         "`cuda_text`\n"},
        {"loaded = load_inline(",
         "if torch.cuda.is_available():\n    cuda_text = \"\"\n\nloaded = load_inline(",
         "invalid_argument: load_inline gets cuda_sources that are not texts of the file: "
         "`cuda_text`\n"},
        {"x = x.contiguous()", "x = torch.relu(x)",
         "invalid_argument: ModelNew.forward does more than call one function: `x = "
         "torch.relu(x)`\n"},
        {"bias_relu_forward(x, self.shift)\n", "bias_relu_forward(x, x + 1)\n",
         "invalid_argument: ModelNew.forward gives the kernel's function `x + 1`, which is neither "
         "an "
         "input nor a weight\n"},
        {"bias_relu_forward(x, self.shift)\n", "bias_relu_forward(x.float(), self.shift)\n",
         "invalid_argument: ModelNew.forward gives the kernel's function `x.float()`, which is "
         "neither an input nor a weight\n"},
        {"return self.loaded.bias_relu_forward(x, self.shift)", "return x",
         "invalid_argument: ModelNew.forward does not end with the call of a loaded function by "
         "position\n"},
        {"    def forward(", "    def backward(",
         "invalid_argument: class ModelNew has no method forward\n"},
        {"import torch\n", "import torch (\n",
         "invalid_argument: the file is no Python: SyntaxError at solution:1:14: import torch "
         "(\n"}};
    for (const BadSolution& each : kCases) {
      CAPTURE(std::string(each.from));
      CHECK(refusal_of_file("kernelbench", replaced(good, each.from, each.to)) == each.error);
    }
    std::string doubled = "a = \"" + std::string(32, 'x') + "\"\n";
    std::string added = doubled;
    for (int i = 0; i < 30; ++i) {
      doubled += "a = a + a\n";
      added += "a += a\n";
    }
    std::string many = "a = \"" + std::string(1000, 'x') + "\"\n";
    for (int i = 0; i < 1200; ++i) {
      many += "a" + std::to_string(i) + " = a\n";
    }
    std::string listed = "a = \"" + std::string(1000, 'x') + "\"\nb = [a";
    for (int i = 0; i < 1200; ++i) {
      listed += ", a";
    }
    for (const std::string& texts : {doubled, added, many, listed + "]\n"}) {
      CHECK(refusal_of_file("kernelbench", texts + good) ==
            "invalid_argument: the texts of the file have more than 1048576 characters\n");
    }
    CHECK(refusal_of_file("kernelbench", good) ==
          "invalid_argument: the solution does not say its problem; give the file with class Model "
          "beside it\n");
    CHECK(refusal_of_file("kernelbench", "x = 1\n") ==
          "invalid_argument: no file has the class ModelNew of a solution\n");
  }

  TEST_CASE("code of a solution is never run") {
    const TestFolder folder;
    const std::filesystem::path trace = folder.path() / "trace";
    const std::string code = "open(" + Json(trace.string()).dump() + ", 'w').write('run')\n";
    static_cast<void>(refusal_of_file("kernelbench", code + sample_text("bias_relu_solution.py")));
    CHECK_FALSE(std::filesystem::exists(trace));
  }

  TEST_CASE("paths inside files lead nowhere") {
    const TestFolder folder;
    const TestFolder other;
    REQUIRE(write_file(other.path() / "secret.cu", "int secret;\n").has_value());
    std::filesystem::create_symlink(other.path() / "secret.cu", folder.path() / "clamp.cu");
    const std::string t1 = (folder.path() / "t1.json").string();
    REQUIRE(write_file(t1, sample_text("clamp.t1.json")).has_value());
    CHECK(run_words({"import", "kernel-tuner", t1}).errors ==
          "invalid_argument: KernelSpecification.KernelFile: `clamp.cu` leads out of the folder of "
          "the "
          "T1 file by a link\n");
    const std::string up =
        replaced(sample_text("clamp.t1.json"), "\"clamp.cu\"", "\"../secret.cu\"");
    CHECK(refusal_of_file("kernel-tuner", up, "t1.json") ==
          "invalid_argument: KernelSpecification.KernelFile: `../secret.cu` is no path below the "
          "folder of the T1 file\n");
    const std::string odd = replaced(sample_text("clamp.t1.json"), "clamp.cu", "k\\u001b[1m.cu");
    std::filesystem::create_symlink(other.path() / "secret.cu", folder.path() / "k\x1b[1m.cu");
    REQUIRE(write_file(t1, odd).has_value());
    CHECK(run_words({"import", "kernel-tuner", t1}).errors ==
          "invalid_argument: KernelSpecification.KernelFile: `k [1m.cu` leads out of the folder of "
          "the T1 file by a link\n");
    REQUIRE(write_file(folder.path() / "id_rsa", "secret\n").has_value());
    std::filesystem::create_symlink(folder.path() / "id_rsa", folder.path() / "key.cu");
    REQUIRE(
        write_file(t1, replaced(sample_text("clamp.t1.json"), "clamp.cu", "key.cu")).has_value());
    CHECK(run_words({"import", "kernel-tuner", t1}).errors ==
          "invalid_argument: KernelSpecification.KernelFile: `key.cu` leads to a file with another "
          "ending by a link\n");
    // Names of problems and kernels become names of files.
    ToolBench bench;
    auto definition = nlohmann::ordered_json::parse(sample_text("row_scale.definition.json"));
    definition["name"] = "../../up";  // The order of its inputs counts.
    definition["reference"] =
        "def run(x, factor, offset):\n    return x * factor[:, None] + offset\n";
    Json solution = Json::parse(sample_text("row_scale.solution.json"));
    solution["name"] = "/abs/../kernel";
    solution["definition"] = "../../up";
    const std::string definition_file = (folder.path() / "d.json").string();
    const std::string solution_file = (folder.path() / "s.json").string();
    const std::string workloads_file = (folder.path() / "w.jsonl").string();
    REQUIRE(write_file(definition_file, definition.dump()).has_value());
    REQUIRE(write_file(solution_file, solution.dump()).has_value());
    std::string workloads = sample_text("row_scale.workloads.jsonl");
    for (std::size_t at = workloads.find("row_scale_h96"); at != std::string::npos;
         at = workloads.find("row_scale_h96")) {
      workloads.replace(at, 13, "../../up");
    }
    REQUIRE(write_file(workloads_file, workloads).has_value());
    const Json call =
        imported_call({"import", "flashinfer", definition_file, workloads_file, solution_file});
    const std::string kernel = bench.compiled(call["problem"], call["kernel"]);
    const TestFolder place;
    const auto out = exported(bench, kernel, "flashinfer", place);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place.path())) {
      if (entry.is_regular_file()) {
        names.push_back(std::filesystem::relative(entry.path(), out).string());
      }
    }
    std::ranges::sort(names);
    CHECK(names == std::vector<std::string>{"definitions/up.json", "solutions/abs_kernel.json",
                                            "workloads/up.jsonl"});
  }

  TEST_CASE("a kernel's file that is a pipe or not there is refused, not waited for") {
    const TestFolder folder;
    const std::string t1 = (folder.path() / "t1.json").string();
    REQUIRE(write_file(t1, sample_text("clamp.t1.json")).has_value());
    const std::string refused =
        "invalid_argument: KernelSpecification.KernelFile: `clamp.cu` is no file\n";
    CHECK(run_words({"import", "kernel-tuner", t1}).errors == refused);
    REQUIRE(mkfifo((folder.path() / "clamp.cu").c_str(), 0600) == 0);
    CHECK(run_words({"import", "kernel-tuner", t1}).errors == refused);
  }

  TEST_CASE("a size that is none is refused as it was written") {
    for (const char* word : {"rows", "rows=", "rows=0", "rows=4,", "rows=4x", "=4"}) {
      CHECK(run_words(
                {"import", "flashinfer", sample_path("row_scale.definition.json"), "--size", word})
                .errors == "invalid_argument: --size " + std::string(word) +
                               ": expected NAME=SIZE or NAME=SIZE,SIZE\n");
    }
  }
}

}  // namespace ws::test
