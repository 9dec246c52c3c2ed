// A server with a principals file, and the command that changes the file.
#include "tests/support/principals_file.h"

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "server/access/principals.h"
#include "server/protocol/protocol.h"
#include "tests/support/child.h"
#include "tests/support/raw_http.h"
#include "tests/support/run_program.h"
#include "tests/support/test_bench.h"

namespace ws::test {
namespace {

using std::chrono::seconds;

HttpResponse ask(int port, const std::string& request) {
  HttpConnection connection(port);
  connection.send(request);
  return connection.receive();
}

}  // namespace

TEST_SUITE("principals_file") {
  TEST_CASE("SIGHUP takes the file again, and a broken one changes nothing") {
    const TestFolder folder;
    const std::string file = (folder.path() / "principals.toml").string();
    const std::string ann = made_token(file, "ann", "use");
    struct stat status = {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    const std::string audit = (folder.path() / "audit.jsonl").string();
    Child server("warpsmith", {"serve", "--no-gpu", "--data", (folder.path() / "data").string(),
                               "--http", "127.0.0.1:0", "--principals", file, "--audit", audit});
    const std::string first = server.error_line().value_or("");
    const int port = std::stoi(first.substr(first.rfind(':', first.find("/mcp")) + 1));
    CHECK(server.error_line().value_or("").ends_with("every request must show a token"));
    const auto until = [&](const std::string& words) {
      for (;;) {
        const std::optional<std::string> line = server.error_line();
        REQUIRE(line.has_value());
        if (line->find(words) != std::string::npos) {
          return *line;
        }
      }
    };
    const auto call = [&](const std::string& token) {
      return ask(port, post_request(call_line(1, "list_devices", Json::object()),
                                    modern_headers("list_devices") + bearer(token)))
          .status;
    };
    CHECK(call(ann) == 200);
    CHECK(until("request: client=").find("client=127.0.0.1 principal=ann method=tools/call") !=
          std::string::npos);
    const auto is_audited = [&] {
      return read_file(audit).value_or("").find(R"("principal":"ann")") != std::string::npos;
    };
    for (int i = 0; !is_audited() && i < 30'000; ++i) {  // Lines of reads come a little later.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK(is_audited());
    const std::string bob = made_token(file, "bob", "read");
    CHECK(call(bob) == 401);
    server.signal(SIGHUP);
    until("the principals were read again");
    CHECK(call(bob) == 200);
    const Ended revoked = run_program({"token", "revoke", "ann", "--file", file});
    CHECK(revoked.status == 0);
    CHECK(revoked.out == "`ann` is removed; a running server refuses its token after SIGHUP\n");
    CHECK(call(ann) == 200);
    server.signal(SIGHUP);
    until("the principals were read again");
    CHECK(call(ann) == 401);
    const std::string good = read_file(file).value_or("");
    REQUIRE(write_file(file, good + "name = 'eve'\n"));
    server.signal(SIGHUP);
    CHECK(until("the principals stay as they were").find(file + ":5:8") != std::string::npos);
    CHECK(call(bob) == 200);
    server.signal(SIGTERM);
    CHECK(server.wait(seconds(20)) == 0);
  }

  TEST_CASE("a server does not start with a principals file that is broken or open to others") {
    const TestFolder folder;
    const std::string file = (folder.path() / "principals.toml").string();
    const std::vector<std::string> arguments = {
        "serve",  "--no-gpu",    "--data",       (folder.path() / "data").string(),
        "--http", "127.0.0.1:0", "--principals", file};
    REQUIRE(write_file(file, "[[principal]]\nname = 'ann'\nrole = 'god'\n"));
    ::chmod(file.c_str(), 0644);
    const Ended open = run_program(arguments);
    CHECK(open.status == 1);
    CHECK(
        open.err.ends_with("error server: invalid_argument: users other than its owner may use "
                           "the principals file " +
                           file + "; chmod 600 " + file + "\n"));
    ::chmod(file.c_str(), 0600);
    const Ended broken = run_program(arguments);
    CHECK(broken.status == 1);
    CHECK(broken.err.ends_with("error server: invalid_argument: " + file +
                               ":3:8: `role` must be \"read\", \"use\" or \"admin\"\n"));
  }

  TEST_CASE("a principal changes its token while the old one still counts, and tokens end") {
    const TestFolder folder;
    const std::string file = (folder.path() / "principals.toml").string();
    const std::string first = made_token(file, "ann", "use");
    const Ended added = run_program({"token", "add", "ann", "--file", file});
    REQUIRE_MESSAGE(added.status == 0, added.err);
    const std::string second = added.out.substr(0, added.out.size() - 1);
    const Ended over =
        run_program({"token", "add", "ann", "--expires", "2001-09-09", "--file", file});
    REQUIRE_MESSAGE(over.status == 0, over.err);
    const std::string third = over.out.substr(0, over.out.size() - 1);
    CHECK(run_program({"token", "list", "--file", file}).out ==
          "ann use expires=never expires=never expires=2001-09-09T00:00:00.000Z\n");
    CHECK(run_program({"token", "list", "--file", file, "--json"}).out ==
          R"({"principals":[{"name":"ann","role":"use","tokens":[{"expires":"never"},)"
          R"({"expires":"never"},{"expires":"2001-09-09T00:00:00.000Z"}]}]})"
          "\n");
    const auto principals = server::Principals::open({}, file);
    REQUIRE_MESSAGE(principals.has_value(), to_text(principals.error()));
    CHECK((*principals)->find(first).who != nullptr);
    CHECK((*principals)->find(second).who != nullptr);
    CHECK((*principals)->find(third).who == nullptr);
    CHECK((*principals)->find(third).fault == server::TokenFault::kExpired);
    CHECK_FALSE((*principals)->find(third + "0").fault.has_value());
    const Ended later = run_program({"token", "add", "ann", "--expires", "90d", "--file", file});
    REQUIRE_MESSAGE(later.status == 0, later.err);
    const Ended kept = run_program({"token", "revoke", "ann", "--old", "--file", file});
    CHECK(kept.out ==
          "`ann` keeps its last token; a running server refuses the others after SIGHUP\n");
    REQUIRE((*principals)->reload().has_value());
    CHECK((*principals)->find(first).who == nullptr);
    CHECK((*principals)->find(later.out.substr(0, later.out.size() - 1)).who != nullptr);
    for (const char* wrong : {"0d", "90", "d", "-1d", "tomorrow", "2027-01-31x"}) {
      const Ended refused =
          run_program({"token", "add", "ann", "--expires", wrong, "--file", file});
      CHECK(refused.status == 1);
      CHECK(refused.err == std::string("invalid_argument: --expires is no end of a token: ") +
                               wrong + "; such as 90d, or 2027-01-31, which is 00:00 UTC\n");
    }
  }

  TEST_CASE("the command lists principals, and refuses what cannot be") {
    const TestFolder folder;
    const std::string file = (folder.path() / "principals.toml").string();
    made_token(file, "ann", "use");
    made_token(file, "bob", "admin");
    REQUIRE(write_file(file, read_file(file).value_or("") + "queued-jobs = 4\n"));
    const Ended listed = run_program({"token", "list", "--file", file});
    CHECK(listed.out == "ann use\nbob admin queued-jobs=4\n");
    CHECK(run_program({"token", "list", "--file", file, "--json"}).out ==
          R"({"principals":[{"name":"ann","role":"use"},{"name":"bob","role":"admin",)"
          R"("queued-jobs":4}]})"
          "\n");
    const Ended twice = run_program({"token", "new", "ann", "--file", file});
    CHECK(twice.status == 1);
    CHECK(twice.out.empty());
    CHECK(twice.err == "invalid_argument: " + file + ":13:8: there is a principal `ann` already\n");
    const Ended name = run_program({"token", "new", "a b", "--file", file});
    CHECK(name.status == 1);
    CHECK(name.err ==
          "invalid_argument: a name has 1 to 64 letters, digits, dashes and underscores\n");
    CHECK(run_program({"token", "new", "eve", "--role", "god", "--file", file}).status == 2);
    const Ended missing =
        run_program({"token", "list", "--file", (folder.path() / "none").string()});
    CHECK(missing.status == 1);
    CHECK(missing.err == "io: cannot read the principals file " +
                             (folder.path() / "none").string() +
                             " (open: No such file or directory)\n");
  }
}

}  // namespace ws::test
