// Refs: names that are made once, checkpoints that stay, and what a log reads of a kernel.
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/line_store.h"
#include "runtime/archive/store/test_place.h"

namespace ws {
namespace {

std::unique_ptr<Archive> filled(const TestPlace& folder) {
  auto archive = Archive::open(folder.place());
  REQUIRE(archive.has_value());
  REQUIRE((*archive)->put_problem({.id = "p", .name = "p", .json = "{}", .created_at = {}}));
  for (const char* id : {"a", "b"}) {
    REQUIRE((*archive)->put_kernel(
        {.id = id, .name = id, .problem_id = "p", .parent = {}, .json = "{}", .created_at = {}}));
  }
  return *std::move(archive);
}

std::unique_ptr<LineStore> lines_of(const TestPlace& folder) {
  auto lines = LineStore::open(folder.place());
  REQUIRE(lines.has_value());
  return *std::move(lines);
}

RefRow row(const std::string& name, const std::string& kernel, bool fixed) {
  return {.name = name, .kernel_id = kernel, .fixed = fixed, .updated_at = {}};
}

std::string error_of(const Status& status) {
  return status ? "" : to_text(status.error());
}

}  // namespace

TEST_SUITE("archive.refs") {
  TEST_CASE("a name is added once, and only a branch moves") {
    const TestPlace folder;
    const auto archive = filled(folder);
    const auto lines = lines_of(folder);
    REQUIRE(lines->add_ref(row("mm@main", "a", false)));
    REQUIRE(lines->add_ref(row("mm@good", "a", true)));
    CHECK(error_of(lines->add_ref(row("mm@main", "b", false))) ==
          "conflict: `mm@main` exists and points at a; choose another name");
    CHECK(error_of(lines->add_ref(row("mm@good", "a", true))) ==
          "conflict: `mm@good` exists and points at a; choose another name");
    CHECK(error_of(lines->add_ref(row("MM@main", "a", false))) ==
          "invalid_argument: `MM@main` is not a ref; write name@branch with lower-case letters, "
          "digits and _ . -");
    CHECK(error_of(lines->add_ref(row("mm@new", "x", false))) ==
          "not_found: no kernel `x`; ids come from compile_kernel");
    REQUIRE(archive->set_ref("mm@main", "b"));
    CHECK(error_of(archive->set_ref("mm@good", "b")) ==
          "conflict: `mm@good` is a checkpoint of a and never moves; choose another name");
    REQUIRE(archive->set_ref("mm@good", "a"));  // It is there already.
    const auto all = lines->refs("", 10);
    REQUIRE(all->size() == 2);
    const auto of_a = lines->refs("a", 10);
    REQUIRE(of_a->size() == 1);
    CHECK((*of_a)[0].name == "mm@good");
    CHECK((*of_a)[0].fixed);
    CHECK(lines->refs("", 1)->size() == 1);
  }

  TEST_CASE("of processes that add one name at once exactly one succeeds") {
    const TestPlace folder;
    const auto archive = filled(folder);
    const auto first = lines_of(folder);
    const auto second = lines_of(folder);
    constexpr int kEach = 8;
    std::vector<std::string> answers(2 * kEach);
    {
      std::vector<std::jthread> clients;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        LineStore& lines = i % 2 == 0 ? *first : *second;
        clients.emplace_back([&answers, &lines, i] {
          answers[i] = error_of(lines.add_ref(row("one@name", i % 4 < 2 ? "a" : "b", false)));
        });
      }
    }
    CHECK(std::count(answers.begin(), answers.end(), "") == 1);
    const std::string lost = "conflict: `one@name` exists and points at " +
                             archive->ref("one@name").value() + "; choose another name";
    CHECK(std::count(answers.begin(), answers.end(), lost) == 2 * kEach - 1);
  }

  TEST_CASE("a checkpoint is still one in another archive") {
    const TestPlace folder;
    const auto archive = filled(folder);
    const auto lines = lines_of(folder);
    REQUIRE(lines->add_ref(row("mm@good", "a", true)));
    REQUIRE(lines->add_ref(row("mm@main", "a", false)));
    std::string text;
    REQUIRE(archive->export_lines([&text](std::string_view line) -> Status {
      text += line.find("\"ref\"") == std::string_view::npos ? "" : std::string(line) + "\n";
      return {};
    }));
    CHECK(text ==
          "{\"checkpoint\":true,\"kernel_id\":\"a\",\"name\":\"mm@good\",\"type\":\"ref\"}\n"
          "{\"kernel_id\":\"a\",\"name\":\"mm@main\",\"type\":\"ref\"}\n");
    const TestPlace other;
    const auto imported = filled(other);
    ArchiveItem item;
    item.kind = ArchiveItem::Kind::kRef;
    item.label = {.kernel_id = "a", .kind = "checkpoint", .text = "mm@good", .imported = true};
    const auto outcomes = imported->put_all({item, item});
    REQUIRE(outcomes.has_value());
    CHECK_FALSE(outcomes->at(0).error.has_value());
    CHECK_FALSE(outcomes->at(1).error.has_value());
    CHECK(error_of(imported->set_ref("mm@good", "b")) ==
          "conflict: `mm@good` is a checkpoint of a and never moves; choose another name");
  }

  TEST_CASE("evidence comes newest first, and of failed passes only what failed") {
    const TestPlace folder;
    const auto archive = filled(folder);
    const auto lines = lines_of(folder);
    for (const Verdict verdict : {Verdict::kSlower, Verdict::kFaster, Verdict::kSuspect}) {
      for (const char* device : {"d", "e"}) {
        REQUIRE(archive->add_evidence({.id = {},
                                       .kernel_id = "a",
                                       .problem_id = "p",
                                       .device = device,
                                       .kind = "benchmark",
                                       .key = {},
                                       .verdict = verdict,
                                       .json = "{}",
                                       .created_at = {}}));
      }
    }
    const auto newest = lines->newest_evidence("a", "d", "benchmark", 2);
    REQUIRE(newest->size() == 2);
    CHECK((*newest)[0].verdict == Verdict::kSuspect);
    CHECK((*newest)[1].verdict == Verdict::kFaster);
    for (const Verdict verdict :
         {Verdict::kIncorrect, Verdict::kPassed, Verdict::kIncorrect, Verdict::kSkipped}) {
      REQUIRE(archive->add_pass_try({.transformation = "t",
                                     .pass = 1,
                                     .passes = 2,
                                     .base_id = "a",
                                     .kernel_id = "",
                                     .verdict = verdict,
                                     .reason = {}}));
    }
    const auto failed = lines->failed_passes("a");
    REQUIRE(failed->size() == 1);
    CHECK((*failed)[0].verdict == Verdict::kIncorrect);
    CHECK((*failed)[0].tries == 2);
    CHECK(lines->failed_passes("b")->empty());
  }
}

}  // namespace ws
