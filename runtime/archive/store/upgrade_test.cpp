// Tests of an archive of an older version that is brought up to date.
#include "runtime/archive/store/upgrade.h"

#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/line_store.h"
#include "runtime/archive/store/restore.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/usage.h"
#include "runtime/base/files.h"
#include "runtime/base/viewer.h"

namespace ws::test {
namespace {

/// An archive as version 15 wrote it, with a problem.
void make_old(const TestFolder& folder) {
  put_problem(*open_archive(folder), "prb_old", "scan", 8);
  auto file = Connection::open((folder.path() / "archive.db").string(), false);
  REQUIRE(file->execute("DROP TABLE owners; DROP TABLE owner_bytes; PRAGMA user_version = 15")
              .has_value());
}

UpgradePlan plan_of(const TestFolder& folder) {
  const auto plan = plan_upgrade(folder.path());
  REQUIRE_MESSAGE(plan.has_value(), to_text(plan.error()));
  return *plan;
}

}  // namespace

TEST_SUITE("archive.upgrade") {
  TEST_CASE("a plan tells the steps and changes nothing") {
    const TestFolder folder;
    make_old(folder);
    for (int i = 0; i < 2; ++i) {
      const UpgradePlan plan = plan_of(folder);
      CHECK(plan.from == 15);
      CHECK(plan.to == 17);
      REQUIRE(plan.steps.size() == 2);
      CHECK(plan.steps[0] == "makes the table of owners; what is stored by now stays everybody's");
      CHECK(plan.steps[1] == "counts what each principal has stored");
      CHECK_FALSE(plan.rebuilds_index);
      CHECK(plan.backup == folder.path() / "archive.db.version-15");
      CHECK_FALSE(std::filesystem::exists(plan.backup));
    }
    open_archive(folder).reset();
    CHECK(plan_of(folder).steps.empty());
    CHECK(plan_of(folder).backup.empty());
  }

  TEST_CASE("what an older version stored is everybody's") {
    const TestFolder folder;
    make_old(folder);
    const auto archive = open_archive(folder);
    const ViewerScope stranger(
        std::make_shared<const Viewer>(Viewer{.owner = "bob", .sees_all = false, .shares = false}));
    CHECK(archive->problem("prb_old").has_value());
    const ProblemRow row = *archive->problem("prb_old");
    REQUIRE(archive->put_problem(row).has_value());  // Which does not make it bob's alone.
    const ViewerScope another(std::make_shared<const Viewer>(
        Viewer{.owner = "alice", .sees_all = false, .shares = false}));
    CHECK(archive->problem("prb_old").has_value());
  }

  TEST_CASE("what principals had stored before it was counted is counted as what they store now") {
    const TestFolder folder;
    const auto used = [&folder] {
      std::string text;
      const auto usage = ArchiveUsage::open(folder.path());
      const auto owners = (*usage)->owners(9);
      for (const OwnerBytes& one : *owners) {
        text += one.owner + " " + std::to_string(one.bytes) + ";";
      }
      return text;
    };
    std::string before;
    {
      const auto archive = open_archive(folder);
      const auto lines = LineStore::open(folder.path());
      const ViewerScope bob(std::make_shared<const Viewer>(
          Viewer{.owner = "bob", .sees_all = false, .shares = false}));
      put_problem(*archive, "prb_mm", "matmul", 1024);
      put_kernel(*archive, "krn_mm", "prb_mm", kTiled);
      judge(*archive, "krn_mm", "validate", Verdict::kPassed);
      REQUIRE(archive->put_label({"krn_mm", "note", "a note"}));
      REQUIRE(archive->set_ref("mm@main", "krn_mm"));
      REQUIRE(archive->add_pass_try({.transformation = "tile",
                                     .base_id = "krn_mm",
                                     .kernel_id = "krn_mm",
                                     .verdict = Verdict::kIncorrect,
                                     .reason = "a reason"}));
      JobRow job;
      job.id = "job_1";
      job.status = "running";
      job.json = "{}";
      REQUIRE(archive->put_job(job));
      before = used();
      CHECK(before.starts_with("bob "));
    }
    auto file = Connection::open((folder.path() / "archive.db").string(), false);
    REQUIRE(file->execute("DROP TABLE owner_bytes; DROP TRIGGER owner_added; DROP TRIGGER "
                          "owner_gone; ALTER TABLE owners DROP COLUMN bytes; "
                          "PRAGMA user_version = 16")
                .has_value());
    open_archive(folder).reset();
    CHECK(used() == before);
  }

  TEST_CASE("there is no plan where there is no archive") {
    const TestFolder folder;
    CHECK(to_text(plan_upgrade(folder.path()).error()) == "not_found: there is no archive in `" +
                                                              folder.path().string() +
                                                              "`; name its folder by --data DIR");
  }

  TEST_CASE("the archive is copied before it changes, and only the newest copy is kept") {
    const TestFolder folder;
    make_old(folder);
    const auto older = folder.path() / "archive.db.version-9";
    REQUIRE(write_file(older, "x").has_value());
    open_archive(folder).reset();
    const auto copy = folder.path() / "archive.db.version-15";
    CHECK_FALSE(std::filesystem::exists(older));
    REQUIRE(std::filesystem::exists(copy));
    auto connection = Connection::open(copy.string(), true);
    auto version = connection->prepare("PRAGMA user_version");
    REQUIRE(version->step().value());
    CHECK(version->integer(0) == 15);
    const TestFolder other;
    REQUIRE(restore_archive(other.path(), copy).has_value());
    CHECK(open_archive(other)->problem("prb_old").has_value());
  }

  TEST_CASE("an archive that cannot be copied stays as it was") {
    const TestFolder folder;
    make_old(folder);
    const auto copy = folder.path() / "archive.db.version-15";
    std::filesystem::create_directories(copy / "in the way");
    const auto archive = Archive::open(folder.path());
    REQUIRE_FALSE(archive.has_value());
    CHECK(to_text(archive.error()) ==
          "io: the archive must be upgraded, but cannot be copied first: cannot write `" +
              copy.string() +
              "` (rename: Is a directory); choose another place, or free some space");
    CHECK(plan_of(folder).from == 15);
  }
}

}  // namespace ws::test
