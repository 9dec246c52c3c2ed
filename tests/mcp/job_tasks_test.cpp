// The jobs of the tools as tasks of clients that know tasks, in both protocol eras.
#include <regex>

#include <doctest/doctest.h>

#include "tests/support/task_client.h"

namespace ws::test {
namespace {

Json validate_call(const TaskServer& server, int n = 77) {
  return {{"name", "validate"},
          {"arguments", {{"kernel_id", server.kernel()}, {"workloads", {{{"n", n}}}}}}};
}

Json with_task(Json params) {
  params["task"] = {{"ttl", 60000}};
  return params;
}

/// Without times and the id, of which it CHECKs the form.
Json timeless(Json task) {
  static const std::regex when(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
  for (const char* key : {"createdAt", "lastUpdatedAt"}) {
    CHECK(std::regex_match(task[key].get<std::string>(), when));
    task.erase(key);
  }
  CHECK(std::regex_match(task["taskId"].get<std::string>(), std::regex("job_[0-9a-f]{32}")));
  task.erase("taskId");
  return task;
}

/// Asks until the task has ended.
Json ended(TaskClient& client, const std::string& task, bool modern) {
  for (;;) {
    const Json params = {{"taskId", task}};
    Json state = modern ? client.modern("tasks/get", params) : client.older("tasks/get", params);
    REQUIRE_MESSAGE(state.contains("result"), state.dump());
    if (state["result"]["status"] != "working") {
      return state["result"];
    }
  }
}

const Json kNoSuchTask = {{"code", -32602},
                          {"message", "there is no such task, or its time is over"}};

}  // namespace

TEST_SUITE("mcp.job_tasks") {
  TEST_CASE("one job is a task, a handle and a waited call, as each client asks for it") {
    TaskServer server;
    TaskClient knowing(server.server());
    TaskClient simple(server.server(), "other");
    server.hold();
    Json made = knowing.modern("tools/call", validate_call(server))["result"];
    CHECK(made["resultType"] == "task");
    const std::string id = made["taskId"];
    made.erase("_meta");
    CHECK(timeless(made) == Json{{"resultType", "task"},
                                 {"status", "working"},
                                 {"statusMessage", "validate: waits behind 1 job"},
                                 {"ttlMs", 86400000},
                                 {"pollIntervalMs", 1000}});
    Json asked = validate_call(server);
    asked["arguments"]["wait_ms"] = 0;
    const Json handle = simple.modern("tools/call", asked, false)["result"]["structuredContent"];
    CHECK(handle["job_id"] == id);
    CHECK(handle["status"] == "queued");
    asked["arguments"]["wait_ms"] = 600000;
    asked["_meta"] = {{server::meta::kVersion, "2026-07-28"},
                      {server::meta::kCapabilities, server::tasks_capability()}};
    const std::size_t waited = knowing.begin("tools/call", asked, true);
    CHECK_FALSE(knowing.replied(waited));
    server.let_go();
    const Json whole = ended(knowing, id, true);
    CHECK(whole["status"] == "completed");
    CHECK(whole["result"]["structuredContent"]["verdict"] == "passed");
    CHECK(whole["result"]["resultType"] == "complete");
    CHECK(knowing.reply(waited)["result"]["structuredContent"] ==
          whole["result"]["structuredContent"]);
    const Json by_handle =
        simple.modern("tools/call", {{"name", "job"}, {"arguments", {{"job_id", id}}}}, false);
    CHECK(by_handle["result"]["structuredContent"] == whole["result"]["structuredContent"]);
  }

  TEST_CASE("a client that does not declare tasks has none, and an unknown one is not found") {
    TaskServer server;
    TaskClient client(server.server());
    for (const char* method : {"tasks/get", "tasks/cancel", "tasks/update"}) {
      CAPTURE(method);
      CHECK(client.modern(method, {{"taskId", "job_x"}}, false)["error"]["code"] == -32021);
      CHECK(client.modern(method, {{"taskId", "job_x"},
                                   {"inputResponses", Json::object()}})["error"] == kNoSuchTask);
    }
    CHECK(client.modern("subscriptions/listen", {{"notifications", {{"taskIds", {"job_x"}}}}},
                        false)["error"]["code"] == -32021);
    CHECK(client.modern("tasks/list", Json::object())["error"]["code"] == -32601);
    CHECK(client.modern("server/discover", Json::object())["result"]["capabilities"]["extensions"]
              .contains("io.modelcontextprotocol/tasks"));
  }

  TEST_CASE("a task that others want as well is cancelled for its client, and goes on for them") {
    TaskServer server;
    TaskClient one(server.server(), "one");
    TaskClient two(server.server(), "two");
    server.hold();
    const std::string id = one.modern("tools/call", validate_call(server))["result"]["taskId"];
    CHECK(two.modern("tools/call", validate_call(server))["result"]["taskId"] == id);
    for (int i = 0; i < 2; ++i) {  // Once more changes nothing.
      CHECK(one.modern("tasks/cancel", {{"taskId", id}})["result"]["resultType"] == "complete");
    }
    CHECK(one.modern("tasks/get", {{"taskId", id}})["result"]["status"] == "cancelled");
    CHECK(two.modern("tasks/get", {{"taskId", id}})["result"]["status"] == "working");
    CHECK(two.modern("tasks/cancel", {{"taskId", id}}).contains("result"));
    CHECK(two.modern("tasks/get", {{"taskId", id}})["result"]["status"] == "cancelled");
    CHECK(server.tools().services().jobs->length("cpu:0") == 1);
    server.let_go();
  }

  TEST_CASE("a listener hears how the tasks stand that it named") {
    TaskServer server;
    TaskClient client(server.server());
    server.hold();
    const std::string id = client.modern("tools/call", validate_call(server))["result"]["taskId"];
    const Json wish = {{"notifications", {{"taskIds", {id}}}},
                       {"_meta",
                        {{server::meta::kVersion, "2026-07-28"},
                         {server::meta::kCapabilities, server::tasks_capability()}}}};
    const std::size_t stream = client.begin("subscriptions/listen", wish, true);
    CHECK(client.wait_said("notifications/subscriptions/acknowledged", 1)[0]["notifications"] ==
          Json{{"taskIds", {id}}});
    Json first = client.wait_said("notifications/tasks", 1)[0];
    CHECK(first["taskId"] == id);
    CHECK(first["_meta"] == Json{{"io.modelcontextprotocol/subscriptionId", stream}});
    first.erase("_meta");
    CHECK(timeless(first) == Json{{"status", "working"},
                                  {"statusMessage", "validate: waits behind 1 job"},
                                  {"ttlMs", 86400000},
                                  {"pollIntervalMs", 1000}});
    server.let_go();
    for (std::size_t count = 2; client.said("notifications/tasks").back()["status"] == "working";
         ++count) {
      client.wait_said("notifications/tasks", count);
    }
    CHECK(client.said("notifications/tasks").back()["status"] == "completed");
    CHECK_FALSE(client.replied(stream));
    client.end();
    CHECK(client.reply(stream)["result"]["resultType"] == "complete");
  }

  TEST_CASE("a client of 2025-11-25 gets a task where it asks for one, and hears how it stands") {
    TaskServer server;
    TaskClient client(server.server());
    client.initialize("2025-11-25");
    server.hold();
    const Json made = client.older("tools/call", with_task(validate_call(server)))["result"];
    CHECK(made.size() == 1);
    const std::string id = made["task"]["taskId"];
    const Json want = {{"status", "working"},
                       {"statusMessage", "validate: waits behind 1 job"},
                       {"ttl", 86400000},
                       {"pollInterval", 1000}};
    CHECK(timeless(made["task"]) == want);
    CHECK(timeless(client.wait_said("notifications/tasks/status", 1)[0]) == want);
    CHECK(timeless(client.older("tasks/get", {{"taskId", id}})["result"]) == want);
    const Json list = client.older("tasks/list", Json::object())["result"];
    REQUIRE(list["tasks"].size() == 1);
    CHECK(list["tasks"][0]["taskId"] == id);
    CHECK_FALSE(list.contains("nextCursor"));
    const std::size_t result = client.begin("tasks/result", {{"taskId", id}}, false);
    CHECK_FALSE(client.replied(result));
    server.let_go();
    const Json given = client.reply(result)["result"];
    CHECK(given["structuredContent"]["verdict"] == "passed");
    CHECK(given["_meta"] == Json{{"io.modelcontextprotocol/related-task", {{"taskId", id}}}});
    const Json task = ended(client, id, false);
    CHECK(task["status"] == "completed");
    CHECK(task["statusMessage"] ==
          "validate: " + given["structuredContent"]["summary"].get<std::string>());
    CHECK(client.older("tasks/result", {{"taskId", id}})["result"] == given);
    for (std::size_t count = 2;
         client.said("notifications/tasks/status").back()["status"] == "working"; ++count) {
      client.wait_said("notifications/tasks/status", count);
    }
    CHECK(client.said("notifications/tasks/status").back()["status"] == "completed");
  }

  TEST_CASE("a call that is wrong is a task that has failed") {
    TaskServer server;
    TaskClient client(server.server());
    client.initialize("2025-11-25");
    Json wrong = with_task(validate_call(server));
    wrong["arguments"]["kernel_id"] = "krn_unknown";
    const Json failed = client.older("tools/call", wrong)["result"]["task"];
    CHECK(failed["status"] == "failed");
    const Json error = client.older("tasks/result", {{"taskId", failed["taskId"]}})["result"];
    CHECK(error["isError"] == true);
    CHECK("validate: " + error["content"][0]["text"].get<std::string>() ==
          failed["statusMessage"].get<std::string>());
    Json bad = with_task(validate_call(server));
    bad["arguments"]["wait_ms"] = "long";
    CHECK(client.older("tools/call", bad)["result"]["task"]["status"] == "failed");
  }

  TEST_CASE("a task of 2025-11-25 is cancelled once, and tools without jobs make none") {
    TaskServer server;
    TaskClient client(server.server());
    client.initialize("2025-11-25");
    server.hold();
    const std::string id =
        client.older("tools/call", with_task(validate_call(server)))["result"]["task"]["taskId"];
    const Json gone = client.older("tasks/cancel", {{"taskId", id}})["result"];
    CHECK(gone["status"] == "cancelled");
    CHECK(client.older("tasks/cancel", {{"taskId", id}})["error"] ==
          Json{{"code", -32602}, {"message", "the task has ended already: it is cancelled"}});
    const Json result = client.older("tasks/result", {{"taskId", id}})["result"];
    CHECK(result["content"][0]["text"] == "cancelled: the job was cancelled");
    CHECK(client.older("tasks/get", {{"taskId", "task_x"}})["error"] == kNoSuchTask);
    CHECK(client.older("tasks/list", {{"cursor", "zzz"}})["error"]["message"] ==
          "`cursor` is not one that this server gave out");
    CHECK(client.older("tools/call", with_task({{"name", "list_devices"}}))["error"] ==
          Json{{"code", -32601},
               {"message", "this tool does not go on as a task: call it without `task`"}});
    server.let_go();
  }

  TEST_CASE("tasks are declared to those who know them, tool by tool") {
    TaskServer server;
    TaskClient client(server.server());
    client.initialize("2025-11-25");
    const Json hello = client.older("initialize", {{"protocolVersion", "2025-11-25"}});
    CHECK(hello["result"]["capabilities"]["tasks"] ==
          Json::parse(R"({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}})"));
    std::vector<std::string> names;
    const Json list = client.older("tools/list", Json::object());
    for (const Json& tool : list["result"]["tools"]) {
      if (tool.contains("execution")) {
        CHECK(tool["execution"] == Json{{"taskSupport", "optional"}});
        names.push_back(tool["name"]);
      }
    }
    CHECK(names == std::vector<std::string>{"apply_transformation", "benchmark", "compile_kernel",
                                            "evaluate", "lift_to_ir", "profile", "tune", "validate",
                                            "verify_ir"});
    TaskClient old(server.server());
    old.initialize("2025-06-18");
    CHECK(old.older("tasks/list", Json::object())["error"]["code"] == -32601);
    const Json plain = old.older("tools/call", with_task(validate_call(server)))["result"];
    CHECK(plain["structuredContent"]["verdict"] == "passed");
  }

  TEST_CASE("a task is still there for its client, and goes on, when the server was restarted") {
    TaskServer server;
    std::string id;
    std::string done;
    {
      TaskClient client(server.server());
      Json at_once = validate_call(server, 5);
      at_once["arguments"]["wait_ms"] = 0;
      done = client.modern("tools/call", at_once)["result"]["taskId"];
      CHECK(ended(client, done, true)["status"] == "completed");
      server.hold();
      id = client.modern("tools/call", validate_call(server))["result"]["taskId"];
    }
    server.restart();
    server.let_go();
    TaskClient again(server.server());
    CHECK(ended(again, done, true)["result"]["structuredContent"]["verdict"] == "passed");
    CHECK(ended(again, id, true)["result"]["structuredContent"]["verdict"] == "passed");
    again.initialize("2025-11-25");
    const Json list = again.older("tasks/list", Json::object())["result"]["tasks"];
    REQUIRE(list.size() == 2);
    CHECK(list[0]["taskId"] == id);
    CHECK(list[1]["taskId"] == done);
  }
}

}  // namespace ws::test
