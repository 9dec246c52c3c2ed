// Clients of both eras hear of the kernels and problems that answers name.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/task_client.h"

namespace ws::test {
namespace {

constexpr const char* kListChanged = "notifications/resources/list_changed";
constexpr const char* kUpdated = "notifications/resources/updated";

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
}

}  // namespace ws::test
