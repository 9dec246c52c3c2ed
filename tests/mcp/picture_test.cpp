// `picture: true`: what stands in the content of a result, and what the tool gets to see of it.
#include <functional>
#include <string>

#include <doctest/doctest.h>

#include "server/protocol/base64.h"
#include "tests/support/cuir_forms.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

using Draw = std::function<Result<std::string>(const std::string& tool, const Json& answer)>;

/// The result of a call of a server that draws by `draw`.
Json drawn_result(const Draw& draw, const std::string& tool, const Json& arguments) {
  server::McpServer::Options options;
  options.picture = draw;
  const server::McpServer server(tools().registry(), options);
  const Json reply =
      Json::parse(server.handle(call_line(1, tool, arguments), server::RequestContext{}).body);
  REQUIRE_MESSAGE(reply.contains("result"), reply.dump());
  return reply["result"];
}

const Json kWithPicture = {{"ir", kDoubling}, {"picture", true}, {"wait_ms", 60'000}};

}  // namespace

TEST_SUITE("mcp.picture") {
  TEST_CASE("the picture is the last block of the content, and not in what programs read") {
    const std::string png("\x89PNG\0\xff", 6);
    std::string drawn_for;
    Json drawn_answer;
    const Json result = drawn_result(
        [&](const std::string& tool, const Json& answer) {
          drawn_for = tool;
          drawn_answer = answer;
          return Result<std::string>(png);
        },
        "verify_ir", kWithPicture);
    CHECK(drawn_for == "verify_ir");
    CHECK(drawn_answer["verdict"] == "ok");
    CHECK(result["content"].back() ==
          Json{{"type", "image"}, {"data", server::to_base64(png)}, {"mimeType", "image/png"}});
    CHECK(result["content"][0]["type"] == "text");
    CHECK(result["structuredContent"] == drawn_answer);
  }

  TEST_CASE("nothing is drawn where nobody asks, or where there is nothing to show") {
    int drawings = 0;
    const Draw nothing = [&](const std::string&, const Json&) {
      ++drawings;
      return Result<std::string>(std::string());
    };
    for (const Json& picture : {Json(false), Json(true)}) {
      Json arguments = kWithPicture;
      arguments["picture"] = picture;
      const Json result = drawn_result(nothing, "verify_ir", arguments);
      CHECK(result["content"].size() == 1);
    }
    CHECK(drawings == 1);
    Json arguments = kWithPicture;
    arguments.erase("picture");
    CHECK(drawn_result(nothing, "verify_ir", arguments)["content"].size() == 1);
    CHECK(drawings == 1);
  }

  TEST_CASE("a picture that cannot be drawn takes nothing from the answer") {
    const Json result = drawn_result(
        [](const std::string&, const Json&) -> Result<std::string> {
          return fail(ErrorCode::kUnsupported, "there is no library", "install it");
        },
        "verify_ir", kWithPicture);
    CHECK_FALSE(result.contains("isError"));
    CHECK(result["structuredContent"]["verdict"] == "ok");
    CHECK(result["content"].back() ==
          Json{{"type", "text"},
               {"text", "no picture: unsupported: there is no library; install it"}});
  }

  TEST_CASE("a call that fails has none") {
    int drawings = 0;
    const Draw draw = [&](const std::string&, const Json&) {
      ++drawings;
      return Result<std::string>(std::string());
    };
    Json arguments = kWithPicture;
    arguments["seed"] = -1;
    CHECK(drawn_result(draw, "verify_ir", arguments)["isError"] == true);
    CHECK(drawings == 0);
  }

  TEST_CASE("the argument is a truth value, of tools that have it") {
    const Draw draw = [](const std::string&, const Json&) { return Result<std::string>("x"); };
    Json arguments = kWithPicture;
    arguments["picture"] = "yes";
    const Json result = drawn_result(draw, "verify_ir", arguments);
    CHECK(result["isError"] == true);
    CHECK(result["content"][0]["text"] ==
          "invalid_argument: `picture` must be a boolean, got a string \"yes\"");
    const Json other = drawn_result(draw, "list_devices", {{"picture", true}});
    CHECK(other["isError"] == true);
  }
}

}  // namespace ws::test
