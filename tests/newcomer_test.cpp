// A client that has never seen the server: it knows what the server lists, and does what it reads.
#include <regex>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "server/cli/app.h"
#include "tests/support/test_bench.h"
#include "tools/schema_explain.h"

namespace ws::test {
namespace {

/// The whole product, spoken to as by a client, which counts its requests.
class Newcomer {
 public:
  Newcomer() {
    ServicesOptions options;
    options.data_dir = folder_.path();
    options.executable = std::string(WS_BINARY_DIR) + "/warpsmith";
    options.gpus = false;
    auto opened = server::App::open(options);
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    app_ = *std::move(opened);
  }

  Json ask(const std::string& method, Json params = Json::object()) {
    ++requests_;
    params.update(Json::parse("{" + modern_meta() + "}"));
    server::RequestContext context;
    const Json message = {
        {"jsonrpc", "2.0"}, {"id", requests_}, {"method", method}, {"params", params}};
    const Json reply = Json::parse(app_->server().handle(message.dump(), context).body);
    REQUIRE_MESSAGE(reply.contains("result"), reply.dump());
    return reply["result"];
  }

  std::string prompt(const std::string& name, const Json& arguments) {
    const Json got = ask("prompts/get", {{"name", name}, {"arguments", arguments}});
    return got["messages"][0]["content"]["text"];
  }

  std::string read(const std::string& uri) {
    return ask("resources/read", {{"uri", uri}})["contents"][0]["text"];
  }

  Json call(const std::string& tool, Json arguments) {
    arguments["wait_ms"] = 600'000;
    const Json got = ask("tools/call", {{"name", tool}, {"arguments", arguments}});
    REQUIRE_MESSAGE(got.contains("structuredContent"), got.dump());
    return got["structuredContent"];
  }

  [[nodiscard]] int requests() const { return requests_; }

 private:
  TestFolder folder_;
  std::unique_ptr<server::App> app_;
  int requests_ = 0;
};

/// The first address of that kind in a text that `about` fits.
std::string address_in(const std::string& text, const std::string& scheme,
                       const std::string& about) {
  std::smatch found;
  REQUIRE(std::regex_search(text, found, std::regex(scheme + "://" + about)));
  return found[0];
}

/// The row of a list that has a word in its description.
Json row_about(const Json& rows, const std::string& word) {
  for (const Json& row : rows) {
    if (row["description"].get<std::string>().find(word) != std::string::npos) {
      return row;
    }
  }
  FAIL("nothing is listed about " << word);
  return {};
}

}  // namespace

TEST_SUITE("newcomer") {
  TEST_CASE(
      "what is listed leads to a validated kernel in six requests, to a tiled one in twenty") {
    Newcomer client;
    const Json tools = client.ask("tools/list")["tools"];
    const Json prompts = client.ask("prompts/list")["prompts"];
    const std::string start = row_about(prompts, "from a description")["name"];
    const std::string how = client.prompt(start, {{"task", "multiply two float matrices"}});
    const Json sent = Json::parse(client.read(address_in(how, "example", "matmul")));
    const Json schema = row_about(tools, "Compiles a GPU kernel")["inputSchema"];
    CHECK(explain_mismatch(schema, sent).value_or("") == "");
    const Json compiled = client.call("compile_kernel", sent);
    const Json next = compiled["next_steps"][0];
    const Json validated = client.call(next["tool"], next["arguments"]);
    CHECK(validated["verdict"] == "passed");
    CHECK(client.requests() <= 6);

    std::string kernel = compiled["kernel_id"];
    const std::string tile = row_about(prompts, "tiling")["name"];
    const std::string way = client.prompt(tile, {{"kernel_id", kernel}});
    const std::string skill = client.read(address_in(way, "skill", "[a-z-]+/SKILL.md"));
    const std::regex pass("```json apply_transformation\n([^`]*)\n```");
    for (std::sregex_iterator at(skill.begin(), skill.end(), pass), end; at != end; ++at) {
      Json arguments = Json::parse((*at)[1].str());
      arguments["kernel_id"] = kernel;
      const Json changed = client.call("apply_transformation", arguments);
      REQUIRE_MESSAGE(changed["applied"] == true, changed["summary"]);
      kernel = changed["kernel_id"];
    }
    const Json timed = client.call(
        "benchmark", {{"kernel_id", kernel}, {"workloads", {{{"m", 64}, {"n", 64}, {"k", 64}}}}});
    CHECK_MESSAGE(timed["verdict"] != "invalid", timed["summary"]);
    CHECK(timed["workloads"][0]["median_us"] > 0);
    CHECK(client.read("kernel://" + kernel + "/source").find("__shared__") != std::string::npos);
    CHECK(client.requests() <= 20);
  }
}

}  // namespace ws::test
