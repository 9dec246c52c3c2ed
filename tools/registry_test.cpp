#include "tools/registry.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "tools/typed_tool.h"

namespace ws {
namespace {

struct Params {
  int twice = 0;
};

void from_json(const Json& json, Params& params) {
  json.at("twice").get_to(params.twice);
}

struct Output {
  int value = 0;
};

void to_json(Json& json, const Output& output) {
  json = {{"summary", std::to_string(output.value)}};
}

class DoubleTool : public TypedTool<Params, Output> {
 public:
  using TypedTool::TypedTool;

 protected:
  Result<Output> run(const Params& params, CallContext& /*context*/) override {
    return params.twice < 0 ? fail(ErrorCode::kUnsupported, "negative")
                            : Result<Output>(Output{2 * params.twice});
  }
};

std::string schema(const std::string& name, const std::string& input = R"({"type":"object"})") {
  return R"({"name": ")" + name + R"(", "inputSchema": )" + input +
         R"(, "outputSchema": {"type": "object"}})";
}

struct BadCase {
  const char* name;
  std::string text;
  const char* want;
};

const BadCase kBad[] = {
    {"name", schema("Bad-Name"), "\"Bad-Name\" is not a tool name"},
    {"digit", schema("3d"), "\"3d\" is not a tool name"},
    {"length", schema(std::string(49, 'a')),
     "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" is not a tool name"},
    {"not JSON", "{", "\"\" is not a tool name"},
    {"taken", schema("taken"), "there are two tools named taken"},
    {"no output", R"({"name": "x", "inputSchema": {}})", "the tool x has no outputSchema"},
    {"bad input", schema("x", R"({"required": 3})"), "x's inputSchema does not compile"},
};

}  // namespace

TEST_SUITE("tools.registry") {
  TEST_CASE("tools are listed by name, whatever the order they came in") {
    ToolRegistry registry;
    for (const char* name : {"validate", "benchmark", "compile_kernel"}) {
      registry.add(std::make_unique<DoubleTool>(schema(name)));
    }
    CHECK(registry.status().has_value());
    CHECK(registry.names() == std::vector<std::string>{"benchmark", "compile_kernel", "validate"});
    CHECK(registry.list().at(1)->tool->spec().name == "compile_kernel");
    CHECK(registry.find("job") == nullptr);
    CHECK(registry.find("validate") != nullptr);
  }

  TEST_CASE("a tool that is wrong is left out and said") {
    for (const BadCase& c : kBad) {
      CAPTURE(c.name);
      ToolRegistry registry;
      registry.add(std::make_unique<DoubleTool>(schema("taken")));
      registry.add(std::make_unique<DoubleTool>(c.text));
      REQUIRE_FALSE(registry.status().has_value());
      CHECK(registry.status().error().message == c.want);
      CHECK(registry.names().size() == 1);
    }
  }

  TEST_CASE("a typed tool takes and gives structs, and lets nothing thrown out") {
    DoubleTool tool(schema("double"));
    CallContext context;
    CHECK(tool.call({{"twice", 21}}, context)->at("summary") == "42");
    CHECK(tool.call({{"twice", -1}}, context).error().code == ErrorCode::kUnsupported);
    const Result<Json> thrown = tool.call({{"twice", "x"}}, context);
    REQUIRE_FALSE(thrown.has_value());
    CHECK(to_text(thrown.error()) ==
          "internal: the tool failed on an unexpected value ([json.exception.type_error.302] type "
          "must be number, but is string)");
  }
}

}  // namespace ws
