// The tools as clients see them: the exact reply, and how much of a model's context it takes.
#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "server/protocol/instructions.h"
#include "tests/support/golden.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"
#include "tools/schema_explain.h"

namespace ws::test {
namespace {

constexpr std::size_t kMaxReply = std::size_t{24} << 10U;
constexpr std::size_t kMaxOutputSchema = 400;

/// Bytes of description and inputSchema.
std::size_t budget_of(const std::string& tool) {
  return tool == "compile_kernel" ? 6000 : tool == "verify_ir" ? 2100 : 1200;
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

  TEST_CASE("the listed forms of problem and kernel accept what their own schemas accept") {
    const Json& listed = tools().registry().find("compile_kernel")->tool->spec().json;
    const Json& fields = listed["inputSchema"]["properties"];
    for (const char* part : {"problem", "kernel"}) {
      const auto text = read_file(source_dir() / "schemas" / (std::string(part) + ".schema.json"));
      REQUIRE(text.has_value());
      const Json whole = Json::parse(*text);
      Json required = whole["required"];
      if (std::string_view(part) == "problem") {
        std::erase(required.get_ref<Json::array_t&>(), "args");  // An import of a module adds them.
      }
      CHECK(fields[part]["required"] == required);
      for (const auto& [name, schema] : fields[part]["properties"].items()) {
        CHECK_MESSAGE(whole["properties"].contains(name), name);
      }
      for (const auto& [name, schema] : whole["properties"].items()) {
        const bool own = name == "problem_id";  // Beside the kernel, and added to it.
        CHECK_MESSAGE((fields[part]["properties"].contains(name) || own), name);
      }
    }
    for (const auto& folder : sorted_entries(source_dir() / "examples" / "kernels")) {
      for (const auto& path : sorted_entries(folder)) {
        CAPTURE(path.string());
        const char* const part = path.stem() == "problem" ? "problem" : "kernel";
        const auto text = read_file(path);
        REQUIRE(text.has_value());
        CHECK(explain_mismatch(fields[part], Json::parse(*text)).value_or("") == "");
      }
    }
  }

  TEST_CASE("clients that load tools on demand load those of the first minute at once") {
    std::string loaded;
    for (const ToolRegistry::Entry* entry : tools().registry().list()) {
      const Json& spec = entry->tool->spec().json;
      if (spec.value("_meta", Json::object()).value("anthropic/alwaysLoad", false)) {
        loaded += spec["name"].get<std::string>() + " ";
      }
    }
    CHECK(loaded == "compile_kernel list_devices validate ");
  }

  TEST_CASE("no output schema has a list of types, which strict clients refuse") {
    for (const ToolRegistry::Entry* entry : tools().registry().list()) {
      const Json& spec = entry->tool->spec().json;
      CAPTURE(spec["name"].get<std::string>());
      for (const auto& [name, field] : spec["outputSchema"]["properties"].items()) {
        CHECK_MESSAGE(!field.value("type", Json()).is_array(), name);
      }
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
