// The option --store, as users type it.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "server/cli/stdio_client.h"
#include "tests/support/postgres_cluster.h"
#include "tests/support/run_program.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

bool is_left_out(const char* test) {
  if (!has_postgres()) {
    MESSAGE("left out, as there is no PostgreSQL here: " << test);
  }
  return !has_postgres();
}

}  // namespace

TEST_SUITE("server.store") {
  TEST_CASE("a URL with a password is refused by each command, and not repeated") {
    const std::vector<std::vector<std::string>> commands = {{"serve", "--stdio"},
                                                            {"serve", "--stdio", "--print-config"},
                                                            {"log"},
                                                            {"archive", "verify"},
                                                            {"stats"}};
    for (std::vector<std::string> words : commands) {
      words.insert(words.end(), {"--store", "postgres://me:secret@db/one"});
      const Ended ended = run_program(words);
      CHECK(ended.status != 0);
      CHECK(ended.out.find("secret") == std::string::npos);
      CHECK(ended.err.find("secret") == std::string::npos);
      CHECK(
          ended.err.find("invalid_argument: the URL of --store has a password in it, which others "
                         "could read; leave it out, and put it into ~/.pgpass or the file that "
                         "PGPASSFILE names\n") != std::string::npos);
    }
  }

  TEST_CASE("a database needs the library beside the program") {
    const TestFolder folder;
    const std::string program = (folder.path() / "warpsmith").string();
    std::filesystem::copy_file(std::string(WS_BINARY_DIR) + "/warpsmith", program);
    const Ended ended = run_program({"log", "--store", "postgres://db/one"}, "",
                                    std::filesystem::relative(program, WS_BINARY_DIR).string());
    CHECK(ended.status == 1);
    CHECK(
        ended.err ==
        "unsupported: the library that talks to PostgreSQL cannot be loaded (" +
            folder.path().string() +
            "/libwarpsmith_postgres.so: cannot open shared object file: No such file or "
            "directory); install libpq5, and keep libwarpsmith_postgres.so beside the program; it "
            "is built where libpq-dev is installed\n");
  }

  TEST_CASE("a command that only reads makes no archive in a database") {
    if (is_left_out("a database without an archive")) {
      return;
    }
    const std::string url = take_database();
    const Ended ended = run_program({"log", "--store", url});
    CHECK(ended.status == 1);
    CHECK(ended.err == "not_found: there is no archive in `" + url.substr(0, url.find('?')) +
                           "`; name the database of a server with --store URL\n");
    leave_database(url);
  }

  TEST_CASE("two servers with folders of their own share kernels and evidence in a database") {
    if (is_left_out("two servers on one database")) {
      return;
    }
    const std::string url = take_database();
    const TestFolder here;
    const TestFolder there;
    {
      const auto start = [&](const std::string& data) {
        auto client = server::StdioClient::start(std::string(WS_BINARY_DIR) + "/warpsmith",
                                                 {"--data", data, "--store", url, "--no-gpu"});
        REQUIRE_MESSAGE(client.has_value(), to_text(client.error()));
        return *std::move(client);
      };
      auto first = start(here.path().string());
      auto second = start(there.path().string());
      const auto call = [](auto& client, const char* tool, Json arguments) {
        arguments["device"] = "cpu:0";
        const Result<Json> answer = client->call_tool(tool, std::move(arguments), {});
        REQUIRE_MESSAGE(answer.has_value(), to_text(answer.error()));
        return *answer;
      };
      const Json compiled = call(first, "compile_kernel",
                                 {{"problem", twice_problem()},
                                  {"kernel", twice_kernel("  if (i < n) y[i] = 2 * x[i];")}});
      const Json judged = call(first, "validate", {{"kernel_id", compiled["kernel_id"]}});
      CHECK(judged["verdict"] == "passed");
      const Json again = call(second, "validate", {{"kernel_id", compiled["kernel_id"]}});
      CHECK(again["evidence_id"] == judged["evidence_id"]);
      const Ended log = run_program({"log", "--store", url, "--json"});
      CHECK(log.status == 0);
      CHECK(log.out.find(R"("kernels":1)") != std::string::npos);
      CHECK_FALSE(std::filesystem::exists(here.path() / "archive.db"));
    }
    leave_database(url);
  }
}

}  // namespace ws::test
