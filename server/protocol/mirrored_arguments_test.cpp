#include "server/protocol/mirrored_arguments.h"

#include <doctest/doctest.h>

namespace ws::server {
namespace {

std::vector<MirroredArgument> rows() {
  return mirrored_arguments(Json::parse(R"({"properties": {
      "region": {"type": "string", "x-mcp-header": "Region"},
      "level": {"type": "integer"},
      "place": {"type": "object", "properties": {
          "floor": {"type": "integer", "x-mcp-header": "Floor"},
          "open": {"type": "boolean", "x-mcp-header": "Open"}}}}})"));
}

std::string problem(const Json& arguments,
                    std::vector<std::pair<std::string, std::string>> headers) {
  McpHeaders all;
  all.arguments = std::move(headers);
  const RpcResult<void> checked = check_mirrored(rows(), arguments, all);
  return checked ? "" : std::to_string(checked.error().code) + " " + checked.error().message;
}

}  // namespace

TEST_SUITE("protocol.mirrored_arguments") {
  TEST_CASE("marks are found at every depth") {
    REQUIRE(rows().size() == 3);
    CHECK(rows()[0].header == "mcp-param-floor");
    CHECK(rows()[0].path == std::vector<std::string>{"place", "floor"});
    CHECK(mirrored_arguments(Json::parse(R"({"properties": {"a": true}})")).empty());
    CHECK(mirrored_arguments(Json::object()).empty());
  }

  TEST_CASE("a header must repeat its argument") {
    const std::string region = "mcp-param-region";
    CHECK(problem(Json::object(), {}).empty());
    CHECK(problem({{"region", nullptr}}, {}).empty());
    CHECK(problem({{"region", "Hello"}}, {{region, "Hello"}}).empty());
    CHECK(problem({{"region", "Hello"}}, {{region, "=?base64?SGVsbG8=?="}}).empty());
    CHECK(problem({{"region", "=?base64?SGVs"}}, {{region, "=?base64?SGVs"}}).empty());
    CHECK(problem({{"place", {{"floor", 2}, {"open", true}}}},
                  {{"mcp-param-floor", "02"}, {"mcp-param-open", "true"}})
              .empty());
    CHECK(problem({{"region", "a"}}, {}) ==
          "-32020 the header mcp-param-region is missing; it must be \"a\"");
    CHECK(problem({{"region", "a"}}, {{region, "A"}}) ==
          "-32020 the header mcp-param-region is \"A\", but the body says \"a\"");
    CHECK(problem({{"region", "Hello"}}, {{region, "=?base64?SGVsbG8?="}}) ==
          "-32020 the header mcp-param-region is not valid base64: \"=?base64?SGVsbG8?=\"");
    CHECK(problem({{"place", {{"floor", 2}}}}, {{"mcp-param-floor", "2x"}}) ==
          "-32020 the header mcp-param-floor is \"2x\", but the body says 2");
  }
}

}  // namespace ws::server
