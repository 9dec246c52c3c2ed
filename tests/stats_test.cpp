// `warpsmith stats`: how tries at passes of transformations ended.
#include <chrono>

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_folder.h"
#include "server/protocol/protocol.h"
#include "tests/support/child.h"

namespace ws {
namespace {

using server::Json;

void fill(const TestFolder& folder) {
  const auto archive = Archive::open(folder.path());
  REQUIRE(archive.has_value());
  REQUIRE((*archive)->put_problem({.id = "prb_p", .name = "p", .json = "{}", .created_at = {}}));
  REQUIRE((*archive)->put_kernel({.id = "krn_a",
                                  .name = "a",
                                  .problem_id = "prb_p",
                                  .parent = "",
                                  .json = "{}",
                                  .created_at = {}}));
  for (const Verdict verdict :
       {Verdict::kIncorrect, Verdict::kRefused, Verdict::kIncorrect, Verdict::kPassed}) {
    REQUIRE((*archive)->add_pass_try(
        {.transformation = "tb-tiling",
         .pass = 5,
         .passes = 6,
         .base_id = "krn_a",
         .kernel_id = "",
         .verdict = verdict,
         .reason = verdict == Verdict::kPassed ? "" : "it was " + std::string(name_of(verdict))}));
  }
}

std::string stats_of(const TestFolder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"stats", "--data", folder.path().string()};
  words.insert(words.end(), more.begin(), more.end());
  Child child("warpsmith", words);
  std::string text = child.rest();
  CHECK(child.wait(std::chrono::seconds(10)) == 0);
  return text;
}

}  // namespace

TEST_SUITE("stats") {
  TEST_CASE("each pass has its tries, and how those that failed ended") {
    const TestFolder folder;
    fill(folder);
    CHECK(stats_of(folder, {}) ==
          "transformation          pass    tries   passed  failures\n"
          "tb-tiling               5       4       1       2 incorrect, 1 refused\n");
    const Json report = Json::parse(stats_of(folder, {"--json"}));
    CHECK(report["passes"][0]["tries"] == 4);
    CHECK(report["passes"][0]["failures"][0] ==
          Json{{"verdict", "incorrect"}, {"tries", 2}, {"last_reason", "it was incorrect"}});
  }

  TEST_CASE("where nothing was tried it says so") {
    const TestFolder folder;
    CHECK(stats_of(folder, {}) == "no pass of a transformation was tried yet\n");
  }
}

}  // namespace ws
