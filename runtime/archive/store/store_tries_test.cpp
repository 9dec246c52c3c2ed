// Tries at passes of transformations: attempts, a kernel's history, statistics.
#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_place.h"

namespace ws {
namespace {

/// An archive with the kernels krn_a, krn_b (of a) and krn_c (of b).
std::unique_ptr<Archive> archive_in(const TestPlace& folder) {
  auto opened = Archive::open(folder.place());
  REQUIRE(opened.has_value());
  REQUIRE((*opened)->put_problem({.id = "prb_p", .name = "p", .json = "{}", .created_at = {}}));
  std::string parent;
  for (const std::string id : {"krn_a", "krn_b", "krn_c"}) {
    REQUIRE((*opened)->put_kernel({.id = id,
                                   .name = id,
                                   .problem_id = "prb_p",
                                   .parent = parent,
                                   .json = "{}",
                                   .created_at = {}}));
    parent = id;
  }
  return *std::move(opened);
}

std::int64_t attempt(Archive& archive, const std::string& base, const std::string& kernel,
                     std::int64_t pass, Verdict verdict) {
  const auto added = archive.add_pass_try(
      {.transformation = "t",
       .pass = pass,
       .passes = 2,
       .base_id = base,
       .kernel_id = kernel,
       .verdict = verdict,
       .reason = verdict == Verdict::kPassed ? "" : "why " + std::string(name_of(verdict))});
  return added ? *added : -1;
}

}  // namespace

TEST_SUITE("archive.tries") {
  TEST_CASE("attempts are counted by base and pass") {
    const TestPlace folder;
    const auto archive = archive_in(folder);
    CHECK(attempt(*archive, "krn_a", "krn_x", 1, Verdict::kIncorrect) == 1);
    CHECK(attempt(*archive, "krn_a", "", 1, Verdict::kRefused) == 2);
    CHECK(attempt(*archive, "krn_a", "krn_b", 1, Verdict::kPassed) == 3);
    CHECK(attempt(*archive, "krn_b", "krn_c", 2, Verdict::kPassed) == 1);
    CHECK(attempt(*archive, "krn_b", "krn_c", 1, Verdict::kPassed) == 1);
    CHECK(attempt(*archive, "krn_unknown", "krn_c", 1, Verdict::kPassed) == -1);
  }

  TEST_CASE("a kernel's history has the passes of its ancestors first, and no failed one") {
    const TestPlace folder;
    const auto archive = archive_in(folder);
    attempt(*archive, "krn_b", "krn_c", 2, Verdict::kPassed);
    attempt(*archive, "krn_a", "krn_b", 1, Verdict::kPassed);
    attempt(*archive, "krn_a", "krn_c", 1, Verdict::kTimeout);
    const auto history = archive->pass_history("krn_c");
    REQUIRE(history.has_value());
    REQUIRE(history->size() == 2);
    CHECK((*history)[0].kernel_id == "krn_b");
    CHECK((*history)[0].pass == 1);
    CHECK((*history)[1].kernel_id == "krn_c");
    CHECK((*history)[1].base_id == "krn_b");
    CHECK(archive->pass_history("krn_a")->empty());
  }

  TEST_CASE("statistics count verdicts by pass, with the newest reason") {
    const TestPlace folder;
    const auto archive = archive_in(folder);
    attempt(*archive, "krn_a", "", 1, Verdict::kRefused);
    attempt(*archive, "krn_a", "krn_b", 1, Verdict::kPassed);
    attempt(*archive, "krn_b", "", 1, Verdict::kRefused);
    const auto rows = archive->pass_statistics("t");
    REQUIRE(rows.has_value());
    REQUIRE(rows->size() == 2);
    CHECK((*rows)[0].verdict == Verdict::kPassed);
    CHECK((*rows)[0].tries == 1);
    CHECK((*rows)[1].verdict == Verdict::kRefused);
    CHECK((*rows)[1].tries == 2);
    CHECK((*rows)[1].reason == "why refused");
    CHECK(archive->pass_statistics("other")->empty());
    CHECK(archive->pass_statistics("")->size() == 2);
  }
}

}  // namespace ws
