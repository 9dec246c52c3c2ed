// Whole messages of a server that talks: it asks its clients, logs, and says what has changed.
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/conformance/fixture_texts.h"
#include "tests/conformance/fixture_tools.h"

namespace ws::conformance {
namespace {

using server::Reply;
using server::RequestContext;

constexpr const char* kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                              R"("io.modelcontextprotocol/clientCapabilities":)";

std::string modern(const std::string& method, const std::string& params,
                   const std::string& capabilities = "{}") {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params +
         (params.empty() ? "" : ",") + kMeta + capabilities + "}}}";
}

std::string older(const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":2,"method":")" + method + R"(","params":)" + params + "}";
}

/// The fixture's server, and a client on stdio.
struct Talk {
  ToolRegistry registry;
  FixturePrompts prompts;
  FixtureResources resources;
  FixtureCompletions completions;
  std::unique_ptr<server::McpServer> server;
  server::StdioConnection connection;
  std::vector<std::string> said;     ///< By the server, in order.
  std::vector<std::string> replies;  ///< To calls, in order.

  Talk() {
    add_content_tools(registry);
    add_asking_tools(registry);
    REQUIRE(registry.status().has_value());
    server::McpServer::Options options;
    options.identity = {.name = "fixture", .title = "Fixture", .instructions = {}};
    options.prompts = &prompts;
    options.resources = &resources;
    options.resource_list = &resources;
    options.completions = &completions;
    options.talks = true;
    server = std::make_unique<server::McpServer>(registry, options);
  }

  RequestContext context(std::stop_source stop = {}) {
    RequestContext context;
    context.connection = &connection;
    context.notify = [this](std::string line) { said.push_back(std::move(line)); };
    context.go_on = [](const std::function<void()>& rest) { rest(); };
    context.stop = std::move(stop);
    return context;
  }

  /// The reply where it is there at once; it is among `replies`, too.
  std::string send(const std::string& text, std::stop_source stop = {}) {
    const std::size_t before = replies.size();
    server::Accepted accepted = server->accept(text, context(std::move(stop)));
    if (accepted.reply) {
      replies.push_back(accepted.reply->body);
    } else {
      accepted.work([this](const Reply& reply) { replies.push_back(reply.body); });
    }
    return replies.size() > before ? replies.back() : "";
  }

  void initialize(const std::string& capabilities) {
    send(older("initialize", R"({"protocolVersion":"2025-11-25","clientInfo":{},"capabilities":)" +
                                 capabilities + "}"));
  }
};

/// Without what each modern result ends with.
std::string bare(const std::string& reply) {
  return std::regex_replace(
      reply, std::regex(R"re(,"_meta":\{"io.modelcontextprotocol/serverInfo":\{[^}]*\}\})re"), "");
}

std::string text_result(const std::string& id, const std::string& text) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"content":[{"text":)" +
         server::to_line(Json(text)) + R"(,"type":"text"}])";
}

}  // namespace

TEST_SUITE("mcp.talk") {
  TEST_CASE("a call asks its modern client, and goes on with the state that comes back") {
    Talk talk;
    const std::string can = R"({"elicitation":{}})";
    const std::string call = R"("name":"test_input_required_result_request_state","arguments":{})";
    const std::string first = bare(talk.send(modern("tools/call", call, can)));
    const std::string state = Json::parse(first)["result"]["requestState"];
    CHECK(first == R"({"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"confirm":{"method":)"
                   R"("elicitation/create","params":{"message":"Please confirm","mode":"form",)"
                   R"("requestedSchema":{"properties":{"ok":{"type":"boolean"}},"required":["ok"],)"
                   R"("type":"object"}}}},"requestState":")" +
                       state + R"(","resultType":"input_required"}})");
    const std::string given =
        call + R"(,"inputResponses":{"confirm":{"action":"accept","content":{"ok":true}}})";
    CHECK(
        bare(talk.send(modern("tools/call", given + R"(,"requestState":")" + state + "\"", can))) ==
        text_result("1", "state-ok") + R"(,"resultType":"complete"}})");
    CHECK(Json::parse(talk.send(modern("tools/call", given + R"(,"requestState":")" + state + "x\"",
                                       can)))["error"] ==
          Json{{"code", -32602},
               {"message",
                "`requestState` is not what this server gave out for this request; send it as it "
                "came, with the same parameters, or begin again without it"}});
  }

  TEST_CASE("a modern client that offers nothing is told what it must declare") {
    Talk talk;
    server::McpHeaders headers{"2026-07-28", "tools/call", "test_missing_capability"};
    RequestContext context;
    context.headers = &headers;
    const Reply reply =
        talk.server->handle(modern("tools/call", R"("name":"test_missing_capability")"), context);
    CHECK(reply.http_status == 400);
    CHECK(reply.body ==
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32021,"data":{"requiredCapabilities":)"
          R"({"sampling":{}}},"message":"this request asks its client for something: the client )"
          R"(must declare sampling"}})");
  }

  TEST_CASE("a call asks its older client by a request, and waits without a thread") {
    Talk talk;
    talk.initialize(R"({"elicitation":{}})");
    CHECK(talk.send(older("tools/call",
                          R"({"name":"test_elicitation","arguments":{"message":"Who?"}})"))
              .empty());
    REQUIRE(talk.said.size() == 1);
    Json asked = Json::parse(talk.said[0]);
    const std::string id = asked["id"];
    asked.erase("id");
    CHECK(asked == Json::parse(R"({"jsonrpc": "2.0", "method": "elicitation/create", "params": {
        "message": "Who?", "mode": "form", "requestedSchema": {"type": "object", "properties": {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"}},
            "required": ["username", "email"]}}})"));
    talk.send(R"({"jsonrpc":"2.0","id":")" + id +
              R"(","result":{"action":"accept","content":{"username":"u","email":"e"}}})");
    REQUIRE(talk.replies.size() == 3);  // initialize, the call, and nothing to the response
    const std::string answers =
        R"(The answers were {"user":{"action":"accept","content":{"email":"e","username":"u"}}})";
    CHECK(talk.replies[1] == text_result("2", answers) + "}}");
    CHECK(talk.replies[2].empty());
  }

  TEST_CASE("an older client that cannot be asked, refuses or leaves gets an error of the tool") {
    Talk talk;
    const std::string call =
        older("tools/call", R"({"name":"test_sampling","arguments":{"prompt":"?"}})");
    const auto error = [](const std::string& text) {
      return R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"unsupported: )" +
             text + R"("}],"isError":true,"_meta":{"warpsmith/error":{"code":"unsupported"}}}})";
    };
    talk.initialize("{}");
    CHECK(talk.send(call) == error("this request asks its client for something: the client must "
                                   "declare sampling"));
    talk.initialize(R"({"sampling":{}})");
    CHECK(talk.send(call).empty());
    const std::string id = Json::parse(talk.said.back())["id"];
    talk.send(R"({"jsonrpc":"2.0","id":")" + id + R"(","error":{"code":-1,"message":"no"}})");
    CHECK(talk.replies[talk.replies.size() - 2] ==
          error("the client could not answer what it was asked: no"));
    RequestContext deaf = talk.context();
    deaf.takes_stream = false;
    CHECK(talk.server->handle(call, deaf).body ==
          error("the tool asks its client for something, and the client does not accept "
                "text/event-stream, in which it would be asked"));
    std::stop_source stop;
    CHECK(talk.send(call, stop).empty());
    stop.request_stop();
    CHECK(talk.replies.back() == error("the call was cancelled while it asked the client"));
  }

  TEST_CASE("log messages reach the client that wants them") {
    Talk talk;
    const std::string call = R"("name":"test_tool_with_logging")";
    talk.send(modern("tools/call", call));
    CHECK(talk.said.empty());
    const std::string wants = R"({},"io.modelcontextprotocol/logLevel":)";
    talk.send(modern("tools/call", call, wants + R"("warning")"));
    CHECK(talk.said.empty());
    talk.send(modern("tools/call", call, wants + R"("info")"));
    REQUIRE(talk.said.size() == 3);
    CHECK(talk.said[0] ==
          R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":)"
          R"("Tool execution started","level":"info","logger":"test_tool_with_logging"}})");
    talk.said.clear();
    CHECK(talk.send(older("logging/setLevel", R"({"level":"error"})")) ==
          R"({"jsonrpc":"2.0","id":2,"result":{}})");
    talk.send(older("tools/call", "{" + call + "}"));
    CHECK(talk.said.empty());
    talk.send(older("logging/setLevel", R"({"level":"debug"})"));
    talk.send(older("tools/call", "{" + call + "}"));
    CHECK(talk.said.size() == 3);
    CHECK(talk.send(older("logging/setLevel", R"({"level":"loud"})")) ==
          R"({"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":)"
          R"("`level` must be a syslog level, such as \"info\""}})");
  }

  TEST_CASE("an older client hears of lists, and of the resources that it subscribed to") {
    Talk talk;
    talk.initialize("{}");
    talk.server->resource_updated("test://a");
    CHECK(talk.said.empty());
    talk.send(older("resources/subscribe", R"({"uri":"test://a"})"));
    talk.server->resource_updated("test://a");
    talk.server->resource_updated("test://b");
    talk.server->tools_changed();
    talk.send(older("resources/unsubscribe", R"({"uri":"test://a"})"));
    talk.server->resource_updated("test://a");
    CHECK(
        talk.said ==
        std::vector<std::string>{
            R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a"}})",
            R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"});
  }

  TEST_CASE("a modern client listens to what it named, until it ends that") {
    Talk talk;
    std::stop_source stop;
    CHECK(talk.send(modern("subscriptions/listen",
                           R"("notifications":{"promptsListChanged":true,"toolsListChanged":false,)"
                           R"("resourceSubscriptions":["test://a"]})"),
                    stop)
              .empty());
    talk.server->tools_changed();
    talk.server->prompts_changed();
    talk.server->resource_updated("test://a");
    talk.server->resource_updated("test://b");
    const std::string tag = R"("_meta":{"io.modelcontextprotocol/subscriptionId":1})";
    CHECK(
        talk.said ==
        std::vector<std::string>{
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{)" +
                tag +
                R"(,"notifications":{"promptsListChanged":true,"resourceSubscriptions":["test://a"]}}})",
            R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{)" + tag +
                "}}",
            R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{)" + tag +
                R"(,"uri":"test://a"}})"});
    stop.request_stop();
    CHECK(Json::parse(talk.replies.back())["result"] ==
          Json::parse(R"({"resultType": "complete", "_meta": {
              "io.modelcontextprotocol/subscriptionId": 1,
              "io.modelcontextprotocol/serverInfo": {
                  "name": "fixture", "version": "0.0.0", "title": "Fixture"}}})"));
    talk.server->prompts_changed();
    CHECK(talk.said.size() == 3);
    CHECK(bare(talk.send(modern("subscriptions/listen", R"("notifications":[])"))) ==
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`notifications` must be an )"
          R"(object that says which changes are wanted"}})");
  }

  TEST_CASE("over HTTP a session that has ended is not found") {
    Talk talk;
    server::McpHeaders headers;
    server::SharedInFlight requests;
    RequestContext context;
    context.headers = &headers;
    context.in_flight = &requests;
    const Reply hello = talk.server->handle(
        older("initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})"), context);
    context.session = hello.session;
    headers.version = "2025-11-25";
    CHECK(talk.server->handle(older("ping", "{}"), context).http_status == 200);
    CHECK(talk.server->end_session(context).http_status == 200);
    CHECK(talk.server->end_session(context).http_status == 404);
    const Reply gone = talk.server->handle(older("ping", "{}"), context);
    CHECK(gone.http_status == 404);
    CHECK(
        gone.body ==
        R"({"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"the session has ended; send )"
        R"(initialize to begin another"}})");
    const Reply stray =
        talk.server->handle(R"({"jsonrpc":"2.0","id":"a","result":{}})", RequestContext(context));
    CHECK(stray.http_status == 404);
    context.session.clear();
    CHECK(talk.server->handle(R"({"jsonrpc":"2.0","id":"a","result":{}})", context).body ==
          R"({"jsonrpc":"2.0","error":{"code":-32600,"message":)"
          R"("this server asked nothing that this answers"}})");
  }

  TEST_CASE("an argument is completed, and bytes are read as a blob") {
    Talk talk;
    CHECK(bare(talk.send(modern("completion/complete",
                                R"("ref":{"type":"ref/prompt","name":"p"},)"
                                R"("argument":{"name":"a","value":"testi"})"))) ==
          R"({"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["testing"],"total":1,)"
          R"("hasMore":false},"resultType":"complete"}})");
    const Json read = Json::parse(
        talk.send(modern("resources/read", R"("uri":"test://static-binary")")))["result"];
    CHECK(read["contents"][0]["blob"].get<std::string>().starts_with("iVBORw0KGgo"));
    CHECK_FALSE(read["contents"][0].contains("text"));
  }
}

}  // namespace ws::conformance
