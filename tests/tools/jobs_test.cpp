// Jobs as a client sees them: handles, joining, cancelling, restarts.
#include <future>
#include <thread>

#include <doctest/doctest.h>

#include "tests/support/step_check.h"
#include "tests/support/tool_bench.h"
#include "tools/answer/envelope.h"

namespace ws::test {
namespace {

/// Ends when the reference's limit is used up: after about two seconds.
Json hanging_kernel() {
  return twice_kernel("  volatile int* p = y;\n  while (i < 64 && p[0] != 12345) {}");
}

/// A validate that is still running, as its answer to wait_ms 0.
Json start_hanging(ToolBench& bench) {
  const std::string id = bench.compiled(twice_problem(), hanging_kernel());
  return bench.result("validate", {{"kernel_id", id}, {"fresh", true}, {"wait_ms", 0}});
}

}  // namespace

TEST_SUITE("tools.jobs") {
  TEST_CASE("work that is not done in time answers with a job, which gives the result") {
    const Json started = start_hanging(tools());
    CHECK((started["status"] == "running" || started["status"] == "queued"));
    CHECK(started["poll_after_ms"] == 1000);
    CHECK(started["progress"].contains("queue_position"));
    const std::string job = started["job_id"];
    CHECK(started["next_steps"][0]["tool"] == "job");
    CHECK(started["next_steps"][0]["arguments"] == Json({{"job_id", job}, {"action", "wait"}}));
    const Json asked = tools().result("job", {{"job_id", job}, {"action", "status"}});
    CHECK(asked["job_id"] == job);
    const Json done = tools().result("job", {{"job_id", job}});
    CHECK(done["status"] == "done");
    CHECK(done["verdict"] == "timeout");
    CHECK(done["runs"].size() == 1);
    CHECK(tools().result("job", {{"job_id", job}}) == done);
  }

  TEST_CASE("a running job that is cancelled stops at once, and a queued one never starts") {
    ToolBench bench;
    leave_steps(bench);  // To start again, which would be timed as well.
    const Json running = start_hanging(bench);
    const Json queued = start_hanging(bench);
    CHECK(queued["status"] == "queued");
    CHECK(queued["progress"]["queue_position"] == 1);
    CHECK(queued["summary"] == "validate waits behind 1 job; ask again with job");
    const auto start = Clock::now();
    for (const Json& job : {queued, running}) {
      const Json answer = bench.result("job", {{"job_id", job["job_id"]}, {"action", "cancel"}});
      CHECK(answer["status"] == "cancelled");
      CHECK(answer["summary"] == "the job is cancelled");
      CHECK(bench.refusal("job", {{"job_id", job["job_id"]}}).starts_with("cancelled: the "));
    }
    CHECK(Clock::now() - start < std::chrono::milliseconds(1500));
    const Json late = bench.result("job", {{"job_id", running["job_id"]}, {"action", "cancel"}});
    CHECK(late["status"] == "cancelled");
  }

  TEST_CASE("the same question joins the running job, another one does not") {
    const std::string id = tools().compiled(twice_problem(), hanging_kernel());
    const Json call = {{"kernel_id", id}, {"wait_ms", 0}, {"workloads", {{{"n", 999}}}}};
    const Json first = tools().result("validate", call);
    CHECK(tools().result("validate", call)["job_id"] == first["job_id"]);
    Json other = call;
    other["workloads"][0]["n"] = 998;
    const Json second = tools().result("validate", other);
    CHECK(second["job_id"] != first["job_id"]);
    for (const Json& job : {first, second}) {
      tools().result("job", {{"job_id", job["job_id"]}, {"action", "cancel"}});
    }
  }

  TEST_CASE("a caller who leaves does not take the job from another who joined it") {
    ToolBench bench;
    const std::string id = bench.compiled(twice_problem(), hanging_kernel());
    const Json arguments = {{"kernel_id", id}};
    std::stop_source leaving;
    Result<Json> left = Json();
    std::jthread first([&] {
      CallContext context;
      context.stop = leaving.get_token();
      left = bench.call("validate", arguments, context);
    });
    while (bench.services().jobs->length("cpu:0") == 0) {
      std::this_thread::yield();
    }
    std::jthread leaver([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      leaving.request_stop();
    });
    const Json stayed = bench.result("validate", arguments);
    first.join();
    CHECK(stayed["verdict"] == "timeout");
    REQUIRE_FALSE(left.has_value());
    CHECK(to_text(left.error()) == "cancelled: the call was cancelled");
  }

  TEST_CASE("a client that asks the same cannot cancel another's work, only its own wish") {
    ToolBench bench;
    std::promise<void> let_go;
    REQUIRE(bench.services().jobs->submit("cpu:0", "test", "",
                                          [&](CallContext& /*own*/) -> Result<std::string> {
                                            let_go.get_future().wait();
                                            return std::string("{}");
                                          }));
    const std::string id = bench.compiled(twice_problem(), good_kernel());
    const Json question = {{"kernel_id", id}, {"wait_ms", 0}};
    const auto as = [&](const char* client, const char* tool, const Json& arguments) {
      CallContext context;
      context.caller.client = client;
      return *bench.call(tool, arguments, context);
    };
    // She waits for an answer; he is handed the id of her job.
    Result<Json> answered = Json();
    std::jthread alice([&] {
      CallContext context;
      context.caller.client = "alice";
      answered = bench.call("validate", {{"kernel_id", id}, {"wait_ms", 600000}}, context);
    });
    while (bench.services().jobs->length("cpu:0") < 2) {
      std::this_thread::yield();
    }
    const std::string job = as("bob", "validate", question)["job_id"];
    const Json cancel = {{"job_id", job}, {"action", "cancel"}};
    const Json refused = as("bob", "job", cancel);
    CHECK(refused["summary"] ==
          "the job continues: others asked the same question and want its result");
    CHECK(refused["status"] == "queued");
    CHECK(as("bob", "job", cancel)["status"] == "queued");
    // Both have been handed it: each takes back its own.
    const Json other = {{"kernel_id", id}, {"wait_ms", 0}, {"workloads", {{{"n", 7}}}}};
    const std::string shared = as("carol", "validate", other)["job_id"];
    CHECK(as("dave", "validate", other)["job_id"] == shared);
    const Json leave = {{"job_id", shared}, {"action", "cancel"}};
    CHECK(as("mallory", "job", leave)["status"] == "queued");
    CHECK(as("carol", "job", leave)["status"] == "queued");
    CHECK(as("dave", "job", leave)["status"] == "cancelled");
    let_go.set_value();
    alice.join();
    REQUIRE(answered.has_value());
    CHECK((*answered)["verdict"] == "passed");
  }

  TEST_CASE("progress is reported while a job runs") {
    const std::string id = tools().compiled(twice_problem(), good_kernel());
    std::vector<Progress> reports;
    CallContext context;
    context.progress = [&](const Progress& progress) { reports.push_back(progress); };
    const auto output = tools().call(
        "validate", {{"kernel_id", id}, {"level", "standard"}, {"fresh", true}}, context);
    REQUIRE(output.has_value());
    REQUIRE_FALSE(reports.empty());
    double last = 0;
    for (const Progress& report : reports) {
      CHECK(report.fraction >= last);
      last = report.fraction;
    }
    const Progress& before = reports.at(reports.size() - 2);
    CHECK(before.message.starts_with("validating "));
    CHECK(reports.back().message == "looking for races");
  }

  TEST_CASE("a full queue is busy, and says how many wait") {
    ToolBench bench;
    const Json first = start_hanging(bench);
    const std::string id = first["job_id"];
    CommonParams common;
    common.wait = std::chrono::milliseconds(0);
    CallContext context;
    std::string refused;
    for (int i = 0; i < 300 && refused.empty(); ++i) {
      const auto queued =
          run_job(bench.services(),
                  {.lanes = {"cpu:0"},
                   .tool = "validate",
                   .key = "key " + std::to_string(i),
                   .common = common},
                  context, [](CallContext&) { return Result<Json>(Json::object()); });
      refused = queued ? "" : to_text(queued.error());
    }
    CHECK(refused == "busy: the queue of cpu:0 is full (256 of your jobs wait); call again later");
    bench.result("job", {{"job_id", id}, {"action", "cancel"}});
  }

  TEST_CASE("a job that failed keeps its error over a restart") {
    ToolBench bench;
    CommonParams common;
    common.wait = std::chrono::milliseconds(0);
    CallContext context;
    const Json started = *run_job(
        bench.services(), {.lanes = {"cpu:0"}, .tool = "validate", .key = "", .common = common},
        context, [](CallContext&) -> Result<Json> {
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          return fail(ErrorCode::kConflict, "no", "try", "a call");
        });
    const std::string id = started["job_id"];
    CHECK(bench.refusal("job", {{"job_id", id}}) == "conflict: no (a call); try");
    bench.restart();
    CHECK(bench.refusal("job", {{"job_id", id}}) == "conflict: no (a call); try");
  }
}

}  // namespace ws::test
