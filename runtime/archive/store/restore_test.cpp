// Tests of a backup that is put in the place of an archive.
#include "runtime/archive/store/restore.h"

#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/archive/search/test_search.h"
#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/instance.h"
#include "runtime/archive/store/schema.h"
#include "runtime/base/files.h"

namespace ws::test {
namespace {

constexpr const char* kOther = "; use another backup; `warpsmith archive backup FILE` makes one";

std::string error_of(const Result<RestoreReport>& result) {
  return result ? "" : to_text(result.error());
}

/// A copy of a filled archive with a ref, a job and a setting in it.
std::filesystem::path backup_in(const TestFolder& out) {
  const Filled filled;
  REQUIRE(filled.archive().set_ref("best@main", "fast").has_value());
  REQUIRE(filled.archive().put_job({"job_1", "validate", "done", R"({"a":1})", "", 0}).has_value());
  REQUIRE(filled.archive().set_setting("noise", "0.5").has_value());
  auto file = out.path() / "a.db";
  REQUIRE(backup_archive(filled.folder().path(), file, false).has_value());
  return file;
}

/// The one kept archive of a folder.
std::string kept_in(const std::filesystem::path& folder) {
  std::string kept;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("archive.db.")) {
      kept += name;
    }
  }
  return kept;
}

}  // namespace

TEST_SUITE("archive.restore") {
  TEST_CASE("kernels, evidence, refs, jobs, settings and the index come back") {
    const TestFolder out;
    const TestFolder folder;
    const auto file = backup_in(out);
    const auto report = restore_archive(folder.path() / "data", file);
    REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
    CHECK(report->restored.kernels == 4);
    CHECK(report->restored.evidence == 6);
    CHECK(report->kept.empty());
    auto opened = Archive::open(folder.path() / "data");
    REQUIRE(opened.has_value());
    Archive& archive = **opened;
    CHECK(archive.kernel("fast")->problem_id == "prb_mm");
    CHECK(archive.ref("best@main") == "fast");
    CHECK(archive.latest_evidence("twice", "cpu:0", "validate").value()->verdict ==
          Verdict::kIncorrect);
    CHECK(archive.job("job_1")->json == R"({"a":1})");
    CHECK(archive.setting("noise").value() == "0.5");
    CHECK(archive.search(of_words("slow path"))->hits.at(0).kernel_id == "slow");
    const ArchiveCheck check = archive.check().value();
    CHECK(check.misindexed == 0);
  }

  TEST_CASE("the archive that was there is kept, whole, and the new one can be used at once") {
    const TestFolder out;
    const TestFolder folder;
    const auto file = backup_in(out);
    {
      const auto archive = open_archive(folder);
      put_problem(*archive, "prb_old", "scan", 8);
    }
    const auto report = restore_archive(folder.path(), file);
    REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
    CHECK(report->kept.filename() == kept_in(folder.path()));
    CHECK(report->kept.filename().string().starts_with("archive.db.before-restore-2"));
    CHECK_FALSE(open_archive(folder)->problem("prb_old").has_value());
    CHECK(open_archive(folder)->kernel("fast").has_value());
    // Back again.
    REQUIRE(restore_archive(folder.path(), report->kept).has_value());
    CHECK(open_archive(folder)->problem("prb_old").has_value());
  }

  TEST_CASE(
      "rows in the log of a killed server are kept with the old archive, not added to the new") {
    const TestFolder out;
    const TestFolder live;
    const TestFolder folder;
    const auto file = backup_in(out);
    const auto archive = open_archive(live);
    put_problem(*archive, "prb_old", "scan", 8);
    for (const char* name : {"archive.db", "archive.db-wal"}) {
      std::filesystem::copy_file(live.path() / name, folder.path() / name);
    }
    SUBCASE("sound") {
      const auto report = restore_archive(folder.path(), file);
      REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
      CHECK_FALSE(open_archive(folder)->problem("prb_old").has_value());
      REQUIRE(restore_archive(folder.path(), report->kept).has_value());
      CHECK(open_archive(folder)->problem("prb_old").has_value());
    }
    SUBCASE("the file beside the log is empty") {
      REQUIRE(write_file(folder.path() / "archive.db", "").has_value());
      const auto report = restore_archive(folder.path(), file);
      REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
      CHECK(open_archive(folder)->kernel("fast").has_value());
      CHECK(std::filesystem::file_size(report->kept.string() + "-wal") > 0);
    }
    SUBCASE("the file is no database, and has no log") {
      std::filesystem::remove(folder.path() / "archive.db-wal");
      REQUIRE(write_file(folder.path() / "archive.db", std::string(5000, 'x')).has_value());
      const auto report = restore_archive(folder.path(), file);
      REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
      CHECK(open_archive(folder)->kernel("fast").has_value());
      CHECK(read_file(report->kept).value() == std::string(5000, 'x'));
    }
  }

  TEST_CASE("nothing is restored over an archive that somebody has open") {
    const TestFolder out;
    const TestFolder folder;
    const auto file = backup_in(out);
    const auto archive = open_archive(folder);
    CHECK(error_of(restore_archive(folder.path(), file)) ==
          "busy: the archive in `" + folder.path().string() +
              "` is in use by another process; nothing was changed; end the commands that use it, "
              "then try again");
    const auto instance = Instance::begin(folder.path());
    CHECK(error_of(restore_archive(folder.path(), file)) ==
          "busy: the archive in `" + folder.path().string() + "` is in use by a server, process " +
              std::to_string(::getpid()) +
              "; nothing was changed; stop that server, then try again");
    CHECK_FALSE(archive->kernel("fast").has_value());
    CHECK(kept_in(folder.path()).empty());
  }

  TEST_CASE("nothing is restored over an archive that another program reads") {
    const TestFolder out;
    const TestFolder folder;
    const auto file = backup_in(out);
    open_archive(folder).reset();
    auto other = Connection::open((folder.path() / "archive.db").string(), true);
    auto row = other->prepare("SELECT count(*) FROM kernels");
    REQUIRE(row->step().has_value());
    CHECK(error_of(restore_archive(folder.path(), file)) ==
          "busy: the archive `" + (folder.path() / "archive.db").string() +
              "` is in use by another program; nothing was changed; end that program, then try "
              "again");
    CHECK(row->reset().step().has_value());
    CHECK(kept_in(folder.path()).empty());
  }

  TEST_CASE("a file that is no sound backup is refused, and the archive stays") {
    const TestFolder out;
    const TestFolder folder;
    const auto good = backup_in(out);
    put_problem(*open_archive(folder), "prb_old", "scan", 8);
    const std::string bytes = read_file(good).value();
    const auto file = out.path() / "bad.db";
    const auto refused = [&](const std::string& text) {
      REQUIRE(write_file(file, text).has_value());
      return error_of(restore_archive(folder.path(), file));
    };
    const std::string damaged =
        "io: the backup `" + file.string() + "` is damaged; nothing was changed (";
    CHECK(refused(bytes.substr(0, bytes.size() / 2)) ==
          damaged + "sqlite3_prepare_v3: database disk image is malformed)" + kOther);
    CHECK(refused("not a database, whatever its name says") ==
          damaged + "sqlite3_prepare_v3: file is not a database)" + kOther);
    std::string changed = bytes;
    const std::size_t at = changed.find("prb_twice");
    REQUIRE(at != std::string::npos);
    changed[at] = 'q';
    CHECK(refused(changed).starts_with(damaged));
    CHECK(refused("") == "io: `" + file.string() +
                             "` cannot be restored: there are no tables of an archive in it; copy "
                             "archives by `warpsmith archive backup FILE`: archive.db alone lacks "
                             "what is in archive.db-wal");
    const auto none = out.path() / "none.db";
    CHECK(error_of(restore_archive(folder.path(), none)) ==
          "not_found: there is no file `" + none.string() + "`");
    {
      auto newer = Connection::open(good.string(), false);
      REQUIRE(newer->execute("PRAGMA user_version = 99").has_value());
    }
    CHECK(error_of(restore_archive(folder.path(), good)) ==
          "io: `" + good.string() +
              "` cannot be restored: the archive has version 99, this program knows up to " +
              std::to_string(archive_version()) +
              "; use the newer warpsmith, or another folder with --data");
    CHECK(open_archive(folder)->problem("prb_old").has_value());
    CHECK(kept_in(folder.path()).empty());
  }
}

}  // namespace ws::test
