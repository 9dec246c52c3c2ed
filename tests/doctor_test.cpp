// `warpsmith doctor`: what is here, what is missing, and the fix.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "server/cli/doctor_checks.h"
#include "server/protocol/protocol.h"
#include "tests/support/child.h"

namespace ws {
namespace {

using server::Json;

namespace fs = std::filesystem;

struct Ended {
  int status = -1;
  std::string out;
};

/// @param program  Beside the tests' own, or "../" and so on to another folder.
Ended run_doctor(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"doctor"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Child child(program, words);
  Ended ended;
  ended.out = child.rest();
  ended.status = child.wait(std::chrono::seconds(10)).value_or(-1);
  return ended;
}

Json check_named(const Json& report, const std::string& what) {
  for (const Json& check : report["checks"]) {
    if (check["what"] == what) {
      return check;
    }
  }
  return nullptr;
}

/// This build's executable in another folder, without the plug-in.
std::string copy_without_plugin(const fs::path& folder) {
  fs::copy_file(fs::path(WS_BINARY_DIR) / "warpsmith", folder / "warpsmith");
  return fs::relative(folder / "warpsmith", WS_BINARY_DIR).string();
}

}  // namespace

TEST_SUITE("doctor") {
  TEST_CASE("a check is a line, and its fix the line below") {
    const std::vector<server::Check> checks = {
        {"version", server::CheckState::kOk, "warpsmith 1", ""},
        {"CPU engine", server::CheckState::kMissing, "it is not there", "build it"},
        {"GPU", server::CheckState::kNote, "not used", ""}};
    CHECK(doctor_table(checks) ==
          "ok       version      warpsmith 1\n"
          "missing  CPU engine   it is not there\n"
          "                      fix: build it\n"
          "note     GPU          not used\n");
  }

  TEST_CASE("where the device works nothing is missing, and nothing is changed") {
    const TestFolder folder;
    const fs::path data = folder.path() / "not" / "yet";
    const Ended ended = run_doctor("warpsmith", {"--json", "--data", data.string()});
    CHECK(ended.status == 0);
    const Json report = Json::parse(ended.out);
    CHECK(report["ok"] == true);
    for (const char* what : {"version", "data folder", "sandbox", "CPU engine", "cores", "memory",
                             "system", "huge pages", "GPU"}) {
      CAPTURE(what);
      CHECK(check_named(report, what).is_object());
    }
    CHECK(check_named(report, "data folder")["value"] ==
          data.string() + ", made when a server first needs it");
    CHECK(!fs::exists(folder.path() / "not"));
    const std::string engine = check_named(report, "CPU engine")["value"];
    CHECK(engine.starts_with("cpu:0, clang 19."));
    CHECK(run_doctor("warpsmith", {"--data", data.string()})
              .out.ends_with("\nThe default device, cpu:0, works.\n"));
  }

  TEST_CASE("the size of a data folder is that of its files") {
    const TestFolder folder;
    REQUIRE(write_file(folder.path() / "a", std::string(1024, 'x')));
    fs::create_directory(folder.path() / "b");
    REQUIRE(write_file(folder.path() / "b" / "c", std::string(512, 'x')));
    const Ended ended = run_doctor("warpsmith", {"--json", "--data", folder.path().string()});
    CHECK(check_named(Json::parse(ended.out), "data folder")["value"] ==
          folder.path().string() + ", writable, 1.5 KiB");
  }

  TEST_CASE("a data folder that cannot be is missing, with a fix") {
    const TestFolder folder;
    const fs::path file = folder.path() / "file";
    REQUIRE(write_file(file, "x"));
    const Ended ended = run_doctor("warpsmith", {"--json", "--data", (file / "data").string()});
    CHECK(ended.status == 1);
    const Json check = check_named(Json::parse(ended.out), "data folder");
    CHECK(check["state"] == "missing");
    CHECK(check["value"] == (file / "data").string() + " cannot be made: " + file.string() +
                                " is not a folder that you may write to");
    CHECK(check["fix"] == "choose another with --data DIR, or change its owner");
  }

  TEST_CASE("without the plug-in the device does not work, and the packages are named") {
    const TestFolder folder;
    const Ended ended =
        run_doctor(copy_without_plugin(folder.path()), {"--data", folder.path().string()});
    CHECK(ended.status == 1);
    CHECK(ended.out.find("missing  CPU engine   " +
                         (folder.path() / "libwarpsmith_clang.so").string() + " is not there\n") !=
          std::string::npos);
    CHECK(ended.out.find("fix: apt install llvm-19-dev libclang-19-dev lld-19, then build again "
                         "with -DWARPSMITH_CPU_ENGINE=ON\n") != std::string::npos);
    CHECK(
        ended.out.ends_with("\nThe default device, cpu:0, does not work: fix what is missing.\n"));
  }

  TEST_CASE("a plug-in that cannot be loaded is named with the loader's reason") {
    const TestFolder folder;
    const std::string program = copy_without_plugin(folder.path());
    REQUIRE(write_file(folder.path() / "libwarpsmith_clang.so", "not a library"));
    const Ended ended = run_doctor(program, {"--json", "--data", folder.path().string()});
    CHECK(ended.status == 1);
    const Json check = check_named(Json::parse(ended.out), "CPU engine");
    CHECK(check["state"] == "missing");
    const std::string value = check["value"];
    CHECK(value.find("file too short") != std::string::npos);
  }
}

}  // namespace ws
