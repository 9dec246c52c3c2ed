// The tools as clients see them: the exact reply, and how much of a model's context it takes.
#include <doctest/doctest.h>

#include "server/protocol/instructions.h"
#include "tests/support/golden.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

constexpr std::size_t kMaxReply = std::size_t{18} << 10U;
constexpr std::size_t kMaxOutputSchema = 400;

/// Bytes of description and inputSchema.
std::size_t budget_of(const std::string& tool) {
  return tool == "compile_kernel" ? 3000 : 1200;
}

std::string list_reply(const std::string& line) {
  const server::McpServer server(tools().registry(), {.version = "0", .resources = nullptr});
  server::RequestContext context;
  return server.handle(line, context).body;
}

}  // namespace

TEST_SUITE("tools.list") {
  TEST_CASE("tools/list is as it was last reviewed, in both eras") {
    const std::string modern = list_reply(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" + modern_meta() + "}}");
    const std::string legacy = list_reply(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    CHECK(modern.size() <= kMaxReply);
    CHECK(legacy.size() <= kMaxReply);
    const server::OrderedJson both = {{"modern", server::OrderedJson::parse(modern)},
                                      {"legacy", server::OrderedJson::parse(legacy)}};
    check_golden("schemas/tools.golden.json", both.dump(2) + "\n");
  }

  TEST_CASE("each tool keeps within its share of a model's context") {
    for (const ToolRegistry::Entry* entry : tools().registry().list()) {
      const ToolSpec& spec = entry->tool->spec();
      CAPTURE(spec.name);
      CHECK(spec.json["description"].get<std::string>().size() +
                spec.json["inputSchema"].dump().size() <=
            budget_of(spec.name));
      CHECK(spec.json["outputSchema"].dump().size() <= kMaxOutputSchema);
    }
  }

  TEST_CASE("every tool has a closed input, the four annotations and the fields of all tools") {
    for (const ToolRegistry::Entry* entry : tools().registry().list()) {
      const Json& spec = entry->tool->spec().json;
      CAPTURE(spec["name"].get<std::string>());
      CHECK(spec["inputSchema"]["type"] == "object");
      CHECK(spec["inputSchema"]["additionalProperties"] == false);
      for (const char* field : {"device", "wait_ms", "detail", "fresh"}) {
        CHECK(spec["inputSchema"]["properties"].contains(field));
      }
      CHECK(spec["annotations"].size() == 4);
      for (const char* combinator : {"oneOf", "anyOf", "allOf"}) {
        CHECK_FALSE(spec["inputSchema"].contains(combinator));
      }
    }
    CHECK(server::instructions().size() < 2048);
  }
}

}  // namespace ws::test
