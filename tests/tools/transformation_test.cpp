// apply_transformation: the naive matrix product through tb-tiling by scripted edits, and what is
// refused on the way.
#include <fstream>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/session/skills.h"
#include "tests/support/golden.h"
#include "tests/support/tiling_script.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// The naive product with a comment of its own, so that tests do not share its tries.
std::string naive_kernel(const std::string& note, const std::string& op = "matmul") {
  Json kernel = matmul_example("naive");
  kernel["source"] = "// " + note + "\n" + kernel["source"].get<std::string>();
  Json problem = matmul_example("problem");
  problem["op"] = op;
  return tools().compiled(problem, kernel);
}

Json ask(const std::string& kernel, const std::string& transformation, Json more = Json::object()) {
  more["kernel_id"] = kernel;
  more["transformation"] = transformation;
  return tools().result("apply_transformation", more);
}

std::string refused(const std::string& kernel, const std::string& transformation,
                    Json more = Json::object()) {
  more["kernel_id"] = kernel;
  more["transformation"] = transformation;
  return tools().refusal("apply_transformation", more);
}

std::string source_of(const std::string& kernel) {
  const auto source = tools().resources().read("kernel://" + kernel + "/source");
  REQUIRE(source.has_value());
  return source->text;
}

}  // namespace

TEST_SUITE("tools.transformation") {
  TEST_CASE("the naive product becomes a tiled one in six judged passes") {
    const std::string root = naive_kernel("through tb-tiling");
    std::string kernel = root;
    for (int pass = 1; pass <= 6; ++pass) {
      CAPTURE(pass);
      const Json told = ask(kernel, "tb-tiling");
      CHECK(told["pass"]["index"] == pass);
      CHECK(told["pass"]["of"] == 6);
      CHECK(told["instruction"].get<std::string>().find("{{") == std::string::npos);
      const Json made = ask(kernel, "tb-tiling", pass == 1 ? tile_sizes() : scripted_pass(pass));
      REQUIRE_MESSAGE(made["applied"] == true, made.dump());
      CHECK(made["parent"] == kernel);
      CHECK(made["attempt"] == 1);
      CHECK(made.contains("validation") == (pass != 4));
      kernel = made["kernel_id"];
    }
    const std::string source = source_of(kernel);
    CHECK(source.find("__shared__ float As[BM][@BK@];") != std::string::npos);
    const Json list = tools().result("apply_transformation", {{"kernel_id", kernel}});
    REQUIRE(list["history"].size() == 6);
    CHECK(list["history"][5]["kernel_id"] == kernel);
    CHECK(list["others"]["tb-tiling"] == "needs a kernel that does not use shared memory yet");
    // The last pass looks at other points of the space than the defaults.
    const auto evidence = tools().services().archive->latest_evidence(kernel, "", "validate");
    REQUIRE((evidence.has_value() && evidence->has_value()));
    CHECK((*evidence)->key.find("\"param_samples\":3") != std::string::npos);
    CHECK((*evidence)->key.find("\"level\":\"standard\"") != std::string::npos);
  }

  TEST_CASE("the loops decide what is tiled, and not the name of the operation") {
    std::string kernel = naive_kernel("a convolution of one tap", "conv2d");
    for (int pass = 1; pass <= 6; ++pass) {
      const Json made = ask(kernel, "tb-tiling", pass == 1 ? tile_sizes() : scripted_pass(pass));
      REQUIRE_MESSAGE(made["applied"] == true, made.dump());
      kernel = made["kernel_id"];
    }
    CHECK(ask(kernel, "thread-tiling")["pass"]["index"] == 1);
    const std::string copy = tools().compiled(twice_problem(), good_kernel());
    const std::string arch = tools().services().devices.back().backend->info()->arch;
    CHECK(refused(copy, "tb-tiling") ==
          "invalid_argument: `tb-tiling` does not apply to " + copy + " on cpu:0 (" + arch +
              "): it needs elements of the inputs that several threads read, in a loop that adds "
              "them up or as neighbours; call it without `transformation` to see those that apply");
  }

  TEST_CASE("a problem that a transformation cannot use is refused") {
    const std::string kernel = naive_kernel("a problem beside it");
    const Json problem = matmul_example("problem");
    CHECK(refused(kernel, "tb-tiling", {{"problem", problem}}) ==
          "invalid_argument: `problem` goes with `target_ir`: a transformation keeps its kernel's "
          "problem; leave it out, or store a kernel of that problem by compile_kernel first");
    CHECK(tools().refusal("apply_transformation",
                          {{"kernel_id", kernel}, {"problem_id", "prb_other"}}) ==
          "invalid_argument: `problem_id` goes with `target_ir`: a transformation keeps its "
          "kernel's problem; leave it out, or store a kernel of that problem by compile_kernel "
          "first");
  }

  TEST_CASE("an instruction has the region's lines, and hashes that an edit may give") {
    const std::string kernel = naive_kernel("hashes");
    const Json told = ask(kernel, "loop-unroll");
    const Json& block = told["editable"][0];
    CHECK(block["region"] == "source");
    CHECK(block["lines"][0] == Json{{"n", 1}, {"text", "// hashes"}});
    CHECK(block["expect"].get<std::string>().size() == 16);
    const Json edit = {{"op", "replace"},
                       {"from", block["from"]},
                       {"to", block["to"]},
                       {"expect", block["expect"]},
                       {"text", source_of(kernel)}};
    const Json made = ask(kernel, "loop-unroll", {{"edits", {edit}}});
    CHECK(made["summary"] ==
          "pass 1 of 2 of `loop-unroll` (whole loops) skipped: the edits change nothing");
    CHECK(made["applied"] == false);
    CHECK(made["kernel_id"] == kernel);  // The same lines: the same kernel, one pass further.
    CHECK(ask(kernel, "loop-unroll")["pass"]["index"] == 2);
    CHECK(ask(kernel, "loop-unroll")["add_params"] == Json{{"UNROLL", {4, 1, 2, 8}}});
  }

  TEST_CASE("an answer has as many lines as fit, and all of them on request") {
    std::string note = "long";
    for (int i = 0; i < 100; ++i) {
      note += "\n// " + std::to_string(i) + std::string(40, '.');
    }
    const std::string kernel = naive_kernel(note);
    const Json told = ask(kernel, "loop-unroll");
    CHECK(told.dump().size() < 4500);
    const Json& rest = told["editable"].back();
    CHECK_FALSE(rest.contains("lines"));
    CHECK(rest["to"] == 113);
    CHECK(told["cut"] ==
          std::to_string(114 - rest["from"].get<int>()) + " lines; `detail` full shows them");
    const Json full = ask(kernel, "loop-unroll", {{"detail", "full"}});
    CHECK_FALSE(full.contains("cut"));
    CHECK(full["editable"].back()["lines"].back()["n"] == 113);
  }

  TEST_CASE("a pass that fails leaves the old kernel, and counts its attempts") {
    const std::string kernel = naive_kernel("fails");
    const Json wrong = {{"edits",
                         {replace_edit(4, 4, "  int col = blockIdx.x * blockDim.x + threadIdx.x;",
                                       "  int col = blockIdx.x * blockDim.x;")}}};
    const Json first = ask(kernel, "coalesce", wrong);
    CHECK(first["applied"] == false);
    CHECK(first["kernel_id"] == kernel);
    CHECK(first["verdict"] == "incorrect");
    CHECK(first["validation"].contains("mismatch"));
    CHECK(first["tried"] != kernel);
    CHECK(first["attempt"] == 1);
    const Json broken = {{"edits",
                          {replace_edit(4, 4, "  int col = blockIdx.x * blockDim.x + threadIdx.x;",
                                        "  int col = nowhere;")}}};
    const Json second = ask(kernel, "coalesce", broken);
    CHECK(second["attempt"] == 2);
    CHECK(second["verdict"] == "compile_error");
    CHECK(second["reason"] == "source:4: use of undeclared identifier 'nowhere'");
    const Json told = ask(kernel, "coalesce");
    CHECK(told["pass"]["index"] == 1);
    bool counted = false;
    for (const Json& row : told["statistics"]) {
      counted = counted || row == Json{{"verdict", "compile_error"}, {"tries", 1}};
    }
    CHECK(counted);
  }

  TEST_CASE("edits outside the pass's region are refused with the reason") {
    const std::string kernel = naive_kernel("elsewhere");
    const Json made = ask(kernel, "tb-tiling", {{"edits", {insert_edit(1, "// hello")}}});
    CHECK(made["applied"] == false);
    CHECK(made["kernel_id"] == kernel);
    CHECK(made["verdict"] == "refused");
    CHECK(made["refused"] ==
          Json::array({{{"edit", "edits[0]"},
                        {"reason",
                         "it changes `source`, and pass 1 of 6 of `tb-tiling` (tile sizes) may "
                         "change only `macros+plan`"}}}));
    const Json plan = ask(kernel, "loop-unroll", {{"set", {{"launches", Json::array()}}}});
    CHECK(plan["refused"][0]["edit"] == "set");
    CHECK(plan["refused"][0]["reason"] ==
          "it changes `plan`, and pass 1 of 2 of `loop-unroll` (whole loops) may change only "
          "`source`");
  }

  TEST_CASE("calls that cannot be are refused by name") {
    const std::string kernel = naive_kernel("bad calls");
    const std::string arch = tools().services().devices.back().backend->info()->arch;
    CHECK(refused(kernel, "tb-tilling") ==
          "not_found: no transformation `tb-tilling`; did you mean `tb-tiling`?");
    CHECK(refused(kernel, "tb-tiling", {{"pass", 3}}) ==
          "invalid_argument: pass 3 of `tb-tiling` is not the next of " + kernel +
              ": pass 1 is; make the passes in order; send `edits` [] for one that has nothing to "
              "change");
    CHECK(refused(kernel, "tb-tiling", {{"pass", 7}}) ==
          "invalid_argument: `pass` is 7, and `tb-tiling` has 6");
    CHECK(refused(kernel, "thread-tiling") ==
          "invalid_argument: `thread-tiling` does not apply to " + kernel + " on cpu:0 (" + arch +
              "): it needs a block that computes a tile from shared memory; call "
              "it without `transformation` to see those that apply");
    CHECK(refused(kernel, "online-softmax") ==
          "invalid_argument: `online-softmax` does not apply to " + kernel + " on cpu:0 (" + arch +
              "): it needs a kernel that reads a row once for its maximum and again for its sum; "
              "call it without `transformation` to see those that apply");
    const Json undeclared = {
        {"edits",
         {replace_edit(4, 4, "  int col = blockIdx.x * blockDim.x + threadIdx.x;",
                       "  int col = blockIdx.x * @BX@ + threadIdx.x;")}}};
    CHECK(refused(kernel, "coalesce", undeclared).find("`@BX@` is not declared at source:4:26") !=
          std::string::npos);
  }

  TEST_CASE("a machine's proposal is taken as it is") {
    const std::string kernel = naive_kernel("proposals");
    const Json swizzle = ask(kernel, "block-swizzle");
    REQUIRE(swizzle.contains("proposal"));
    const Json swizzled = ask(kernel, "block-swizzle", swizzle["proposal"]);
    CHECK_MESSAGE(swizzled["applied"] == true, swizzled.dump());
    CHECK(source_of(swizzled["kernel_id"]).find("int col = block_x * blockDim.x") !=
          std::string::npos);
    std::string id = kernel;
    for (int pass = 1; pass <= 2; ++pass) {
      id = ask(id, "refactor", {{"edits", Json::array()}})["kernel_id"];
    }
    const Json parameters = ask(id, "refactor");
    REQUIRE(parameters.contains("proposal"));
    const Json made = ask(id, "refactor", parameters["proposal"]);
    CHECK_MESSAGE(made["applied"] == true, made.dump());
    const auto stored = tools().services().archive->kernel(made["kernel_id"]);
    REQUIRE(stored.has_value());
    const Json form = Json::parse(stored->json);
    CHECK(form["params"] == Json{{"BLOCK_X", {8, 16, 32}}, {"BLOCK_Y", {8, 16, 32}}});
    CHECK(form["constraints"] == Json::array({"BLOCK_X*BLOCK_Y <= 1024"}));
    CHECK(form["launches"][0]["grid"] == Json::array({"cdiv(n, BLOCK_X)", "cdiv(m, BLOCK_Y)"}));
  }

  TEST_CASE("the document's own example is used by a server that runs already") {
    const auto document = read_file(source_dir() / "docs/transformations.md");
    REQUIRE(document.has_value());
    const std::string fence = "````markdown\n";
    const std::size_t from = document->find(fence) + fence.size();
    const TestFolder folder;
    std::ofstream(folder.path() / "add-restrict.md")
        << document->substr(from, document->find("````\n", from) - from);
    std::ofstream(folder.path() / "broken.md") << "---\nname broken\n---\n";
    const std::string kernel = naive_kernel("the document's example");
    CHECK(refused(kernel, "add-restrict").starts_with("not_found: no transformation"));
    std::vector<std::filesystem::path>& folders = tools().services().options.skills;
    folders = {folder.path()};
    const Json told = ask(kernel, "add-restrict");
    CHECK(told["instruction"].get<std::string>().find("parameter of matmul: A, B, C.") !=
          std::string::npos);
    const std::string head =
        "__global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k) {";
    const std::string restricted =
        "__global__ void matmul(const float* __restrict__ A, const float* __restrict__ B,\n"
        "                       float* __restrict__ C, int m, int n, int k) {";
    const Json made =
        ask(kernel, "add-restrict", {{"edits", {replace_edit(3, 3, head, restricted)}}});
    CHECK_MESSAGE(made["applied"] == true, made.dump());
    CHECK(refused(made["kernel_id"], "add-restrict").find("it needs pointers that are not") !=
          std::string::npos);
    const SkillLibrary skills = current_skills(tools().services().options);
    folders.clear();
    REQUIRE(skills.problems.size() == 1);
    CHECK(skills.problems[0].file == folder.path() / "broken.md");
    CHECK(skills.problems[0].reason == "line 2: expected `key: value`, got `name broken`");
  }

  TEST_CASE("every file that comes with the program is read, and has its text as a resource") {
    const SkillLibrary skills = current_skills(tools().services().options);
    for (const SkillProblem& problem : skills.problems) {
      FAIL_CHECK(problem.file << ": " << problem.reason);
    }
    for (const char* name : {"refactor",
                             "tb-tiling",
                             "warp-tiling",
                             "thread-tiling",
                             "thread-cache",
                             "thread-chunk",
                             "transpose",
                             "offset",
                             "pipelining",
                             "register-staging",
                             "split-k",
                             "block-swizzle",
                             "tensor-core",
                             "tensor-core-mfma",
                             "tensor-tiling",
                             "vectorize",
                             "coalesce",
                             "loop-unroll",
                             "shuffle-reduction",
                             "online-softmax",
                             "fuse-epilogue",
                             "tma-load",
                             "wgmma",
                             "tile-enlarge",
                             "warp-specialize",
                             "register-rebalance",
                             "persistent",
                             "cluster-multicast",
                             "tma-store"}) {
      CAPTURE(name);
      const auto text = tools().resources().read("skill://" + std::string(name));
      REQUIRE(text.has_value());
      CHECK(text->text.starts_with("---\nname: " + std::string(name) + "\n"));
    }
    const auto index = tools().resources().read("skill://index");
    REQUIRE(index.has_value());
    CHECK(index->text.find("- tb-tiling: Each block computes a tile") != std::string::npos);
    CHECK(tools().resources().read("skill://lib/ws_swizzle.cuh").has_value());
    const auto unknown = tools().resources().read("skill://lib/ws_swizle.cuh");
    REQUIRE_FALSE(unknown.has_value());
    CHECK(to_text(unknown.error()) ==
          "not_found: no helper file `lib/ws_swizle.cuh`; did you mean `ws_swizzle.cuh`?");
  }
}

}  // namespace ws::test
