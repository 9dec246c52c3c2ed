// The list of a client's own jobs.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

CallContext context_of(const std::string& client) {
  CallContext context;
  context.caller.client = client;
  return context;
}

Json listed(ToolBench& bench, const std::string& client, const std::string& cursor = {}) {
  Json arguments = {{"action", "list"}};
  if (!cursor.empty()) {
    arguments["cursor"] = cursor;
  }
  const auto list = bench.call("job", arguments, context_of(client));
  REQUIRE(list.has_value());
  return *list;
}

}  // namespace

TEST_SUITE("tools.job_list") {
  TEST_CASE("a client sees the jobs whose ids it was told, and nobody else's") {
    ToolBench bench;
    const std::string kernel = bench.compiled(twice_problem(), good_kernel());
    const auto started =
        bench.call("validate", {{"kernel_id", kernel}, {"wait_ms", 0}}, context_of("one"));
    REQUIRE(started.has_value());
    const Json id = (*started)["job_id"];
    const auto done = bench.call("job", {{"job_id", id}}, context_of("one"));
    REQUIRE(done.has_value());
    Json own = listed(bench, "one");
    CHECK(own["summary"] == "1 job, 0 not ended");
    REQUIRE(own["jobs"].size() == 1);
    CHECK(own["jobs"][0].contains("created_at"));
    own["jobs"][0].erase("created_at");
    CHECK(own["jobs"][0] == Json{{"job_id", id},
                                 {"tool", "validate"},
                                 {"status", "done"},
                                 {"summary", (*done)["summary"]}});
    CHECK(own["next_steps"] == Json::array({{{"tool", "job"},
                                             {"arguments", {{"job_id", id}, {"action", "wait"}}},
                                             {"why", "wait for the newest, or see its result"}}}));
    CHECK(listed(bench, "two")["summary"] == "you have no jobs");
    bench.restart();
    CHECK(listed(bench, "one")["jobs"][0]["summary"] == (*done)["summary"]);
    // A client that asks for it by its id knows it from then on.
    REQUIRE(bench.call("job", {{"job_id", id}, {"action", "status"}}, context_of("two")));
  }

  TEST_CASE("a long list comes in pages, the newest first") {
    ToolBench bench;
    for (int i = 0; i < 60; ++i) {
      const std::string digits = std::to_string(100 + i);
      JobRow row;
      row.id = "job_" + std::string(29, '0') + digits;
      row.tool = "validate";
      row.status = i == 59 ? "running" : "done";
      row.json = R"({"output":{"summary":"number )" + digits + R"("}})";
      row.instance = "gone";
      row.client = "one";
      REQUIRE(bench.services().archive->put_job(row).has_value());
    }
    const Json first = listed(bench, "one");
    CHECK(first["summary"] == "50 jobs, 1 not ended");
    CHECK(first["jobs"][0]["summary"] == "its server is gone; it goes on when it is asked for");
    CHECK(first["jobs"][1]["summary"] == "number 158");
    const Json rest = listed(bench, "one", first["next_cursor"]);
    REQUIRE(rest["jobs"].size() == 10);
    CHECK(rest["jobs"][9]["summary"] == "number 100");
    CHECK_FALSE(rest.contains("next_cursor"));
    CHECK(bench.refusal("job", {{"action", "list"}, {"cursor", "x"}}) ==
          "invalid_argument: `cursor` is not one that this server gave out: leave it out for the "
          "first page");
    CHECK(bench.refusal("job", {{"action", "cancel"}}) ==
          "invalid_argument: missing field `job_id`: the job to cancel; to see your jobs: "
          R"({"action": "list"})");
  }
}

}  // namespace ws::test
