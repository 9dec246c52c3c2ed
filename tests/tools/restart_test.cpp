// Jobs outlive the server that ran them: ended, stopped, killed, or another one's.
#include <csignal>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "server/cli/stdio_client.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/step_check.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

const std::string kUnknown = "job_" + std::string(32, 'a');

/// Promises the row's job, as a server did that is gone.
void put(ToolBench& bench, JobRow row) {
  row.id = kUnknown;
  row.status = "running";
  row.json = "{}";
  leave_steps(bench);
  REQUIRE(bench.services().archive->put_job(row).has_value());
}

JobRow row_of(const std::string& tool, const Json& arguments) {
  JobRow row;
  row.tool = tool;
  row.instance = std::string(16, '0');
  row.arguments = arguments.is_null() ? "" : arguments.dump();
  return row;
}

/// A validate that takes 50 ms a run, as its answer to wait_ms 0.
Json start_slow(ToolBench& bench, int number = 0) {
  const std::string id = bench.compiled(bump_problem(), bump_kernel("nap", number));
  return bench.result("validate", {{"kernel_id", id}, {"wait_ms", 0}});
}

}  // namespace

TEST_SUITE("tools.restart") {
  TEST_CASE("a job that had ended keeps its result, one that was stopped runs again") {
    ToolBench bench(1);
    const std::string done = start_slow(bench)["job_id"];
    const Json result = bench.result("job", {{"job_id", done}});
    const std::string running = start_slow(bench, 1)["job_id"];
    const std::string queued = start_slow(bench, 2)["job_id"];
    bench.restart();
    CHECK(bench.result("job", {{"job_id", done}}) == result);
    const Json asked = bench.result("job", {{"job_id", running}, {"action", "status"}});
    CHECK((asked["status"] == "running" || asked["status"] == "queued"));
    CHECK(asked["job_id"] == running);
    for (const std::string& id : {running, queued}) {
      const Json again = bench.result("job", {{"job_id", id}});
      CHECK(again["status"] == "done");
      CHECK(again["verdict"] == "passed");
      CHECK(bench.services().archive->job(id)->resumed == 1);
      CHECK(bench.result("job", {{"job_id", id}}) == again);
    }
  }

  TEST_CASE("what was found out meanwhile answers a job that is resumed") {
    ToolBench bench(1);
    const std::string kernel = bench.compiled(bump_problem(), bump_kernel("add_one"));
    const Json known = bench.result("validate", {{"kernel_id", kernel}});
    put(bench, row_of("validate", {{"kernel_id", kernel}}));
    const Json answer = bench.result("job", {{"job_id", kUnknown}});
    CHECK(answer["evidence_id"] == known["evidence_id"]);
    CHECK(bench.result("job", {{"job_id", kUnknown}}) == answer);
    CHECK(bench.services().archive->job(kUnknown)->status == "done");
  }

  TEST_CASE("a job that ends while its id is given is recorded as ended") {
    ToolBench bench(1);
    const std::string kernel = bench.compiled(bump_problem(), bump_kernel("add_one"));
    const Json known = bench.result("validate", {{"kernel_id", kernel}});
    const Json question = {{"kernel_id", kernel}, {"wait_ms", 0}};
    for (int i = 0; i < 100; ++i) {
      const Json told = bench.result("validate", question);
      if (told["status"] == "done") {
        continue;
      }
      const std::string id = told["job_id"];
      CHECK(bench.result("job", {{"job_id", id}})["evidence_id"] == known["evidence_id"]);
      CHECK(bench.services().archive->job(id)->status == "done");
    }
  }

  TEST_CASE("a job that cannot be resumed was interrupted, and why is said") {
    struct Row {
      const char* name;
      const char* tool;
      Json arguments;
      std::int64_t resumed;
      const char* summary;
      Json again;  ///< The step.
    };

    const Json one = {{"kernel_id", "krn_1"}};
    const auto once_more = [](const std::string& tool) {
      return Json{{"why", "to start again, send " + tool + " its arguments once more"}};
    };
    const Row rows[] = {
        {"no arguments", "validate", nullptr, 0,
         "validate was interrupted: its server is gone, and it left no arguments to run it again",
         once_more("validate")},
        {"an unknown tool", "divine", one, 0,
         "divine was interrupted: its server is gone, and this version does not take its arguments",
         once_more("divine")},
        {"other arguments",
         "validate",
         {{"kernel", 1}},
         0,
         "validate was interrupted: its server is gone, and this version does not take its "
         "arguments",
         once_more("validate")},
        {"a job that ends its servers",
         "validate",
         one,
         3,
         "validate was interrupted: its server is gone, and it was resumed 3 times and ended with "
         "its server each time",
         {{"tool", "validate"}, {"arguments", one}, {"why", "start again with its arguments"}}},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      ToolBench bench(1);
      put(bench, row_of(row.tool, row.arguments));
      for (std::int64_t i = 0; i < row.resumed; ++i) {
        const auto now = bench.services().archive->job(kUnknown);
        REQUIRE(*bench.services().archive->claim_job(*now, std::string(16, char('1' + i))));
      }
      const Json answer = bench.result("job", {{"job_id", kUnknown}});
      CHECK(answer == Json{{"summary", row.summary},
                           {"status", "interrupted"},
                           {"job_id", kUnknown},
                           {"links", Json::array()},
                           {"next_steps", Json::array({row.again})}});
    }
  }

  TEST_CASE("an error of a job that is resumed is its outcome") {
    ToolBench bench(1);
    const std::string kernel = "krn_" + std::string(16, '0');
    put(bench, row_of("validate", {{"kernel_id", kernel}}));
    const std::string told = bench.refusal("job", {{"job_id", kUnknown}});
    CHECK(told == bench.refusal("validate", {{"kernel_id", kernel}}));
    CHECK(bench.services().archive->job(kUnknown)->status == "failed");
    CHECK(bench.refusal("job", {{"job_id", kUnknown}}) == told);
  }

  TEST_CASE("a job of a server that is gone can be cancelled, and stays so") {
    ToolBench bench(1);
    put(bench, row_of("validate", {{"kernel_id", "krn_1"}}));
    const Json answer = bench.result("job", {{"job_id", kUnknown}, {"action", "cancel"}});
    CHECK(answer["status"] == "cancelled");
    CHECK(answer["summary"] == "the job is cancelled");
    CHECK(bench.refusal("job", {{"job_id", kUnknown}}) == "cancelled: the job was cancelled");
  }

  TEST_CASE("a job of another server that lives runs there, and its result is waited for") {
    ToolBench bench(1);
    const Instance other = *Instance::begin(bench.folder());
    JobRow row = row_of("validate", {{"kernel_id", "krn_1"}});
    row.instance = other.id();
    put(bench, row);
    const Json status = bench.result("job", {{"job_id", kUnknown}, {"action", "status"}});
    CHECK(status == Json{{"summary",
                          "validate runs in another server on this data folder; ask "
                          "again with job"},
                         {"status", "running"},
                         {"job_id", kUnknown},
                         {"poll_after_ms", 1000},
                         {"links", Json::array()},
                         {"next_steps",
                          {{{"tool", "job"},
                            {"arguments", {{"job_id", kUnknown}, {"action", "wait"}}},
                            {"why", "wait for the result"}}}}});
    CHECK(bench.refusal("job", {{"job_id", kUnknown}, {"action", "cancel"}}) ==
          "conflict: the job runs in another server on this data folder; cancel it there");
    std::jthread end([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      JobRow ended = *bench.services().archive->job(kUnknown);
      ended.status = "done";
      ended.json = R"({"output": {"summary": "there", "status": "done", "next_steps": []}})";
      REQUIRE(bench.services().archive->put_job(ended).has_value());
    });
    CHECK(bench.result("job", {{"job_id", kUnknown}})["summary"] == "there");
  }

  TEST_CASE("a server that is killed in mid job leaves it to the next one") {
    const TestFolder folder;
    const std::filesystem::path server = std::string(WS_BINARY_DIR) + "/ws_fake_gpu_server";
    const std::vector<std::string> options = {"--data", folder.path().string(), "1"};
    std::string job;
    {
      auto first = server::StdioClient::start(server, options);
      REQUIRE(first.has_value());
      const auto compiled = (*first)->call_tool(
          "compile_kernel", {{"problem", bump_problem()}, {"kernel", bump_kernel("nap")}}, {});
      REQUIRE_MESSAGE(compiled.has_value(), to_text(compiled.error()));
      const auto begun = (*first)->request(
          "tools/call",
          {{"name", "validate"},
           {"arguments", {{"kernel_id", (*compiled)["kernel_id"]}, {"wait_ms", 0}}}},
          {});
      REQUIRE(begun.has_value());
      job = (*begun)["structuredContent"]["job_id"];
      ::kill((*first)->server(), SIGKILL);
    }
    auto second = server::StdioClient::start(server, options);
    REQUIRE(second.has_value());
    const auto answer = (*second)->call_tool("job", {{"job_id", job}}, {});
    REQUIRE_MESSAGE(answer.has_value(), to_text(answer.error()));
    CHECK((*answer)["verdict"] == "passed");
  }
}

}  // namespace ws::test
