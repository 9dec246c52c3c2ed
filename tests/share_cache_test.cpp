// Nodes that share what they compiled: real processes, on one database.
#include <csignal>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/compile/shared_entries.h"
#include "tests/support/child.h"
#include "tests/support/node_cluster.h"
#include "tests/support/run_program.h"

namespace ws::test {
namespace {

std::string secret_file(const TestFolder& folder, std::size_t bytes) {
  const std::filesystem::path path = folder.path() / "share.secret";
  REQUIRE(write_file(path, std::string(bytes, 's')).has_value());
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  return path.string();
}

}  // namespace

TEST_SUITE("server.share_cache") {
  TEST_CASE("a node runs what another one compiled") {
    if (no_postgres("nodes that share compiled kernels")) {
      return;
    }
    const TestFolder folder;
    const std::vector<std::string> share = {"--share-cache", secret_file(folder, kLeastSecret)};
    NodeCluster cluster;
    auto front = cluster.front();
    {
      const auto one = cluster.node("one", share);
      CHECK(call_ok(*front, "compile_kernel", doubling_kernel(1))["cache"] == "miss");
      one->signal(SIGTERM);  // It writes what waits before it ends.
      CHECK(one->wait(kPatience) == 0);
    }
    {
      const auto alone = cluster.node("alone");
      CHECK(call_ok(*front, "compile_kernel", doubling_kernel(1))["cache"] == "miss");
    }
    const auto two = cluster.node("two", share);
    const Json compiled = call_ok(*front, "compile_kernel", doubling_kernel(1));
    CHECK(compiled["cache"] == "hit");
    CHECK(call_ok(*front, "validate", {{"kernel_id", compiled["kernel_id"]}})["verdict"] ==
          "passed");
  }

  TEST_CASE("options of sharing that make no sense are errors") {
    const TestFolder folder;
    const std::string data = (folder.path() / "data").string();
    const std::string file = secret_file(folder, kLeastSecret - 1);
    const Ended alone = run_program({"serve", "--stdio", "--data", data, "--share-cache", file});
    CHECK(alone.status == 1);
    CHECK(alone.err.find("invalid_argument: --share-cache needs a --store; name the database that "
                         "the machines share\n") != std::string::npos);
    const Ended small = run_program({"serve", "--stdio", "--data", data, "--share-cache", file,
                                     "--store", "postgres://nobody@127.0.0.1:1/none"});
    CHECK(small.status == 1);
    CHECK(
        small.err.find("invalid_argument: the file of --share-cache has 31 bytes, at least 32 are "
                       "needed; (umask 077; head -c 32 /dev/urandom > " +
                       file + ")\n") != std::string::npos);
    std::filesystem::permissions(file, std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    const Ended open = run_program({"serve", "--stdio", "--data", data, "--share-cache", file,
                                    "--store", "postgres://nobody@127.0.0.1:1/none"});
    CHECK(open.status == 1);
    CHECK(open.err.find("file of --share-cache") != std::string::npos);
    const Ended folder_alone =
        run_program({"serve", "--stdio", "--data", data, "--share-cache-folder", data});
    CHECK(folder_alone.err.find("--share-cache-folder requires --share-cache") !=
          std::string::npos);
  }
}

}  // namespace ws::test
