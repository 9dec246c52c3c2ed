// Whom a call's work is done for, as the tools see it.
#include <doctest/doctest.h>

#include "server/protocol/mcp_server.h"
#include "tests/support/test_bench.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

/// Answers with the client of the call.
class WhoTool : public Tool {
 public:
  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& /*arguments*/, CallContext& context) override {
    return Json{{"summary", context.caller.client}};
  }

 private:
  ToolSpec spec_ = parse_spec(R"({"name": "who", "title": "who", "description": "who",
    "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}, "annotations": {}})");
};

Json call_of(const Json& client_info) {
  Json call = Json::parse(call_line(1, "who", Json::object()));
  if (!client_info.is_null()) {
    call["params"]["_meta"][server::meta::kClientInfo] = client_info;
  }
  return call;
}

}  // namespace

TEST_SUITE("mcp.client") {
  TEST_CASE("a client is where it comes from, what it calls itself, and its older session") {
    ToolRegistry registry;
    registry.add(std::make_unique<WhoTool>());
    REQUIRE(registry.status().has_value());
    const server::McpServer server(registry, {});
    const Json legacy = {{"jsonrpc", "2.0"},
                         {"id", 1},
                         {"method", "tools/call"},
                         {"params", {{"name", "who"}, {"arguments", Json::object()}}}};
    const server::McpHeaders older{"2025-11-25", std::nullopt, std::nullopt};

    struct Row {
      Json call;
      std::string session;
      std::string want;
    };

    const std::string long_name(100, 'x');
    const Row rows[] = {
        {call_of(nullptr), "", "10.0.0.1"},
        {call_of({{"name", "agent"}, {"version", "1"}}), "", "10.0.0.1 agent"},
        {call_of({{"name", "agent"}, {"version", "1"}}), "abc", "10.0.0.1 agent"},
        {call_of({{"name", long_name}, {"version", "1"}}), "",
         "10.0.0.1 " + long_name.substr(0, 64)},
        {legacy, "", "10.0.0.1"},
        {legacy, "abc", "10.0.0.1\nabc"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.want);
      server::RequestContext context;
      context.client = "10.0.0.1";
      context.session = row.session;
      context.headers = row.call == legacy ? &older : nullptr;
      const Json reply = Json::parse(server.handle(row.call.dump(), context).body);
      REQUIRE_MESSAGE(reply.contains("result"), reply.dump());
      CHECK(reply["result"]["structuredContent"]["summary"] == row.want);
    }
  }
}

}  // namespace ws
