// A call that may mean one of several kernels asks the client's user which.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/task_client.h"
#include "tests/support/test_tools.h"

namespace ws::test {
namespace {

constexpr const char* kElicit = "elicitation/create";

/// A copy of the kernel of a TaskServer: both names begin alike.
std::string twin_of(TaskServer& server) {
  const Json edit = {{"op", "insert"}, {"from", 1}, {"text", "// a twin"}};
  return server.tools().result("compile_kernel",
                               {{"base", server.kernel()}, {"edits", {edit}}})["kernel_id"];
}

/// The beginning that two ids have in common.
std::string start_of(const std::string& left, const std::string& right) {
  const auto differ = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return {left.begin(), differ.first};
}

Json validate(const std::string& kernel) {
  return {{"name", "validate"}, {"arguments", {{"kernel_id", kernel}, {"wait_ms", 600000}}}};
}

Json with_elicitation(Json params) {
  params["_meta"] = {{server::meta::kVersion, "2026-07-28"},
                     {server::meta::kCapabilities, {{"elicitation", Json::object()}}}};
  return params;
}

}  // namespace

TEST_SUITE("mcp.choices") {
  TEST_CASE("a client of 2026-07-28 is asked which kernel is meant, and sends the call again") {
    TaskServer server;
    const std::string twin = twin_of(server);
    const std::string start = start_of(server.kernel(), twin);
    TaskClient client(server.server());
    const Json params = with_elicitation(validate(start));
    const Json asked = client.reply(client.begin("tools/call", params, true))["result"];
    CHECK(asked["resultType"] == "input_required");
    const Json form = asked["inputRequests"]["choice"];
    CHECK(form["method"] == kElicit);
    CHECK(form["params"]["message"] ==
          "`" + start + "` is the beginning of several kernels. Which one is meant?");
    Json values = form["params"]["requestedSchema"]["properties"]["kernel_id"]["enum"];
    std::sort(values.begin(), values.end());
    Json want = {server.kernel(), twin};
    std::sort(want.begin(), want.end());
    CHECK(values == want);
    Json again = params;
    again["inputResponses"] = {
        {"choice", {{"action", "accept"}, {"content", {{"kernel_id", twin}}}}}};
    const Json answer = client.reply(client.begin("tools/call", again, true))["result"];
    CHECK(answer["structuredContent"]["kernel_id"] == twin);
    CHECK(answer["structuredContent"]["verdict"] == "passed");
    again["inputResponses"] = {{"choice", {{"action", "decline"}}}};
    const Json declined = client.reply(client.begin("tools/call", again, true))["result"];
    CHECK(declined["isError"] == true);
    CHECK(client.modern("tools/call", validate(start))["result"]["isError"] == true);
  }

  TEST_CASE("an older client on stdio is asked while its call is open") {
    TaskServer server;
    const std::string twin = twin_of(server);
    const std::string start = start_of(server.kernel(), twin);
    TaskClient client(server.server());
    client.initialize("2025-11-25", {{"elicitation", Json::object()}});
    const std::size_t call = client.begin("tools/call", validate(start), false);
    const Json question =
        client.respond(kElicit, 1, {{"action", "accept"}, {"content", {{"kernel_id", twin}}}});
    CHECK(question["message"] ==
          "`" + start + "` is the beginning of several kernels. Which one is meant?");
    CHECK(client.reply(call)["result"]["structuredContent"]["kernel_id"] == twin);
    const std::size_t second = client.begin("tools/call", validate(start), false);
    client.respond(kElicit, 2, {{"action", "cancel"}});
    const Json refused = client.reply(second)["result"];
    CHECK(refused["isError"] == true);
    CHECK(refused["content"][0]["text"].get<std::string>().starts_with(
        "invalid_argument: `" + start + "` is the beginning of several kernels: "));
  }

  TEST_CASE("a client that cannot ask gets the error") {
    TaskServer server;
    const std::string start = start_of(server.kernel(), twin_of(server));
    TaskClient client(server.server());
    client.initialize("2025-11-25");
    CHECK(client.older("tools/call", validate(start))["result"]["isError"] == true);
    CHECK(client.said(kElicit).empty());
  }
}

}  // namespace ws::test
