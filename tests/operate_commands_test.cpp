// The commands that ask a running server, or the data folder: jobs, sessions, top.
#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/clock.h"
#include "runtime/base/metrics.h"
#include "server/cli/admin_client.h"
#include "server/cli/operate_text.h"
#include "server/operate/work_rows.h"
#include "tests/support/child.h"
#include "tests/support/operated.h"
#include "tests/support/run_program.h"
#include "tests/support/test_bench.h"

namespace ws::test {

using std::chrono::seconds;

TEST_SUITE("operate.commands") {
  TEST_CASE("jobs lists the jobs of a server, follows and ends them") {
    OperatedServer operated;
    const LongJob job(*operated.services().jobs);
    const Json listed =
        Json::parse(run_program({"jobs", "--server", operated.url(), "--json"}).out)["jobs"];
    REQUIRE(listed.size() == 1);
    CHECK(listed[0]["job_id"] == job.id());
    CHECK(listed[0]["tool"] == "validate");
    CHECK(listed[0]["state"] == "running");
    CHECK(listed[0]["lane"] == "cpu:0");
    CHECK(listed[0]["client"] == "10.0.0.7 ann");
    CHECK(listed[0]["message"] == "run 1 of 4");
    const Ended table = run_program({"jobs", "--server", operated.url()});
    CHECK(table.status == 0);
    CHECK(table.out.find("\n" + job.id() + " ") != std::string::npos);
    CHECK(table.out.find(" validate ") != std::string::npos);
    CHECK(table.out.find("25 % run 1 of 4\n") != std::string::npos);
    Child following("warpsmith", {"jobs", "--server", operated.url(), "--follow"});
    CHECK(following.line().value_or("").starts_with(job.id()));
    const Ended ended = run_program({"jobs", "--server", operated.url(), "--cancel", job.id()});
    CHECK(ended.status == 0);
    CHECK(ended.out.starts_with(job.id() + " is told to stop: "));
    const std::string last = following.line().value_or("");
    CHECK(last.starts_with(job.id()));
    CHECK(operated.services().jobs->wait(job.id(), seconds(10), {})->state == JobState::kCancelled);
    const Ended unknown = run_program({"jobs", "--server", operated.url(), "--cancel", "job_0"});
    CHECK(unknown.status == 1);
    CHECK(unknown.err == "invalid_argument: " + operated.url() +
                             " refused with status 404: not_found: no job `job_0`; job ids come "
                             "from a result with status running; ended jobs are kept for 24 h\n");
  }

  TEST_CASE("the page shows the work of a server, and nobody's name") {
    OperatedServer operated;
    const LongJob job(*operated.services().jobs);
    const Json work = server::public_work(*operated.services().jobs);
    REQUIRE(work["jobs"].size() == 1);
    CHECK(work["jobs"][0]["job_id"] == job.id());
    CHECK(work["jobs"][0]["progress"] == 0.25);
    CHECK(work["jobs"][0]["lane"] == "cpu:0");
    CHECK(work.dump().find("10.0.0.7") == std::string::npos);
    CHECK_FALSE(work["jobs"][0].contains("request_id"));
    CHECK(server::device_rows(operated.services().devices)[0]["emulated"] == true);
  }

  TEST_CASE("sessions and top show a server's clients and load") {
    OperatedServer operated;
    const LongJob job(*operated.services().jobs);
    CHECK(run_program({"sessions", "--server", operated.url()}).out ==
          "no sessions: clients of 2026-07-28 have none\n");
    const std::string session =
        ask_server(operated.port(),
                   post_request(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
                                R"("protocolVersion":"2025-11-25","capabilities":{},)"
                                R"("clientInfo":{"name":"ann","version":"1"}}})"))
            .headers.at("mcp-session-id");
    const Json sessions = Json::parse(
        run_program({"sessions", "--server", operated.url(), "--json"}).out)["sessions"];
    REQUIRE(sessions.size() == 1);
    CHECK(sessions[0]["session"] == session.substr(0, 8));
    CHECK(sessions[0]["client"] == "127.0.0.1 ann");
    const Ended table = run_program({"sessions", "--server", operated.url()});
    CHECK(table.out.find(session.substr(0, 8)) != std::string::npos);
    CHECK(table.out.ends_with(" 127.0.0.1 ann\n"));
    const Ended top = run_program({"top", "--server", operated.url()});
    CHECK(top.status == 0);
    CHECK(top.out.starts_with("warpsmith 1.2.3, pid "));
    CHECK(top.out.find(" connections, 0 open calls, 1 sessions\n") != std::string::npos);
    CHECK(top.out.find(job.id()) != std::string::npos);
    const Json status = Json::parse(run_program({"top", "--server", operated.url(), "--json"}).out);
    CHECK(status["version"] == "1.2.3");
    CHECK(status["draining"] == false);
    CHECK(status["lanes"].size() == 4);
  }

  TEST_CASE("without a server, jobs shows what the data folder remembers") {
    const TestFolder folder;
    server::OperateOptions options;
    options.place = folder.path();
    CHECK(server::stored_jobs(options)->at("jobs").empty());
    {
      auto archive = Archive::open(folder.path());
      REQUIRE(archive.has_value());
      REQUIRE((*archive)
                  ->put_job({.id = "job_a",
                             .tool = "tune",
                             .status = "running",
                             .json = "{}",
                             .created_at = {},
                             .updated_ms = unix_ms()})
                  .has_value());
    }
    const auto stored = server::stored_jobs(options);
    REQUIRE(stored.has_value());
    const std::string text = server::jobs_text(*stored);
    CHECK(text.find("job_a") != std::string::npos);
    CHECK(text.find(" tune ") != std::string::npos);
    CHECK(text.find(" running ") != std::string::npos);
  }

  TEST_CASE("a server that does not answer is an error that says how to start one") {
    const std::string nobody = "http://127.0.0.1:1/mcp";
    for (const char* command : {"jobs", "top", "sessions"}) {
      const Ended refused = run_program({command, "--server", nobody});
      CHECK(refused.status == 1);
      CHECK(refused.err ==
            "io: no answer from http://127.0.0.1:1/admin (Connection); start it with: warpsmith "
            "serve --http HOST:PORT\n");
    }
    const Ended bad = run_program({"jobs", "--server", "nowhere"});
    CHECK(bad.status == 1);
    CHECK(bad.err ==
          "invalid_argument: \"nowhere\" is not a server's URL; such as "
          "http://127.0.0.1:7411/mcp, https://HOST:7411/mcp or unix:PATH\n");
  }

  TEST_CASE("metrics lists them all") {
    const Ended printed = run_program({"metrics"});
    CHECK(printed.status == 0);
    CHECK(printed.out == metrics_table());
  }
}

}  // namespace ws::test
