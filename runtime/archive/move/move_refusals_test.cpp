// Tests of moves that are refused, and say why.
#include <fstream>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/archive/move/archive_move.h"
#include "runtime/archive/move/test_moves.h"
#include "runtime/archive/store/instance.h"

namespace ws::test {
namespace {

std::string move_error(const ArchivePlace& from, const ArchivePlace& to,
                       const MoveOptions& options = {}, const MoveProgress& progress = {}) {
  const Result<MoveReport> report = move_archive(from, to, options, progress);
  return report ? "none" : to_text(report.error());
}

void write_text(const std::filesystem::path& file) {
  std::ofstream(file) << "A letter to somebody, which is long enough to be no database.\n";
}

constexpr const char* kWait =
    "; stop it first; with --force what it has stored by now is moved, and nothing after that";

}  // namespace

TEST_SUITE("archive.move.refused") {
  TEST_CASE("a folder is not moved into a folder, nor a database into a database") {
    CHECK(move_error(ArchivePlace("/a"), ArchivePlace("/b")) ==
          "invalid_argument: an archive is moved from a folder into a database, or from a database "
          "into a folder; `warpsmith archive backup FILE` copies the one of a folder");
    CHECK(move_error(ArchivePlace({}, "postgres://h/a"), ArchivePlace({}, "postgres://h/b")) ==
          "invalid_argument: an archive is moved from a folder into a database, or from a database "
          "into a folder; pg_dump copies the one of a database");
  }

  TEST_CASE("a source that is not there, or of another version, is refused and makes no target") {
    if (no_database("sources of moves")) {
      return;
    }
    const TwoPlaces places;
    const std::string folder = places.folder().folder.string();
    const std::string database = places.database_name();
    const auto from_folder = [&] { return move_error(places.folder(), places.database()); };
    const auto from_database = [&] { return move_error(places.database(), places.folder()); };
    CHECK(from_folder() ==
          "not_found: there is no archive in `" + folder + "`; name its folder by --data DIR");
    CHECK(from_database() == "not_found: there is no archive in `" + database +
                                 "`; name the database of a server with --store URL");
    CHECK_FALSE(std::filesystem::exists(folder));
    open_archive(places.folder()).reset();
    run_on(places.folder(), "PRAGMA user_version = 99");
    CHECK(from_folder() ==
          "io: the archive has version 99, this program knows up to 17; use the "
          "newer warpsmith, or another folder with --data");
    run_on(places.folder(), "PRAGMA user_version = 16");
    CHECK(from_folder() == "io: the archive in `" + folder +
                               "` has version 16, and only version 17 can be moved; bring it up to "
                               "date by `warpsmith archive migrate`");
    std::filesystem::remove_all(folder);
    open_archive(places.database()).reset();
    run_on(places.database(), "UPDATE archive_version SET version = 99");
    CHECK(from_database() == "io: the archive `" + database +
                                 "` has version 99, this program knows up to 9; use the newer "
                                 "warpsmith, or another database with --store");
    run_on(places.database(), "UPDATE archive_version SET version = 5");
    CHECK(from_database() == "io: the archive in `" + database +
                                 "` has version 5, and only version 9 can be moved; bring it up to "
                                 "date by a command that opens it, such as `warpsmith archive gc`");
    CHECK_FALSE(std::filesystem::exists(folder));
  }

  TEST_CASE("an archive that a server uses is moved only by force, and none is moved over it") {
    if (no_database("archives that servers use")) {
      return;
    }
    TwoPlaces places;
    open_archive(places.folder()).reset();
    const std::string folder = places.folder().folder.string();
    {
      const auto server = Instance::begin(places.folder());
      REQUIRE(server.has_value());
      const std::string in_use = "busy: the archive in `" + folder +
                                 "` is in use by a server, process " + std::to_string(::getpid());
      CHECK(move_error(places.folder(), places.database()) == in_use + kWait);
      CHECK(move_error(places.folder(), places.database(), {.force = true}) == "none");
      CHECK(move_error(places.database(), places.folder(), {.force = true}) ==
            in_use + "; stop it first");
    }
    const std::string in_use =
        "busy: the archive in `" + places.database_name() + "` is in use by ";
    {
      const auto server = Instance::begin(places.database());
      REQUIRE(server.has_value());
      const std::string which = "a server, " + server->id() + " in the table of instances";
      CHECK(move_error(places.database(), places.folder()) == in_use + which + kWait);
      CHECK(move_error(places.database(), places.folder(), {.force = true}) == "none");
      CHECK(move_error(places.folder(), places.database()) == in_use + which + "; stop it first");
    }
    run_on(places.database(),
           "INSERT INTO nodes(name, instance, host, devices, lanes, version, started_at, seen_at, "
           "lives) VALUES('gpu-3', 'i', 'rack', '', 'cpu', '1', now(), clock_timestamp(), true)");
    CHECK(move_error(places.database(), places.folder()) ==
          in_use + "the node gpu-3 on rack" + kWait);
    run_on(places.database(), "UPDATE nodes SET lives = false");
    CHECK(move_error(places.database(), places.folder()) == "none");
  }

  TEST_CASE("a server that begins while its archive is compared or copied is noticed") {
    if (no_database("servers that begin during a move")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.folder());
    std::optional<Instance> server;
    const auto begins_at = [&](const ArchivePlace& place, std::string_view when) {
      return [&server, &place, when](std::string_view step, std::int64_t, std::int64_t) {
        if (step == when && !server) {
          server.emplace(Instance::begin(place).value());
        }
      };
    };
    REQUIRE(move_error(places.folder(), places.database()) == "none");
    // The target has rows already: they are compared before it is marked.
    const std::string refusal = move_error(places.folder(), places.database(), {},
                                           begins_at(places.database(), "compared"));
    REQUIRE(server.has_value());
    CHECK(refusal == "busy: the archive in `" + places.database_name() +
                         "` is in use by a server, " + server->id() +
                         " in the table of instances; stop it first");
    CHECK_FALSE(Archive::open(places.database()).has_value());
    server.reset();
    const auto report =
        move_archive(places.folder(), places.database(), {}, begins_at(places.folder(), "copied"));
    REQUIRE_MESSAGE(report.has_value(), to_text(report.error()));
    CHECK(report->source_user == "a server, process " + std::to_string(::getpid()));
  }

  TEST_CASE("jobs that wait for nodes do not go into a folder") {
    if (no_database("jobs that wait for nodes")) {
      return;
    }
    const TwoPlaces places;
    open_archive(places.database()).reset();
    run_on(places.database(),
           "INSERT INTO node_jobs(id, tool, arguments, lane, key, client, owner, shares, "
           "background) VALUES('job_1', 'tune', '{}', 'cpu', '', 'c', '', true, false)");
    CHECK(move_error(places.database(), places.folder()) ==
          "busy: 1 jobs of nodes have not ended in `" + places.database_name() +
              "`; let nodes finish them; with --force they are not moved");
    CHECK(move_error(places.database(), places.folder(), {.force = true}) == "none");
  }

  TEST_CASE("a target with rows of another archive stays as it is") {
    if (no_database("targets with other archives")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.folder());
    {
      const auto archive = open_archive(places.database());
      put_problem(*archive, "prb_other", "matmul", 1024);
    }
    const std::vector<std::string> rows = rows_of(places.database());
    CHECK(move_error(places.folder(), places.database()) ==
          "conflict: `" + places.database_name() +
              "` has another archive: its problem prb_other is not in `" +
              places.folder().folder.string() +
              "`; nothing was changed; name an empty place by --to, or move the archive as it was "
              "before");
    CHECK(rows_of(places.database()) == rows);
    open_archive(places.database()).reset();
  }

  TEST_CASE("a row that changed since in the source or in the target is not replaced") {
    if (no_database("targets that changed since")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.folder());
    REQUIRE(move_error(places.folder(), places.database()) == "none");
    const auto differs = [&](const std::string& row) {
      return "conflict: `" + places.database_name() + "` has another archive: its " + row +
             " is not in `" + places.folder().folder.string() +
             "`; nothing was changed; name an empty place by --to, or move the archive as it was "
             "before";
    };
    run_on(places.database(), "UPDATE labels SET text = 'other' WHERE kind = 'note'");
    CHECK(move_error(places.folder(), places.database()) == differs("label 1"));
    run_on(places.database(), "UPDATE refs SET kernel_id = 'krn_child'");
    CHECK(move_error(places.folder(), places.database()) == differs("ref alice:mm@main"));
  }

  TEST_CASE("a folder that is none of data, or a file, is no target") {
    if (no_database("folders as targets")) {
      return;
    }
    const TwoPlaces places;
    open_archive(places.database()).reset();
    const auto to = [&](const std::filesystem::path& folder) {
      return move_error(places.database(), ArchivePlace(folder));
    };
    const std::filesystem::path folder = places.parent() / "letters";
    std::filesystem::create_directory(folder);
    write_text(folder / "letter");
    const auto no_folder = [](const std::filesystem::path& path) {
      return "conflict: `" + path.string() +
             "` is there, and is no data folder of warpsmith; name a new or an empty folder by "
             "--to";
    };
    CHECK(to(folder) == no_folder(folder));
    CHECK(to(folder / "letter") == no_folder(folder / "letter"));
    std::ofstream(places.parent() / "empty").close();
    CHECK(to(places.parent() / "empty") == no_folder(places.parent() / "empty"));
    std::filesystem::rename(folder / "letter", folder / "archive.db");
    CHECK(to(folder) ==
          "io: the archive `" + (folder / "archive.db").string() +
              "` is not a database; nothing was changed (sqlite3_prepare_v3: file is not a "
              "database); move the file away to start a new one, or restore a copy");
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder / "instances");  // A server with --store left it.
    CHECK(to(folder) == "none");
  }

  TEST_CASE("an archive that is half moved goes nowhere else, and no other one goes into it") {
    if (no_database("archives that are half moved")) {
      return;
    }
    const TwoPlaces places;
    open_archive(places.database()).reset();
    open_archive(places.folder()).reset();
    run_on(places.database(),
           "INSERT INTO settings VALUES('archive_move', '0123456789abcdef /elsewhere')");
    const std::string half =
        "conflict: the archive in `" + places.database_name() +
        "` is incomplete: a move from `/elsewhere` has not ended; give the same `warpsmith archive "
        "move` again, which goes on with it";
    CHECK(move_error(places.database(), ArchivePlace(places.parent() / "new")) == half);
    CHECK(move_error(places.folder(), places.database()) == half);
  }

  TEST_CASE("a text that a database does not take is named") {
    if (no_database("texts that a database does not take")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.folder());
    run_on(places.folder(), "UPDATE series SET name = 'a' || char(0) WHERE seq = 9");
    CHECK(move_error(places.folder(), places.database()) ==
          "invalid_argument: the value of a series 9 cannot be moved: the archive `" +
              places.database_name() +
              "` takes no text with such a byte in it; leave zero bytes out, and write UTF-8");
  }

  TEST_CASE("of two processes that move the same archive the later one goes on") {
    if (no_database("two processes that move")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.folder());
    bool taken_over = false;
    const auto take_over = [&](std::string_view step, std::int64_t /*done*/, std::int64_t /*all*/) {
      if (step == "indexed" && !taken_over) {
        taken_over = true;
        CHECK(move_error(places.folder(), places.database()) == "none");
      }
    };
    CHECK(move_error(places.folder(), places.database(), {}, take_over) ==
          "conflict: another process has taken over the move from `" +
              places.folder().folder.string() + "`; see how that one ends");
    CHECK(rows_of(places.database()) == rows_of(places.folder()));
  }

  TEST_CASE("what another program writes into the target meanwhile is noticed, and not served") {
    if (no_database("targets that others write into")) {
      return;
    }
    const TwoPlaces places;
    fill_place(places.folder());
    REQUIRE(move_error(places.folder(), places.database()) == "none");
    bool written = false;
    const auto write = [&](std::string_view step, std::int64_t /*done*/, std::int64_t /*all*/) {
      if (step == "copied" && !written) {
        written = true;
        run_on(places.database(), "UPDATE evidence SET verdict = 'incorrect' WHERE seq = 1");
      }
    };
    CHECK(move_error(places.folder(), places.database(), {}, write) ==
          "io: the rows of `evidence` differ after the move: 4 in `" +
              places.folder().folder.string() + "`, 4 in `" + places.database_name() +
              "`; another program wrote into the target: empty it, and move once more");
    CHECK_FALSE(Archive::open(places.database()).has_value());
  }
}

}  // namespace ws::test
