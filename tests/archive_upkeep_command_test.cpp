// `warpsmith archive gc`, `verify`, `check`, `backup`, `restore` and `migrate`.
#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/store/sqlite.h"
#include "tests/support/archive_runs.h"
#include "tests/support/child.h"

namespace ws::test {

TEST_SUITE("archive_upkeep_command") {
  TEST_CASE("gc only counts what nothing refers to until it is told to delete") {
    const TestFolder data;
    const std::string id = fill_with_kernel(data);
    {
      const auto archive = Archive::open(data.path());
      const KernelRow judged = (*archive)->kernel(id).value();
      for (const char* name : {"loose", "child"}) {
        KernelRow row = judged;
        row.id = name;
        row.parent = std::string(name) == "child" ? "loose" : "";
        REQUIRE((*archive)->put_kernel(row).has_value());
      }
    }
    CHECK(run_archive(data, {"gc"}).out ==
          "0 kernels, 0 evidence and 0 problems, about 0 B, could go; --delete deletes them\n");
    const std::string found = run_archive(data, {"gc", "--days", "0"}).out;
    CHECK(found.starts_with("2 kernels, 0 evidence and 0 problems, about "));
    CHECK(found.ends_with(", could go; --delete deletes them\nchild\nloose\n"));
    const Ended refused = run_archive(data, {"gc", "--days", "0", "--delete"});
    CHECK(refused.status == 2);
    CHECK(refused.err ==
          "invalid_argument: --days 0 with --delete could delete kernels that a server is working "
          "on; keep the last day, or add --force if no server runs\n");
    const Json deleted = Json::parse(run_archive(data, {"gc", "--days", "0", "--max-bytes", "1GB",
                                                        "--delete", "--force", "--json"})
                                         .out);
    CHECK(deleted["bytes"] > 0);
    CHECK(deleted["deleted"] == true);
    CHECK(deleted["kernels"] == 2);
    CHECK(deleted["evidence"] == 0);
    CHECK(deleted["ids"] == Json({"child", "loose"}));
    CHECK(run_archive(data, {"gc", "--days", "0"}).out ==
          "0 kernels, 0 evidence and 0 problems, about 0 B, could go; --delete deletes them\n");
    CHECK((*Archive::open(data.path()))->kernel(id).has_value());
  }

  TEST_CASE("verify finds a row that was changed, and judges a sample again") {
    const TestFolder data;
    const std::string id = fill_with_kernel(data);
    const Ended sound = run_archive(data, {"verify", "--rerun", "3", "--no-gpu"});
    CHECK(sound.status == 0);
    CHECK(sound.out ==
          "1 problems, 1 kernels, 2 evidence, 0 claims read; 0 damaged\n" + id + ": passed\n");
    {
      const auto archive = Archive::open(data.path());
      KernelRow row = (*archive)->kernel(id).value();
      row.id = "krn_forged";
      REQUIRE((*archive)->put_kernel(row).has_value());
    }
    const Ended forged = run_archive(data, {"verify"});
    CHECK(forged.status == 1);
    CHECK(forged.out ==
          "1 problems, 2 kernels, 3 evidence, 0 claims read; 1 damaged\n"
          "krn_forged: its content has the id " +
              id + "\n");
  }

  TEST_CASE("verify says that the file is damaged, whatever the rows look like") {
    const TestFolder data;
    fill_with_kernel(data);
    const std::filesystem::path file = data.path() / "archive.db";
    std::string bytes = read_file(file).value();
    const std::string key = R"({"level":"quick","param_samples":0)";
    const std::size_t at = bytes.find(key);
    REQUIRE(at != std::string::npos);
    bytes[at + 2] = 'L';
    REQUIRE(write_file(file, bytes).has_value());
    const Ended damaged = run_archive(data, {"verify"});
    CHECK(damaged.status == 1);
    CHECK(damaged.out.starts_with(
        "the file is damaged; restore a backup, or export what can be read:\nrow "));
    CHECK(damaged.out.find(" missing from index evidence_by_kernel\n") != std::string::npos);
    CHECK(run_archive(data, {"verify", "--json"})
              .out.starts_with(R"({"action":"verify","file":["row )"));
  }

  TEST_CASE("a backup of a live server is restored elsewhere, and not over that server") {
    const TestFolder data;
    const TestFolder to;
    const std::string id = fill_with_kernel(data);
    const std::string file = (to.path() / "a.db").string();
    Child server("warpsmith", {"serve", "--stdio", "--no-gpu", "--data", data.path().string()});
    server.write(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"
                 "\n");
    REQUIRE(server.line().has_value());
    const Json backup = Json::parse(run_archive(data, {"backup", file, "--json"}).out);
    CHECK(backup["kernels"] == 1);
    CHECK(backup["evidence"] == 2);
    CHECK(backup["bytes"] == std::filesystem::file_size(file));
    const Ended again = run_archive(data, {"backup", file});
    CHECK(again.status == 1);
    CHECK(again.err == "conflict: `" + file +
                           "` is there already; name another file, or replace it with "
                           "--force\n");
    CHECK(
        run_archive(data, {"backup", file, "--force"}).out.starts_with("1 kernels, 2 evidence, "));
    const Ended to_stdout = run_archive(data, {"backup", "-"});
    CHECK(to_stdout.status == 2);
    CHECK(to_stdout.err ==
          "invalid_argument: a backup cannot be written to stdout; name a file; `warpsmith archive "
          "export -` writes lines\n");
    const Ended live = run_archive(data, {"restore", file});
    CHECK(live.status == 1);
    CHECK(live.err.starts_with("busy: the archive in `" + data.path().string() +
                               "` is in use by a server, process "));
    CHECK(live.err.ends_with("; nothing was changed; stop that server, then try again\n"));
    const Ended restored = run_archive(to, {"restore", file});
    CHECK(restored.status == 0);
    CHECK(restored.out.starts_with("1 kernels, 2 evidence, "));
    CHECK(restored.out.ends_with(" restored from " + file + "\nthere was no archive before\n"));
    CHECK((*Archive::open(to.path()))->ref("best@main") == id);
    server.close_input();
    CHECK(server.wait(std::chrono::seconds(20)) == 0);
    const Json kept = Json::parse(run_archive(data, {"restore", file, "--json"}).out);
    CHECK(std::filesystem::exists(std::string(kept["kept"])));
    CHECK(run_archive(data, {"check"}).status == 0);
  }

  TEST_CASE("migrate says what would change, and then changes it") {
    const TestFolder data;
    CHECK(run_archive(data, {"migrate", "--dry-run"}).err ==
          "not_found: there is no archive in `" + data.path().string() +
              "`; name its folder by --data DIR\n");
    fill_with_kernel(data);
    CHECK(run_archive(data, {"migrate", "--dry-run"}).out ==
          "the archive has version 17, the newest\n");
    const auto file = data.path() / "archive.db";
    {
      auto old = Connection::open(file.string(), false);
      REQUIRE(old->execute("DROP TABLE owners; DROP TABLE owner_bytes; PRAGMA user_version = 15")
                  .has_value());
    }
    const std::string steps =
        " from version 15 to 17:\n16: makes the table of owners; what is stored by now stays "
        "everybody's\n17: counts what each principal has stored\na copy of the old version ";
    CHECK(run_archive(data, {"migrate", "--dry-run"}).out ==
          "would go" + steps + "would be " + file.string() + ".version-15\n");
    CHECK(run_archive(data, {"migrate"}).out ==
          "went" + steps + "is " + file.string() + ".version-15\n");
    CHECK(Json::parse(run_archive(data, {"migrate", "--json"}).out)["changed"] == false);
  }
}

}  // namespace ws::test
