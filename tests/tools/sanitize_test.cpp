// Level `sanitize`: through the tools, on the fake driver and under a script in place of
// compute-sanitizer, which starts the worker and writes a report that the test gives it.
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/device/offline_backend.h"
#include "runtime/device/sanitizer.h"
#include "runtime/evaluate/validate/sanitized_check.h"
#include "runtime/kernel/form/test_forms.h"
#include "tests/support/contract_device.h"
#include "tests/support/engine_bench.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/tool_bench.h"
#include "tools/evidence/validation_form.h"

namespace ws::test {
namespace {

constexpr const char* kClean = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
constexpr const char* kRace =
    "========= Error: Race reported between Write access at add_one+0x10 in source:2\n"
    "=========     and Read access at add_one+0x20 in source:3 [64 hazards]\n"
    "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";

/// The script, and the report of each tool beside it.
class FakeSanitizer {
 public:
  FakeSanitizer() {
    write("compute-sanitizer",
          "#!/bin/sh\n"
          "tool=$2 log=$4\n"
          "while [ \"${1#--}\" != \"$1\" ]; do shift 2; done\n"
          "\"$@\"\n"
          "cat \"${0%/*}/$tool\" > \"$log\"\n");
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
    for (const SanitizerTool tool : kSanitizerTools) {
      write(std::string(name_of(tool)), kClean);
    }
  }

  void write(const std::string& name, const std::string& text) {
    REQUIRE(write_file(folder_.path() / name, text).has_value());
  }

  [[nodiscard]] std::string path() const { return folder_.path() / "compute-sanitizer"; }

 private:
  TestFolder folder_;
};

Json sanitized(ToolBench& bench, const std::string& entry) {
  return bench.result(
      "validate",
      {{"kernel_id", bench.compiled(bump_problem(), bump_kernel(entry))}, {"level", "sanitize"}});
}

}  // namespace

TEST_SUITE("tools.sanitize") {
  TEST_CASE("a GPU without compute-sanitizer says how to get it") {
    ToolBench bench(1);
    const std::string kernel = bench.compiled(bump_problem(), bump_kernel("add_one"));
    CHECK(bench.refusal("validate", {{"kernel_id", kernel}, {"level", "sanitize"}}) ==
          "unsupported: compute-sanitizer is not installed, so no access can be looked at; install "
          "compute-sanitizer of CUDA 12 or 13 (package cuda-sanitizer-13-0), or set WARPSMITH_CUDA "
          "to the toolkit that has it");
    const Json device = bench.result("list_devices", Json::object())["devices"][0];
    REQUIRE(device["cannot"].size() == 1);
    CHECK(device["cannot"][0]["what"] == "sanitize");
    CHECK(device["cannot"][0]["why"] ==
          "compute-sanitizer is not installed, so no access can be looked at");
  }

  TEST_CASE("a device of another kind has none") {
    const std::unique_ptr<Backend> other = make_offline_backend({}, {});
    DeviceInfo device;
    device.id = "hip:0";
    CHECK(error_text(sanitizer_of(*other, device)) ==
          "unsupported: level `sanitize` needs a sanitizer, and hip:0 has none; use level "
          "`standard` there, and `sanitize` on cpu:0 or an NVIDIA GPU");
  }

  TEST_CASE("a kernel that nothing is wrong with passes, and the answer says what looked at it") {
    const FakeSanitizer sanitizer;
    ToolBench bench(1, sanitizer.path());
    CHECK(bench.result("list_devices", Json::object())["devices"][0]["cannot"].empty());
    const Json answer = sanitized(bench, "add_one");
    CHECK(answer["verdict"] == "passed");
    const std::string told = answer["kernel_id"].get<std::string>() + " passed " +
                             answer["runs_total"].dump() + " runs, and " +
                             answer["engine_check"]["runs"].dump() +
                             " on the CPU engine; memcheck, racecheck, initcheck and synccheck "
                             "found nothing, not tried: n above ";
    CHECK(answer["summary"].get<std::string>().starts_with(told));
    CHECK(answer["sanitizers"] ==
          Json{{"clean", {"memcheck", "racecheck", "initcheck", "synccheck"}},
               {"skipped", Json::array()}});
  }

  TEST_CASE("a race that no result shows is a verdict with both lines") {
    FakeSanitizer sanitizer;
    sanitizer.write("racecheck", kRace);
    ToolBench bench(1, sanitizer.path());
    const Json answer = sanitized(bench, "add_one");
    CHECK(answer["verdict"] == "data_race");
    CHECK(
        answer["message"] ==
        "`add_one` writes shared memory at source:2 and another thread reads it at source:3, with "
        "no barrier between them (64 times)");
    const Json& finding = answer["findings"][0];
    CHECK(finding["tool"] == "racecheck");
    CHECK(finding["kind"] == "data_race");
    CHECK(finding["line"] == 2);
    CHECK(finding["other_line"] == 3);
    CHECK(answer["findings"].size() == 1);
    CHECK(answer["sanitizers"]["clean"] == Json{"memcheck", "initcheck", "synccheck"});
    CHECK(finding["message"] == answer["message"]);
    CHECK(answer["fault"]["file"] == "source");
    CHECK(answer.get<StoredValidation>().result.sanitized->findings.size() == 1);
  }

  TEST_CASE("the verdict of a wrong result stays, and the findings are beside it") {
    FakeSanitizer sanitizer;
    sanitizer.write("racecheck", kRace);
    ToolBench bench(1, sanitizer.path());
    const Json answer = sanitized(bench, "twice");
    CHECK(answer["verdict"] == "incorrect");
    CHECK(answer.contains("mismatch"));
    CHECK(answer["findings"].size() == 1);
  }

  TEST_CASE("a program that does not finish its report is no evidence") {
    FakeSanitizer sanitizer;
    sanitizer.write("memcheck",
                    "========= COMPUTE-SANITIZER\n========= Error: No attachable "
                    "process found\n");
    ToolBench bench(1, sanitizer.path());
    const std::string kernel = bench.compiled(bump_problem(), bump_kernel("add_one"));
    CHECK(
        bench.refusal("validate", {{"kernel_id", kernel}, {"level", "sanitize"}}) ==
        "device_lost: memcheck ended before its report was complete (Error: No attachable process "
        "found); check that `" +
            sanitizer.path() + " --version` fits this driver");
  }

  TEST_CASE("a tool that hangs is ended at its limit") {
    FakeSanitizer sanitizer;
    sanitizer.write("compute-sanitizer", "#!/bin/sh\nsleep 1000\n");
    const auto gpu = fake_gpu("", "", 0, sanitizer.path());
    const ContractRun run(ContractDevice{"fake", gpu.get(), fake_image}, {"add_one"}, 8);
    const auto plan = bind_plan(run.plan, run.image, *run.arena);
    REQUIRE(plan.has_value());
    const auto records = dynamic_cast<Sanitizes&>(*gpu).sanitize(
        run.image, *plan, run.arena, SanitizerTool::kInitcheck, std::chrono::milliseconds(200), {});
    REQUIRE_FALSE(records.has_value());
    CHECK(to_text(records.error()) == "timeout: initcheck took longer than 200 ms");
  }

  TEST_CASE("on the CPU engine each run is made in every order") {
    const std::string kernel = tools().compiled(twice_problem(), good_kernel());
    const Json arguments = {{"kernel_id", kernel}, {"detail", "full"}};
    Json standard = arguments;
    standard["level"] = "standard";
    Json sanitize = arguments;
    sanitize["level"] = "sanitize";
    const std::size_t plain = tools().result("validate", standard)["runs_total"];
    const Json answer = tools().result("validate", sanitize);
    CHECK(answer["verdict"] == "passed");
    CHECK(answer["runs_total"] == 3 * plain);
    CHECK(answer["sanitizers"] == Json{{"clean", {"engine"}}, {"skipped", Json::array()}});
    CHECK(answer["summary"].get<std::string>().find(" runs; no race") != std::string::npos);
  }

  TEST_CASE("strict makes every run of a problem three times") {
    const std::string kernel = tools().compiled(twice_problem(), good_kernel());
    const Json answer = tools().result(
        "validate", {{"kernel_id", kernel}, {"level", "strict"}, {"detail", "full"}});
    CHECK(answer["verdict"] == "passed");
    CHECK(answer["runs_total"].get<std::size_t>() % 3 == 0);
    CHECK(answer["coverage"]["hidden"].get<std::size_t>() > 3);
  }
}

}  // namespace ws::test
