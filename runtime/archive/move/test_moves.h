// Two places for the tests of moves, and an archive with rows in each table.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/archive/store/test_viewers.h"
#include "tests/support/postgres_cluster.h"

namespace ws::test {

inline bool no_database(const char* test) {
  if (!has_postgres()) {
    MESSAGE("left out, as there is no PostgreSQL here: " << test);
  }
  return !has_postgres();
}

/// A folder and a database, both empty.
class TwoPlaces {
 public:
  TwoPlaces() = default;
  TwoPlaces(const TwoPlaces&) = delete;
  TwoPlaces& operator=(const TwoPlaces&) = delete;

  ~TwoPlaces() { leave_database(url_); }

  [[nodiscard]] ArchivePlace folder() const { return {parent_.path() / "data"}; }

  [[nodiscard]] ArchivePlace database() const { return {parent_.path() / "other", url_}; }

  /// As messages have it.
  [[nodiscard]] std::string database_name() const { return *store_name(url_); }

  [[nodiscard]] const std::filesystem::path& parent() const { return parent_.path(); }

  void empty_database() {
    leave_database(url_);
    url_ = take_database();
  }

 private:
  TestFolder parent_;
  std::string url_ = take_database();
};

inline Connection connect_to(const ArchivePlace& place) {
  Result<Connection> connection =
      place.store.empty() ? Connection::open((place.folder / "archive.db").string(), false)
                          : open_postgres(place.store);
  REQUIRE_MESSAGE(connection.has_value(), to_text(connection.error()));
  return *std::move(connection);
}

inline void run_on(const ArchivePlace& place, const std::string& sql) {
  Connection connection = connect_to(place);
  const Status done = connection.execute(sql);
  REQUIRE_MESSAGE(done.has_value(), to_text(done.error()));
}

/// An archive of several principals with two rows or more in each table. Numbers have gaps.
inline void fill_place(const ArchivePlace& place) {
  {
    const auto archive = open_archive(place);
    put_problem(*archive, "prb_mm", "matmul", 1024);
    put_problem(*archive, "prb_gone", "scan", 8);
    const ViewerScope alice(private_viewer("alice"));
    put_problem(*archive, "prb_twice", "twice", 1024);
    for (const char* id : {"krn_mm_a", "krn_mm_c", "krn_mm_b"}) {
      put_kernel(*archive, id, "prb_mm", kTiled + ("void " + std::string(id) + "() {}"));
      judge(*archive, id, "validate", Verdict::kPassed);
    }
    REQUIRE(archive->put_kernel({"krn_child",
                                 "k",
                                 "prb_mm",
                                 "krn_mm_c",
                                 R"({"language": "cuda", "source": "int c;"})",
                                 {}}));
    judge(*archive, "krn_mm_c", "benchmark", Verdict::kFaster, 3);
    REQUIRE(archive->put_label({"krn_mm_a", "note", "naïve “first” try"}));
    REQUIRE(archive->put_label({"krn_mm_a", "tag", "gone"}));
    REQUIRE(archive->set_ref("mm@main", "krn_mm_c"));
    REQUIRE(archive->set_ref("mm@try", "krn_child"));
    for (const std::int64_t pass : {1, 2}) {
      REQUIRE(archive->add_pass_try({.transformation = "tile",
                                     .pass = pass,
                                     .base_id = "krn_mm_a",
                                     .kernel_id = "",
                                     .verdict = Verdict::kIncorrect,
                                     .reason = "wrong"}));
    }
    for (const char* id : {"evd_1", "evd_2"}) {
      REQUIRE(archive->add_claim({.id = id, .kernel_id = "krn_child", .json = "{\"type\":\"\"}"}));
      REQUIRE(archive->set_setting(id, "[0.5]"));
    }
    for (const char* id : {"krn_mm_a", "krn_mm_b"}) {
      REQUIRE(archive->set_operations(id, {{"mul", 2}, {"add", 3}}));
    }
    for (const char* id : {"job_b", "job_a"}) {
      JobRow job{.id = id,
                 .tool = "tune",
                 .status = "done",
                 .json = R"({"output":{}})",
                 .created_at = "2026-11-30T00:00:00Z"};
      job.client = "a client";
      REQUIRE(archive->put_job(job));
    }
    REQUIRE(archive->share("krn_mm_b", true));
  }
  run_on(place,
         "DELETE FROM problem_facts WHERE problem_id = 'prb_gone'; "
         "DELETE FROM problems WHERE id = 'prb_gone'; DELETE FROM owners WHERE id = 'prb_gone'; "
         "INSERT INTO series(seq, name, kernel_id, value) VALUES(5, 's', 'krn_mm_a', 0.1), "
         "(9, 's', 'krn_mm_a', 0.30000000000000004)");
}

/// All rows that a move keeps, as texts, by statements that are not the move's.
inline std::vector<std::string> rows_of(const ArchivePlace& place) {
  constexpr const char* kStatements[] = {
      "SELECT rowid || id || name || json || created_at FROM problems ORDER BY rowid",
      "SELECT rowid || id || name || problem_id || coalesce(parent, '-') || json || created_at "
      "FROM kernels ORDER BY rowid",
      "SELECT seq || id || kernel_id || problem_id || device || kind || key || verdict || json || "
      "created_at || created_ms FROM evidence ORDER BY seq",
      "SELECT rowid || id || kernel_id || json || imported_at FROM claims ORDER BY rowid",
      "SELECT name || kernel_id || updated_at || fixed FROM refs ORDER BY name",
      "SELECT seq || kernel_id || kind || text || created_at || imported FROM labels ORDER BY seq",
      "SELECT seq || transformation || pass || passes || base_id || kernel_id || verdict || reason "
      "|| attempt || created_at FROM pass_tries ORDER BY seq",
      "SELECT seq || name || kernel_id || CASE WHEN value = 0.1 THEN 'tenth' WHEN value = "
      "0.30000000000000004 THEN 'sum' END "
      "FROM series ORDER BY seq",
      "SELECT kernel_id || operations FROM lifted_kernels ORDER BY kernel_id",
      "SELECT id || tool || status || json || created_at || updated_ms || instance || arguments || "
      "resumed FROM jobs ORDER BY id",
      "SELECT seq || client || job_id FROM job_clients ORDER BY seq",
      "SELECT id || owner || shared || bytes FROM owners ORDER BY id, owner",
      "SELECT owner || bytes FROM owner_bytes WHERE bytes > 0 ORDER BY owner",
      "SELECT key || value FROM settings ORDER BY key"};
  Connection connection = connect_to(place);
  std::vector<std::string> all;
  for (const char* sql : kStatements) {
    Result<Statement> rows = connection.prepare(sql);
    REQUIRE_MESSAGE(rows.has_value(), to_text(rows.error()));
    const Result<std::vector<std::string>> found = texts(*rows);
    REQUIRE_MESSAGE(found.has_value(), to_text(found.error()));
    all.emplace_back(sql);
    all.insert(all.end(), found->begin(), found->end());
  }
  return all;
}

}  // namespace ws::test
