// Tests of what gc keeps of judged kernels, by age and by size.
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/usage.h"
#include "runtime/base/clock.h"
#include "runtime/base/viewer.h"

namespace ws::test {
namespace {

constexpr std::int64_t kDayMs = 24LL * 60 * 60 * 1000;

std::int64_t number(const TestPlace& folder, const std::string& sql) {
  auto file = folder.connection();
  auto row = file->prepare(sql);
  REQUIRE_MESSAGE(row.has_value(), to_text(row.error()));
  REQUIRE(row->step().has_value());
  return row->integer(0);
}

void change(const TestPlace& folder, const std::string& sql) {
  auto file = folder.connection();
  const Status done = file->execute(sql);
  REQUIRE_MESSAGE(done.has_value(), to_text(done.error()));
}

/// Makes a kernel, its evidence, or all rows so many days older.
void make_older(const TestPlace& folder, int days, const std::string& id = "%") {
  const std::int64_t then = unix_ms() - days * kDayMs;
  for (const char* table : {"kernels", "problems"}) {
    change(folder, std::string("UPDATE ") + table + " SET created_at = '" + timestamp_of(then) +
                       "' WHERE id LIKE '" + id + "'");
  }
  change(folder, "UPDATE evidence SET created_ms = " + std::to_string(then) +
                     " + seq WHERE kernel_id LIKE '" + id + "'");
  change(folder,
         "UPDATE standings SET at_ms = (SELECT max(e.created_ms) FROM evidence e "
         "JOIN indexed_kernels i ON i.kernel_id = e.kernel_id WHERE i.seq = kernel "
         "AND e.device = standings.device AND e.kind = 'validate')");
}

std::string going(Archive& archive, const GarbageRules& rules, bool remove = false) {
  const Result<GarbageReport> report = archive.collect_garbage(rules, remove);
  REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
  std::string text = std::to_string(report->evidence) + " evidence, " +
                     std::to_string(report->problems) + " problems:";
  for (const std::string& id : report->ids) {
    text += " " + id;
  }
  return text;
}

void put_judged(Archive& archive, const std::string& id, Verdict verdict, double ratio = 0) {
  put_kernel(archive, id, "prb_mm", "int " + id + ";");
  judge(archive, id, "compile", Verdict::kCompiled);
  judge(archive, id, "validate", verdict);
  if (ratio > 0) {
    judge(archive, id, "benchmark", Verdict::kFaster, ratio);
  }
}

}  // namespace

TEST_SUITE("archive.retention") {
  TEST_CASE("of one principal only what is its alone goes") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    const auto put_as = [&](const std::string& owner, const std::string& id) {
      const ViewerScope viewer(std::make_shared<const Viewer>(
          Viewer{.owner = owner, .sees_all = false, .shares = false}));
      put_kernel(*archive, id, "prb_mm", "int " + id + ";");
    };
    put_as("alice", "hers");
    put_as("alice", "both");
    put_as("bob", "both");
    put_as("bob", "his");
    put_kernel(*archive, "open", "prb_mm", "int open;");
    make_older(folder, 40);
    CHECK(going(*archive, {.owner = "alice"}) == "0 evidence, 0 problems: hers");
    CHECK(going(*archive, {.owner = "carol"}) == "0 evidence, 0 problems:");
    const auto usage = *ArchiveUsage::open(folder.place());
    const auto others = [&](const GarbageRules& rules) {
      return usage->garbage_of_others(rules).value();
    };
    CHECK(others({.owner = "alice"}) == 1);
    CHECK(others({.days = 41, .owner = "alice"}) == 0);
    CHECK(others({.owner = "carol"}) == 0);
    CHECK(others({}) == 0);
    CHECK(others({.owner = "bob"}) == 1);
    CHECK(going(*archive, {.owner = "alice"}, true) == "0 evidence, 0 problems: hers");
    CHECK(going(*archive, {}) == "0 evidence, 1 problems: open his both");
  }

  TEST_CASE("of old judged kernels the fastest, the last and the last failed stay") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    put_judged(*archive, "wrong", Verdict::kIncorrect);
    put_judged(*archive, "slow", Verdict::kPassed, 1);
    put_judged(*archive, "fastest", Verdict::kPassed, 5);
    put_judged(*archive, "crash", Verdict::kRuntimeError);
    put_judged(*archive, "middle", Verdict::kPassed, 3);
    put_judged(*archive, "last", Verdict::kPassed, 2);
    CHECK(going(*archive, {.days = 1}) == "0 evidence, 0 problems:");
    make_older(folder, 40);
    CHECK(going(*archive, {.days = 41}) == "0 evidence, 0 problems:");
    CHECK(going(*archive, {}) == "8 evidence, 0 problems: wrong slow middle");
    CHECK(number(folder, "SELECT count(*) FROM evidence") == 16);
    CHECK(going(*archive, {}, true) == "8 evidence, 0 problems: wrong slow middle");
    CHECK(number(folder, "SELECT count(*) FROM evidence") == 8);
    CHECK(number(folder, "SELECT count(*) FROM kernels") == 3);
    CHECK(number(folder, "SELECT count(*) FROM standings") == 3);
    CHECK(archive->check()->misindexed == 0);
    CHECK(going(*archive, {}) == "0 evidence, 0 problems:");
  }

  TEST_CASE(
      "each device has leaders of its own, and a kept kernel keeps its line and its baseline") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    put_judged(*archive, "root", Verdict::kPassed, 1);
    put_judged(*archive, "rival", Verdict::kPassed, 1);
    put_judged(*archive, "loose", Verdict::kPassed, 1);
    REQUIRE(archive->put_kernel({"tip", "k", "prb_mm", "root", R"({"source":"int tip;"})", {}})
                .has_value());
    judge(*archive, "tip", "validate", Verdict::kPassed);
    judge(*archive, "tip", "benchmark", Verdict::kFaster, 7);
    time_against(*archive, "tip", 2, "rival");
    put_kernel(*archive, "elsewhere", "prb_mm", "int e;");
    judge(*archive, "elsewhere", "validate", Verdict::kPassed, 1, "key", "GPU-1");
    make_older(folder, 40);
    CHECK(going(*archive, {}) == "3 evidence, 0 problems: loose");
    REQUIRE(archive->put_label({"loose", "tag", "mine"}).has_value());
    CHECK(going(*archive, {}) == "0 evidence, 0 problems:");
  }

  TEST_CASE("of a kernel that stays the newest answers stay, and its status is the same") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    put_kernel(*archive, "k", "prb_mm", "int k;");
    judge(*archive, "k", "validate", Verdict::kIncorrect, 1, "strict");
    for (int i = 0; i < 20; ++i) {
      judge(*archive, "k", "validate", Verdict::kPassed, 1, "quick");
      judge(*archive, "k", "benchmark", Verdict::kFaster, 2 + i % 5);
    }
    make_older(folder, 40);
    for (int i = 0; i < 3; ++i) {
      judge(*archive, "k", "validate", Verdict::kPassed, 1, "quick");
    }
    // 23 and 20 of two questions, of which eight each stay; the wrong answer too.
    CHECK(going(*archive, {}, true) == "27 evidence, 0 problems:");
    CHECK(number(folder, "SELECT count(*) FROM evidence WHERE key = 'strict'") == 1);
    CHECK(number(folder, "SELECT count(*) FROM evidence") == 17);
    CHECK(archive->check()->misindexed == 0);
  }

  TEST_CASE("a limit of bytes deletes the oldest first, and nothing of the last day") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    const std::string filling(200'000, ' ');
    for (const char* id : {"a", "b", "c", "d", "young"}) {
      put_kernel(*archive, id, "prb_mm", "int q;" + filling);
    }
    REQUIRE(archive->put_kernel({"child_of_a", "k", "prb_mm", "a", R"({"source":"int r;"})", {}})
                .has_value());
    make_older(folder, 20, "a");
    make_older(folder, 15, "b");
    make_older(folder, 12, "c");
    make_older(folder, 10, "child_of_a");
    make_older(folder, 5, "d");
    CHECK(going(*archive, {}) == "0 evidence, 0 problems:");
    CHECK(going(*archive, {.days = 30, .max_bytes = 100'000'000}) == "0 evidence, 0 problems:");
    // A database has no pages to count: its rows are as large as their texts.
    const std::uint64_t least = tests_on_postgres() ? 950'000 : 1'150'000;
    CHECK(going(*archive, {.days = 30, .max_bytes = least}) == "0 evidence, 0 problems: b");
    CHECK(going(*archive, {.days = 30, .max_bytes = 600'000}) ==
          "0 evidence, 0 problems: b c child_of_a a");
    CHECK(going(*archive, {.days = 30, .max_bytes = 1}) ==
          "0 evidence, 0 problems: b c child_of_a a d");
    CHECK(going(*archive, {.days = 30, .max_bytes = 1}, true) ==
          "0 evidence, 0 problems: b c child_of_a a d");
    CHECK(number(folder, "SELECT count(*) FROM kernels") == 1);
    CHECK((tests_on_postgres() ||
           number(folder,
                  "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
                  "pragma_freelist_count, pragma_page_size") < 600'000));
  }

  TEST_CASE("a kernel that was judged lately is not old") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    for (const char* id : {"asked", "best", "last"}) {
      put_kernel(*archive, id, "prb_mm", std::string("int ") + id + ";");
      judge(*archive, id, "validate", Verdict::kPassed);
      judge(*archive, id, "benchmark", Verdict::kFaster, std::string(id) == "best" ? 2 : 1);
    }
    make_older(folder, 40);
    change(folder, "UPDATE evidence SET created_ms = created_ms + 2592000000");
    CHECK(going(*archive, {}) == "0 evidence, 0 problems:");
    CHECK(going(*archive, {.days = 30, .max_bytes = 100'000'000}) == "0 evidence, 0 problems:");
    CHECK(going(*archive, {.days = 9, .max_bytes = 100'000'000}) ==
          "2 evidence, 0 problems: asked");
  }

  TEST_CASE("what is named between finding and deleting stays, with what it came from") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    REQUIRE(archive->put_kernel({"root", "k", "prb_mm", "", "{}", {}}).has_value());
    REQUIRE(archive->put_kernel({"tip", "k", "prb_mm", "root", "{}", {}}).has_value());
    put_kernel(*archive, "loose", "prb_mm", "int q;");
    put_kernel(*archive, "timed", "prb_mm", "int t;");
    auto file = folder.connection();
    REQUIRE((file->is_postgres() || file->execute("PRAGMA foreign_keys = ON").has_value()));
    auto garbage = store::find_garbage(*file, {.days = 0});
    REQUIRE_MESSAGE(garbage.has_value(), to_text(garbage.error()));
    CHECK(garbage->kernels.size() == 4);
    SUBCASE("a ref") {
      REQUIRE(archive->set_ref("best@main", "tip").has_value());
    }
    SUBCASE("evidence") {
      judge(*archive, "tip", "validate", Verdict::kPassed);
    }
    SUBCASE("a new child") {
      REQUIRE(archive->put_kernel({"new", "k", "prb_mm", "tip", "{}", {}}).has_value());
    }
    SUBCASE("a baseline") {
      put_kernel(*archive, "other", "prb_mm", "int o;");
      time_against(*archive, "other", 2, "tip");
    }
    store::GarbageRemoval removal(*std::move(garbage));
    Transaction transaction(*file);
    REQUIRE(transaction.begin().has_value());
    while (removal.step(*file).value()) {
    }
    REQUIRE(transaction.commit().has_value());
    CHECK(removal.removed().kernels == 2);
    CHECK(removal.removed().problems == 0);
    CHECK(archive->kernel("root").has_value());
    CHECK_FALSE(archive->kernel("loose").has_value());
  }
}

}  // namespace ws::test
