// `warpsmith archive move`, as users type it.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/archive_runs.h"
#include "tests/support/child.h"
#include "tests/support/node_cluster.h"
#include "tests/support/postgres_cluster.h"

namespace ws::test {

TEST_SUITE("archive_move_command") {
  TEST_CASE("an archive goes into a database and back by two commands") {
    if (no_postgres("archive move")) {
      return;
    }
    const TestFolder data;
    fill_with_kernel(data);
    const NodeCluster cluster;
    const std::string name = cluster.url().substr(0, cluster.url().find('?'));
    const std::string log = (data.path() / "audit.jsonl").string();
    const Ended there = run_archive(data, {"move", "--to", cluster.url(), "--audit", log});
    CHECK(there.status == 0);
    CHECK(there.err.empty());
    const std::string counts = "1 problems, 1 kernels, 2 evidence";
    CHECK(there.out.starts_with(name + " has all of " + data.path().string() + " now: " + counts));
    CHECK(read_file(log).value_or("").find(R"("action":"move","from":")" + data.path().string()) !=
          std::string::npos);
    const std::string folder = (data.path() / "back").string();
    const Ended back =
        run_archive(data, {"move", "--store", cluster.url(), "--to", folder, "--json"});
    CHECK(back.status == 0);
    const Json answer = Json::parse(back.out);
    CHECK(answer["action"] == "move");
    CHECK(answer["from"] == name);
    CHECK(answer["to"] == folder);
    CHECK(answer["rows"]["evidence"] == 2);
    CHECK(there.out.find("evidence " + answer["evidence_sha256"].get<std::string>() + "\n") !=
          std::string::npos);
    CHECK(run_program({"log", "--data", folder, "--json"}).out ==
          run_program({"log", "--data", data.path().string(), "--json"}).out);
  }

  TEST_CASE("a target that cannot be one is refused, and a password in it is not repeated") {
    const TestFolder data;
    fill_with_kernel(data);
    const Ended form = run_archive(data, {"move", "--to", "mysql://h/d"});
    CHECK(form.status == 2);
    CHECK(form.err ==
          "invalid_argument: the URL of --to does not begin with postgres://; write "
          "postgres://USER@HOST:PORT/DATABASE\n");
    CHECK(run_archive(data, {"move", "--to", "postgres://me:secret@db/one"}).err ==
          "invalid_argument: the URL of --to has a password in it, which others could read; leave "
          "it out, and put it into ~/.pgpass or the file that PGPASSFILE names\n");
    CHECK(run_archive(data, {"move", "--to", "folder"}).err ==
          "invalid_argument: an archive is moved from a folder into a database, or from a database "
          "into a folder; `warpsmith archive backup FILE` copies the one of a folder\n");
  }

  TEST_CASE("a server does not start on an archive that is half moved") {
    const TestFolder data;
    fill_with_kernel(data);
    {
      auto archive = Archive::open(data.path());
      REQUIRE((*archive)->set_setting("archive_move", "0123456789abcdef postgres://db/one"));
    }
    const Ended server = run_program({"serve", "--stdio", "--data", data.path().string()});
    CHECK(server.status == 1);
    CHECK(server.err.find("conflict: the archive in `" + data.path().string() +
                          "` is incomplete: a move from `postgres://db/one` has not ended; give "
                          "the same `warpsmith archive move` again, which goes on with it\n") !=
          std::string::npos);
  }
}

}  // namespace ws::test
