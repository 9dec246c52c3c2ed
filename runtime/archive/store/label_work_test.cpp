// Tests that a label costs the same however many labels its kernel has, by counting SQLite's steps.
#include <atomic>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sqlite3.h>

#include "runtime/archive/search/test_search.h"

namespace ws::test {
namespace {

/// Counts the steps of SQLite's virtual machine, by tens, in all connections that are opened
/// while it lives.
class StepCounter {
 public:
  StepCounter() {
    steps_ = 0;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(&install));
  }

  StepCounter(const StepCounter&) = delete;
  StepCounter& operator=(const StepCounter&) = delete;

  ~StepCounter() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&install)); }

  static std::int64_t take() { return steps_.exchange(0); }

 private:
  static int install(sqlite3* connection, char** /*error*/, const sqlite3_api_routines* /*api*/) {
    constexpr int kSteps = 10;
    sqlite3_progress_handler(
        connection, kSteps,
        [](void*) {
          ++steps_;
          return 0;
        },
        nullptr);
    return SQLITE_OK;
  }

  static std::atomic<std::int64_t> steps_;
};

std::atomic<std::int64_t> StepCounter::steps_ = 0;

std::vector<ArchiveItem> notes(int first, int count) {
  std::vector<ArchiveItem> items(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    ArchiveItem& item = items[static_cast<std::size_t>(i)];
    item.kind = ArchiveItem::Kind::kLabel;
    item.label = {.kernel_id = "k",
                  .kind = "note",
                  .text = "note number " + std::to_string(first + i),
                  .imported = true};
  }
  return items;
}

}  // namespace

TEST_SUITE("archive.label_work") {
  TEST_CASE("the notes of one kernel cost the same each, by import and one at a time") {
    const StepCounter counter;
    const TestFolder folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    put_kernel(*archive, "k", "prb_mm", "int q;");
    constexpr int kGroup = 500;
    std::vector<std::int64_t> imports;
    std::vector<std::int64_t> singles;
    for (int group = 0; group < 12; ++group) {
      StepCounter::take();
      const auto outcomes = archive->put_all(notes(group * kGroup, kGroup));
      REQUIRE(outcomes.has_value());
      CHECK(outcomes->front().added);
      CHECK(outcomes->back().added);
      imports.push_back(StepCounter::take());
      REQUIRE(archive->put_label({"k", "tag", "t" + std::to_string(group)}).has_value());
      singles.push_back(StepCounter::take());
    }
    CHECK(imports.back() < 2 * imports[1]);
    CHECK(singles.back() < 2 * singles[1]);
    CHECK(archive->labels("k", 3)->at(0).text == "t11");
    CHECK(archive->check()->misindexed == 0);
  }

  TEST_CASE("a label of a group that cannot be stored is refused alone") {
    const TestFolder folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    put_kernel(*archive, "k", "prb_mm", "int q;");
    std::vector<ArchiveItem> items = notes(0, 3);
    items[1].label.text.clear();
    std::vector<ArchiveItem> others = notes(0, 2);
    others[0].label.kernel_id = others[1].label.kernel_id = "krn_none";
    others[1].label.text.clear();
    items.insert(items.end(), others.begin(), others.end());
    const auto outcomes = archive->put_all(items);
    REQUIRE(outcomes.has_value());
    std::string text;
    for (const PutOutcome& outcome : *outcomes) {
      text += outcome.added   ? "added\n"
              : outcome.error ? to_text(*outcome.error) + "\n"
                              : "known\n";
    }
    CHECK(text ==
          "added\n"
          "invalid_argument: a note has 1 to 2000 bytes, got 0\n"
          "added\n"
          "not_found: no kernel `krn_none`; ids come from compile_kernel\n"
          "invalid_argument: a note has 1 to 2000 bytes, got 0\n");
  }
}

}  // namespace ws::test
