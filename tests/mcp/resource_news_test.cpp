// Clients of both eras hear of the kernels and problems that answers name.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/task_client.h"

namespace ws::test {
namespace {

constexpr const char* kListChanged = "notifications/resources/list_changed";
constexpr const char* kUpdated = "notifications/resources/updated";

ViewerPtr private_one(const std::string& name) {
  return std::make_shared<const Viewer>(Viewer{.owner = name, .sees_all = false, .shares = false});
}

bool is_listed(const Json& reply, const std::string& uri) {
  for (const Json& row : reply["result"]["resources"]) {
    if (row["uri"] == uri) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_SUITE("mcp.resource_news") {
  TEST_CASE("a kernel that was not named before is listed, and both eras hear of it") {
    TaskServer server;
    TaskClient older(server.server(), "older");
    older.initialize("2025-11-25");
    TaskClient modern(server.server(), "modern");
    modern.begin("subscriptions/listen",
                 {{"notifications",
                   {{"resourcesListChanged", true},
                    {"resourceSubscriptions", {"kernel://" + server.kernel() + "/report"}}}}},
                 true);
    modern.wait_said("notifications/subscriptions/acknowledged", 1);
    older.older("resources/subscribe", {{"uri", "kernel://" + server.kernel() + "/report"}});
    const std::string uri = "kernel://" + server.kernel() + "/source";
    CHECK_FALSE(is_listed(modern.modern("resources/list", Json::object()), uri));

    const Json call = {{"name", "validate"},
                       {"arguments", {{"kernel_id", server.kernel()}, {"wait_ms", 600000}}}};
    REQUIRE(modern.modern("tools/call", call)["result"]["structuredContent"]["verdict"] ==
            "passed");
    modern.wait_said(kListChanged, 1);
    older.wait_said(kListChanged, 1);
    CHECK(is_listed(modern.modern("resources/list", Json::object()), uri));
    const Json told = modern.wait_said(kUpdated, 1).front();
    CHECK(told["uri"] == "kernel://" + server.kernel() + "/report");
    CHECK(older.wait_said(kUpdated, 1).front() ==
          Json{{"uri", "kernel://" + server.kernel() + "/report"}});

    // The same again changes nothing: the evidence is known.
    modern.modern("tools/call", call);
    CHECK(modern.said(kListChanged).size() == 1);
    CHECK(older.said(kUpdated).size() == 1);
    older.end();
    modern.end();
  }

  TEST_CASE("a principal hears nothing of kernels, evidence and tasks that are hidden from it") {
    TaskServer server;
    TaskClient alice(server.server(), "alice", private_one("alice"));
    TaskClient bob(server.server(), "bob", private_one("bob"));
    TaskClient older(server.server(), "older", private_one("bob"));
    older.initialize("2025-11-25");
    Json problem = twice_problem();
    problem["name"] = "alices_own";
    const auto call = [](const char* tool, Json arguments) {
      arguments["wait_ms"] = 600000;
      return Json{{"name", tool}, {"arguments", std::move(arguments)}};
    };
    const auto answer = [&alice](const Json& asked) {
      return alice.modern("tools/call", asked)["result"]["structuredContent"];
    };
    const std::string kernel = answer(
        call("compile_kernel", {{"problem", problem}, {"kernel", good_kernel()}}))["kernel_id"];
    server.hold();
    Json waiting = call("validate", {{"kernel_id", kernel}, {"level", "quick"}});
    waiting["arguments"]["wait_ms"] = 0;
    const std::string task = alice.modern("tools/call", waiting)["result"]["taskId"];
    const Json wish = {{"notifications",
                        {{"resourcesListChanged", true},
                         {"resourceSubscriptions", {"kernel://" + kernel + "/report"}},
                         {"taskIds", {task}}}},
                       {"_meta",
                        {{server::meta::kVersion, "2026-07-28"},
                         {server::meta::kCapabilities, server::tasks_capability()}}}};
    const auto wishes_met = [&wish](TaskClient& client) {
      client.begin("subscriptions/listen", wish, true);
      return client.wait_said("notifications/subscriptions/acknowledged", 1)[0]["notifications"];
    };
    CHECK(wishes_met(alice) == wish["notifications"]);
    Json met = wish["notifications"];
    met.erase("taskIds");
    CHECK(wishes_met(bob) == met);
    older.older("resources/subscribe", {{"uri", "kernel://" + kernel + "/report"}});
    server.let_go();
    CHECK(answer(call("validate", {{"kernel_id", kernel}, {"level", "quick"}}))["verdict"] ==
          "passed");
    CHECK(answer(call("compile_kernel",
                      {{"problem", problem}, {"kernel", twice_kernel("y[i] = x[i] + x[i];")}}))
              .contains("kernel_id"));
    alice.wait_said(kListChanged, 1);
    alice.wait_said(kUpdated, 1);
    for (TaskClient* client : {&bob, &older}) {
      CHECK(client->said(kListChanged).empty());
      CHECK(client->said(kUpdated).empty());
      CHECK(client->said("notifications/tasks").empty());
      client->end();
    }
    // Somebody who sees all names the kernel, and shares: it stays out of the lists of others.
    TaskClient local(server.server(), "local");
    local.modern("tools/call", call("validate", {{"kernel_id", kernel}, {"level", "quick"}}));
    const std::string uri = "kernel://" + kernel + "/source";
    CHECK(is_listed(local.modern("resources/list", Json::object()), uri));
    CHECK(is_listed(alice.modern("resources/list", Json::object()), uri));
    CHECK_FALSE(is_listed(bob.modern("resources/list", Json::object()), uri));
    alice.end();
    local.end();
  }
}

}  // namespace ws::test
