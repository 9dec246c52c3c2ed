// workflow export with `as`, and `warpsmith export`: whose kernels are handed over, and where to.
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/child.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json export_of(const std::string& kernel, const std::string& form) {
  return {{"action", "export"}, {"ref", kernel}, {"as", form}};
}

std::string first_text(const Json& answer) {
  return answer["files"][0]["text"];
}

struct Exported {
  int status = -1;
  std::string out;
  std::string err;
};

Exported run_export(const std::vector<std::string>& arguments) {
  Child child("warpsmith", arguments);
  child.close_input();
  Exported ended;
  ended.out = child.rest();
  ended.err = child.errors();
  ended.status = child.wait(std::chrono::seconds(60)).value_or(-1);
  return ended;
}

}  // namespace

TEST_SUITE("tools.hand_over") {
  TEST_CASE("only a kernel that passed is handed over, unless the caller allows more") {
    ToolBench bench;
    const std::string kernel = bench.compiled(twice_problem(), good_kernel());
    CHECK(bench.refusal("workflow", export_of(kernel, "cuda")) ==
          "conflict: " + kernel +
              " has no passed validation; validate it first, or give \"allow_unverified\": true");
    Json allowed = export_of(kernel, "cuda");
    allowed["allow_unverified"] = true;
    const Json unverified = bench.result("workflow", allowed);
    CHECK(unverified["summary"] == kernel + " as cuda: 1 file; NOT VERIFIED");
    CHECK(first_text(unverified).find("// evidence:   none: NOT VERIFIED\n") != std::string::npos);

    const Json validation = bench.result("validate", {{"kernel_id", kernel}});
    REQUIRE(validation["verdict"] == "passed");
    const std::string evidence = validation["evidence_id"];
    const Json verified = bench.result("workflow", export_of(kernel, "cuda"));
    CHECK(verified["summary"] == kernel + " as cuda: 1 file, verified by " + evidence);
    CHECK(verified["evidence_id"] == evidence);
    CHECK(first_text(verified).find("// evidence:   " + evidence +
                                    ", passed\n// device:     CPU "
                                    "engine") != std::string::npos);
    const auto extreme = [&validation](const char* which) {
      return std::to_string(validation["coverage"][which]["n"].get<std::int64_t>());
    };
    CHECK(first_text(verified).find("//   n: " + extreme("smallest") + " to " + extreme("largest") +
                                    "\n// parameters: none\n") != std::string::npos);
    CHECK_FALSE(first_text(verified).find("// verified sizes:\n") == std::string::npos);
  }

  TEST_CASE("a kernel that was found wrong says so") {
    ToolBench bench;
    const Json judged = bench.judge(twice_problem(), twice_kernel("  if (i < n) y[i] = 3 * x[i];"));
    REQUIRE(judged["verdict"] == "incorrect");
    const std::string kernel = judged["kernel_id"];
    CHECK(bench.refusal("workflow", export_of(kernel, "pytorch")) ==
          "conflict: " + kernel + " is incorrect by " + judged["evidence_id"].get<std::string>() +
              "; correct it, or give \"allow_unverified\": true");
  }

  TEST_CASE("CuIR is what lift_to_ir gives, and a kernel without a whole program is refused") {
    ToolBench bench;
    const std::string kernel = bench.compiled(twice_problem(), good_kernel());
    Json asked = export_of(kernel, "cuir");
    asked["allow_unverified"] = true;
    const Json lifted = bench.result("lift_to_ir", {{"kernel_id", kernel}, {"detail", "full"}});
    REQUIRE(lifted["verdict"] == "lifted");
    CHECK(first_text(bench.result("workflow", asked)).ends_with(lifted["ir"].get<std::string>()));
    Json twice = good_kernel();
    twice["launches"].push_back(twice["launches"][0]);
    asked["ref"] = bench.compiled(twice_problem(), twice);
    CHECK(bench.refusal("workflow", asked) ==
          "unsupported: " + asked["ref"].get<std::string>() +
              " cannot be lifted to CuIR: the plan has 2 launches, and a program is one: this is "
              "launch 0");
  }

  TEST_CASE("arguments of an export belong to no other action") {
    CHECK(tools().refusal("workflow", {{"action", "log"}, {"as", "cuda"}}) ==
          "invalid_argument: `as` belongs to the action `export`, not to `log`");
    CHECK(tools().refusal("workflow", {{"action", "log"}, {"allow_unverified", true}}) ==
          "invalid_argument: `allow_unverified` belongs to the action `export`, not to `log`");
  }

  TEST_CASE("the command writes the files into a new or empty folder only") {
    ToolBench bench;
    const std::string kernel = bench.compiled(twice_problem(), good_kernel());
    const std::string data = bench.folder().string();
    const TestFolder place;
    const std::string folder = (place.path() / "new").string();
    const auto words = [&](const std::string& to, bool allow) {
      std::vector<std::string> all = {"export", kernel, "--as",        "pytorch", "-o",      to,
                                      "--data", data,   "--log-level", "off",     "--no-gpu"};
      if (allow) {
        all.emplace_back("--allow-unverified");
      }
      return all;
    };
    const Exported refused = run_export(words(folder, false));
    CHECK(refused.status == 1);
    CHECK(refused.err ==
          "conflict: " + kernel +
              " has no passed validation; validate it first, or give \"allow_unverified\": true\n");
    CHECK_FALSE(std::filesystem::exists(folder));
    const Exported written = run_export(words(folder, true));
    CHECK(written.status == 0);
    CHECK(written.out.starts_with(folder + "/kernel.cu\n" + folder + "/kernel.h\n"));
    CHECK(std::filesystem::exists(folder + "/binding.cpp"));
    const Exported again = run_export(words(folder, true));
    CHECK(again.status == 1);
    CHECK(again.err == "conflict: the folder `" + folder + "` is not empty; give a new one\n");
    const std::string file = folder + "/kernel.h";
    CHECK(run_export(words(file, true)).err == "conflict: `" + file + "` is no folder\n");
    CHECK(run_export(words(file + "/below", true)).err ==
          "io: cannot make the folder `" + file + "/below` (Not a directory)\n");
  }
}

}  // namespace ws::test
