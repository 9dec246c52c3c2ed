#include "runtime/archive/store/postgres_store.h"

#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/archive_place.h"
#include "tests/support/postgres_cluster.h"

namespace ws {
namespace {

std::string name_error(const std::string& url) {
  const Result<std::string> name = store_name(url);
  return name ? "none" : to_text(name.error());
}

std::string open_error(const std::string& url) {
  const auto archive = Archive::open(ArchivePlace({}, url));
  return archive ? "none" : to_text(archive.error());
}

std::string problem_error(Archive& archive) {
  const auto found = archive.problem("prb_a");
  return found ? "none" : to_text(found.error());
}

bool left_out(const char* test) {
  if (!test::has_postgres()) {
    MESSAGE("left out, as there is no PostgreSQL here: " << test);
  }
  return !test::has_postgres();
}

/// The beginning of libpq's messages about the socket of a cluster.
std::string on_socket(const test::PostgresCluster& cluster) {
  return "connection to server on socket \"" + cluster.folder() + "/.s.PGSQL.5432\" failed: ";
}

constexpr const char* kUnreachable =
    "see that the server runs and takes connections from here; the next call tries again";

}  // namespace

TEST_SUITE("archive.postgres") {
  TEST_CASE("a URL has a scheme, no blank and no password, and is named without parameters") {
    struct Case {
      const char* url;
      const char* name;
      const char* error;
    };

    constexpr const char* kForm = "; write postgres://USER@HOST:PORT/DATABASE";
    constexpr const char* kPassword =
        "invalid_argument: the URL of --store has a password in it, which others could read; leave "
        "it out, and put it into ~/.pgpass or the file that PGPASSFILE names";
    const std::string scheme =
        std::string("invalid_argument: the URL of --store does not begin with postgres://") + kForm;
    const std::string blank =
        std::string(
            "invalid_argument: the URL of --store has a blank, a quote or a backslash in it") +
        kForm;
    const std::string parameter =
        std::string(
            "invalid_argument: the URL of --store has a parameter whose name is not made "
            "of letters and _") +
        kForm;
    const Case cases[] = {
        {"postgres://u@h:5432/d", "postgres://u@h:5432/d", "none"},
        {"postgresql://h/d?sslmode=require&passfile=/x", "postgresql://h/d", "none"},
        {"postgres:///d?host=/run", "postgres:///d", "none"},
        {"", "", scheme.c_str()},
        {"mysql://h/d", "", scheme.c_str()},
        {"host=h dbname=d", "", scheme.c_str()},
        {"postgres://u:secret@h/d", "", kPassword},
        {"postgres://u:se/cr@et@h/d", "", kPassword},
        {"postgres://u:se?cret=@h/d", "", kPassword},
        {"postgres://h:5432/d?sslmode=require&user=a@b", "postgres://h:5432/d", "none"},
        {"postgres://h/d?password=secret", "", kPassword},
        {"postgres://h/d?sslmode=require&sslpassword=secret", "", kPassword},
        {"postgres://h/d?p%61ssword=secret", "", parameter.c_str()},
        {"postgres://h/d e", "", blank.c_str()},
    };
    for (const Case& c : cases) {
      CHECK(name_error(c.url) == c.error);
      if (*c.name != '\0') {
        CHECK(*store_name(c.url) == c.name);
      }
    }
  }

  TEST_CASE("each way in which a database refuses is a sentence of its own") {
    if (left_out("how a database refuses")) {
      return;
    }
    test::PostgresCluster cluster;
    cluster.start();
    cluster.run("postgres", "CREATE DATABASE one");
    const std::string archive = "the archive `postgres://warpsmith@/one` ";

    SUBCASE("the server does not run") {
      cluster.stop();
      CHECK(open_error(cluster.url("one")) ==
            "io: " + archive + "cannot be reached (" + on_socket(cluster) +
                "No such file or directory Is the server running locally and accepting connections "
                "on that socket?); " +
                kUnreachable);
    }
    SUBCASE("there is no such database") {
      CHECK(open_error(cluster.url("two")) ==
            "io: the archive `postgres://warpsmith@/two` cannot be reached (" + on_socket(cluster) +
                "FATAL: database \"two\" does not exist); " + kUnreachable);
    }
    SUBCASE("the database has no archive") {
      const Status there = require_postgres_tables(cluster.url("one"));
      REQUIRE_FALSE(there.has_value());
      CHECK(to_text(there.error()) ==
            "not_found: there is no archive in `postgres://warpsmith@/one`; name the database of a "
            "server with --store URL");
    }
    SUBCASE("all connections are in use") {
      cluster.stop();
      cluster.start("max_connections=4");
      const auto first = Archive::open(ArchivePlace({}, cluster.url("one")));
      const auto second = Archive::open(ArchivePlace({}, cluster.url("one")));
      REQUIRE(second.has_value());
      CHECK(open_error(cluster.url("one")) ==
            "busy: " + archive + "has no free connection (" + on_socket(cluster) +
                "FATAL: sorry, too many clients already); raise max_connections of the server, or "
                "start fewer servers of warpsmith");
    }
    SUBCASE("the database is read-only") {
      REQUIRE(open_error(cluster.url("one")) == "none");
      cluster.run("postgres", "ALTER DATABASE one SET default_transaction_read_only = on");
      CHECK(open_error(cluster.url("one")) ==
            "io: " + archive +
                "cannot be written: the database is read-only (PQexecPrepared: cannot execute "
                "DELETE in a read-only transaction); name the primary server in --store, or let it "
                "be written again");
    }
    SUBCASE("a newer program made the tables") {
      REQUIRE(open_error(cluster.url("one")) == "none");
      cluster.run("one", "UPDATE warpsmith.archive_version SET version = 99");
      CHECK(open_error(cluster.url("one")) ==
            "io: " + archive +
                "has version 99, this program knows up to 9; use the newer warpsmith, or another "
                "database with --store");
    }
    SUBCASE("the user may not make tables") {
      cluster.run("postgres", "CREATE ROLE guest LOGIN");
      CHECK(open_error(cluster.url("one", "guest")) ==
            "io: the archive `postgres://guest@/one` is closed to this user (PQexec: permission "
            "denied for database one); let the user own the schema `warpsmith`, or GRANT CREATE ON "
            "DATABASE");
    }
  }

  TEST_CASE("a wrong password, and none, say where it belongs, and never what it was") {
    if (left_out("passwords")) {
      return;
    }
    test::PostgresCluster cluster;
    cluster.start();
    cluster.run("postgres", "CREATE ROLE guarded LOGIN PASSWORD 'right'");
    cluster.run("postgres",
                "COPY (SELECT '*:*:*:guarded:wrong') TO '" + cluster.folder() + "/wrong'");
    cluster.run("postgres",
                "COPY (SELECT unnest(array['local all guarded scram-sha-256', "
                "'local all all trust'])) TO '" +
                    cluster.folder() + "/hba'");
    cluster.run("postgres", "ALTER SYSTEM SET hba_file = '" + cluster.folder() + "/hba'");
    cluster.stop();
    cluster.start();
    std::filesystem::permissions(cluster.folder() + "/wrong", std::filesystem::perms::owner_read);
    const std::string start =
        "io: the archive `postgres://guarded@/postgres` refuses this user (" + on_socket(cluster);
    const std::string end =
        "); put the right password into ~/.pgpass, or the file that PGPASSFILE names";
    const std::string url = cluster.url("postgres", "guarded") + "&passfile=" + cluster.folder();
    CHECK(open_error(url + "/wrong") ==
          start +
              "FATAL: password authentication failed for user \"guarded\" password retrieved "
              "from file \"" +
              cluster.folder() + "/wrong\"" + end);
    CHECK(open_error(url + "/none") == start + "fe_sendauth: no password supplied" + end);
  }

  TEST_CASE("a server that goes is an error of each call, and the archive comes back with it") {
    if (left_out("a server that goes")) {
      return;
    }
    test::PostgresCluster cluster;
    cluster.start();
    cluster.run("postgres", "CREATE DATABASE one");
    const auto archive = Archive::open(ArchivePlace({}, cluster.url("one")));
    REQUIRE(archive.has_value());
    REQUIRE((*archive)->put_problem({"prb_a", "a", R"({"op":"x"})", {}}).has_value());
    REQUIRE(problem_error(**archive) == "none");
    cluster.stop();
    const std::string gone =
        "io: the archive `postgres://warpsmith@/one` cannot be reached (" + on_socket(cluster) +
        "No such file or directory Is the server running locally and accepting connections on that "
        "socket?); " +
        kUnreachable;
    const std::string refused =
        "io: the archive `postgres://warpsmith@/one` cannot be reached (" + on_socket(cluster) +
        "Connection refused Is the server running locally and accepting connections on that "
        "socket?); " +
        kUnreachable;
    const std::string error = problem_error(**archive);
    CHECK((error == gone || error == refused));  // The socket's file may still be there.
    const Status write = (*archive)->set_setting("key", "value");
    REQUIRE_FALSE(write.has_value());
    CHECK(to_text(write.error()) == error);
    cluster.start();
    CHECK(problem_error(**archive) == "none");
    CHECK((*archive)->set_setting("key", "value").has_value());
    cluster.stop();
    cluster.start();  // Nobody asked meanwhile: nobody notices.
    CHECK(problem_error(**archive) == "none");
    CHECK(*(*archive)->setting("key") == "value");
  }

  TEST_CASE("a transaction that loses its server is undone, and says so") {
    if (left_out("a transaction that loses its server")) {
      return;
    }
    test::PostgresCluster cluster;
    cluster.start();
    cluster.run("postgres", "CREATE DATABASE one");
    REQUIRE(open_error(cluster.url("one")) == "none");
    Result<Connection> connection = open_postgres(cluster.url("one"));
    REQUIRE(connection.has_value());
    {
      Transaction transaction(*connection);
      REQUIRE(transaction.begin().has_value());
      REQUIRE(connection->execute("INSERT INTO settings VALUES('half', '')").has_value());
      cluster.stop();
      cluster.start();
      const Status more = connection->execute("INSERT INTO settings VALUES('whole', '')");
      REQUIRE_FALSE(more.has_value());
      CHECK(to_text(more.error())
                .starts_with("io: the archive `postgres://warpsmith@/one` was lost in the middle "
                             "of a call ("));
      CHECK_FALSE(transaction.commit().has_value());
    }
    CHECK(cluster.run("one", "SELECT count(*) FROM warpsmith.settings") == "0\n");
    CHECK(connection->execute("INSERT INTO settings VALUES('whole', '')").has_value());
  }

  TEST_CASE("a statement that was run tells the number of a row that it inserts later") {
    if (left_out("numbers of inserted rows")) {
      return;
    }
    const std::string url = test::take_database();
    {
      REQUIRE(open_error(url) == "none");
      Result<Connection> connection = open_postgres(url);
      REQUIRE(connection.has_value());
      const auto row = [&](const char* name) {
        Statement insert =
            *connection->prepare("INSERT INTO series(name, kernel_id, value) VALUES(?, 'k', 1)");
        insert.bind(name);
        return insert;
      };
      REQUIRE(row("a").run().has_value());
      CHECK(*row("b").insert("seq") == 2);
    }
    test::leave_database(url);
  }

  TEST_CASE("a table that is read at one state comes in pieces") {
    if (left_out("tables in pieces")) {
      return;
    }
    const std::string url = test::take_database();
    {
      REQUIRE(open_error(url) == "none");
      Result<Connection> connection = open_postgres(url);
      REQUIRE(
          connection->execute("INSERT INTO settings SELECT lpad(i::text, 3, '0'), '' FROM "
                              "generate_series(1, 450) i"));
      Snapshot snapshot(*connection);
      REQUIRE(snapshot.begin().has_value());
      const auto cursors = [&] {
        Statement row =
            *connection->prepare("SELECT count(*) FROM pg_cursors WHERE name <> '' AND ? = 1");
        REQUIRE(row.bind(std::int64_t{1}).step().value());
        return row.integer(0);
      };
      Statement rows = *connection->prepare("SELECT key FROM settings ORDER BY key");
      REQUIRE(rows.step().value());
      CHECK(rows.text(0) == "001");
      CHECK(cursors() == 1);
      const auto left = texts(rows);
      REQUIRE(left.has_value());
      CHECK(left->size() == 449);
      CHECK(left->back() == "450");
      CHECK(std::is_sorted(left->begin(), left->end()));
      CHECK(cursors() == 0);
      CHECK_FALSE(rows.step().value());
    }
    test::leave_database(url);
  }

  TEST_CASE("reads of one state may take longer than a write, which holds up the others") {
    if (left_out("how long a transaction may pause")) {
      return;
    }
    const std::string url = test::take_database();
    {
      Result<Connection> connection = open_postgres(url);
      REQUIRE(connection.has_value());
      const auto pause = [&] {
        Statement row = *connection->prepare("SHOW idle_in_transaction_session_timeout");
        REQUIRE(row.step().value());
        return row.text(0);
      };
      {
        Snapshot snapshot(*connection);
        REQUIRE(snapshot.begin().has_value());
        CHECK(pause() == "1h");
      }
      Transaction transaction(*connection);
      REQUIRE(transaction.begin().has_value());
      CHECK(pause() == "1min");
    }
    test::leave_database(url);
  }

  TEST_CASE("a text that no database takes is refused, and what follows goes on") {
    if (left_out("texts that no database takes")) {
      return;
    }
    const std::string url = test::take_database();
    {
      const auto archive = Archive::open(ArchivePlace({}, url));
      REQUIRE(archive.has_value());
      const Status zero = (*archive)->set_setting("key", std::string("a\0b", 3));
      REQUIRE_FALSE(zero.has_value());
      const std::string refused = "invalid_argument: the archive `" + *store_name(url) +
                                  "` takes no text with such a byte in it; leave zero bytes out, "
                                  "and write UTF-8";
      CHECK(to_text(zero.error()) == refused);
      const Status latin = (*archive)->set_setting("key", "caf\xe9");
      REQUIRE_FALSE(latin.has_value());
      CHECK(to_text(latin.error()) == refused);
      CHECK((*archive)->set_setting("key", "caf\xc3\xa9").has_value());
      // An import goes on behind such a line.
      ArchiveItem bad;
      bad.problem = {"prb_bad", std::string("a\0b", 3), R"({"op":"x"})", {}};
      ArchiveItem good;
      good.problem = {"prb_good", "good", R"({"op":"x"})", {}};
      const auto outcomes = (*archive)->put_all({bad, good});
      REQUIRE_MESSAGE(outcomes.has_value(), to_text(outcomes.error()));
      REQUIRE(outcomes->front().error);
      CHECK(to_text(*outcomes->front().error) == refused);
      CHECK(outcomes->back().added);
    }
    test::leave_database(url);
  }
}

}  // namespace ws
