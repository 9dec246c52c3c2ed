// Tests of what gc finds and deletes, and what it must leave.
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/sqlite.h"

namespace ws::test {
namespace {

std::string found(Archive& archive, bool remove = false, int days = 0) {
  const Result<GarbageReport> report = archive.collect_garbage({.days = days}, remove);
  REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
  std::string text = std::to_string(report->problems) + " problems;";
  for (const std::string& id : report->ids) {
    text += " " + id;
  }
  return text;
}

void put_child(Archive& archive, const std::string& id, const std::string& parent) {
  REQUIRE(
      archive.put_kernel({id, "k", "prb_mm", parent, R"({"source":"int q;"})", {}}).has_value());
}

std::int64_t number(const TestPlace& folder, const std::string& sql) {
  auto file = folder.connection();
  auto row = file->prepare(sql);
  REQUIRE_MESSAGE(row.has_value(), to_text(row.error()));
  REQUIRE(row->step().has_value());
  return row->integer(0);
}

/// How many kernels a table of words has a word of.
std::int64_t with_word(const TestPlace& folder, const std::string& table, const std::string& word) {
  return number(folder, "SELECT count(*) FROM " + table + " WHERE " +
                            (tests_on_postgres() ? "words @@ '" : table + " MATCH '") + word + "'");
}

}  // namespace

TEST_SUITE("archive.garbage") {
  TEST_CASE("only what nothing names is garbage, and a kept kernel keeps what it came from") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    put_problem(*archive, "prb_alone", "scan", 8);
    put_child(*archive, "root", "");
    put_child(*archive, "middle", "root");
    put_child(*archive, "tip", "middle");
    CHECK(found(*archive) == "2 problems; tip middle root");
    CHECK(found(*archive, false, 1) == "0 problems;");
    SUBCASE("evidence") {
      judge(*archive, "tip", "validate", Verdict::kPassed);
      CHECK(found(*archive) == "1 problems;");
    }
    SUBCASE("a ref") {
      REQUIRE(archive->set_ref("best@main", "middle").has_value());
      CHECK(found(*archive) == "1 problems; tip");
    }
    SUBCASE("a label") {
      REQUIRE(archive->put_label({"middle", "tag", "x"}).has_value());
      CHECK(found(*archive) == "1 problems; tip");
    }
    SUBCASE("a claim") {
      REQUIRE(archive->add_claim({"evd_1", "root", "{}"}).has_value());
      CHECK(found(*archive) == "1 problems; tip middle");
    }
    SUBCASE("the baseline of another kernel's benchmark") {
      put_kernel(*archive, "timed", "prb_mm", "int t;");
      judge(*archive, "timed", "validate", Verdict::kPassed);
      time_against(*archive, "timed", 2, "middle");
      CHECK(found(*archive) == "1 problems; tip");
    }
    SUBCASE("a job that is not done, which keeps a problem too") {
      REQUIRE(archive
                  ->put_job({"job_1", "validate", "running", R"({"names":["middle","prb_alone"]})",
                             "", 0})
                  .has_value());
      REQUIRE(archive->put_job({"job_2", "validate", "done", R"({"names":["tip"]})", "", 0})
                  .has_value());
      REQUIRE(archive->put_job({"job_3", "validate", "queued", "damaged", "", 0}).has_value());
      CHECK(found(*archive) == "0 problems; tip");
    }
  }

  TEST_CASE("counting writes nothing, and deleting leaves nothing of a kernel in the index") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    put_kernel(*archive, "loose", "prb_mm", "int wombatWord;");
    put_kernel(*archive, "kept", "prb_mm", "float other(float x) { return sqrtf(x); }");
    judge(*archive, "kept", "validate", Verdict::kPassed);
    const std::string state =
        tests_on_postgres() ? "SELECT count(*) FROM kernels" : "PRAGMA data_version";
    const std::int64_t before = number(folder, state);
    CHECK(found(*archive) == "0 problems; loose");
    CHECK(number(folder, state) == before);
    CHECK(archive->kernel("loose").has_value());
    CHECK(found(*archive, true) == "0 problems; loose");
    CHECK_FALSE(archive->kernel("loose").has_value());
    CHECK(number(folder, "SELECT count(*) FROM indexed_kernels") == 1);
    CHECK(number(folder, "SELECT count(*) FROM fingerprints") == 1);
    CHECK(number(folder, "SELECT count(*) FROM fingerprint_bands") == 24);
    CHECK(with_word(folder, "kernel_words", "wombat") == 0);
    CHECK(with_word(folder, "passed_words", "sqrtf") == 1);
    CHECK(archive->check()->misindexed == 0);
  }

  TEST_CASE("a lifted kernel goes, also where the index lacks it") {
    for (const bool indexed : {true, false}) {
      CAPTURE(indexed);
      const TestPlace folder;
      const auto archive = open_archive(folder);
      put_problem(*archive, "prb_mm", "matmul", 8);
      put_kernel(*archive, "lifted", "prb_mm", "int q;");
      REQUIRE(archive->set_operations("lifted", {{"@", 1}}).has_value());
      if (!indexed) {
        auto file = folder.connection();
        REQUIRE(file->execute("DELETE FROM indexed_kernels").has_value());
      }
      CHECK(found(*archive, true) == "1 problems; lifted");
      CHECK(number(folder, "SELECT count(*) FROM kernels") == 0);
      CHECK(number(folder, "SELECT count(*) FROM lifted_kernels") == 0);
    }
  }

  TEST_CASE("a lineage of thousands goes at once") {
    const TestPlace folder;
    const auto archive = open_archive(folder);
    put_problem(*archive, "prb_mm", "matmul", 8);
    std::vector<ArchiveItem> items(4500);
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i].kind = ArchiveItem::Kind::kKernel;
      items[i].kernel = {"k" + std::to_string(i),
                         "k",
                         "prb_mm",
                         i == 0 ? "" : "k" + std::to_string(i - 1),
                         "{}",
                         {}};
    }
    REQUIRE(archive->put_all(items).has_value());
    CHECK(archive->collect_garbage({.days = 0}, false)->kernels == 4500);
    const auto report = archive->collect_garbage({.days = 0}, true);
    REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
    CHECK(report->kernels == 4500);
    CHECK(report->problems == 1);
    CHECK(report->ids.size() == 100);
    CHECK(number(folder, "SELECT count(*) FROM kernels") == 0);
    CHECK(number(folder, "SELECT count(*) FROM problems") == 0);
  }
}

}  // namespace ws::test
