// Every example kernel through the protocol core, in both eras.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/examples_here.h"
#include "tests/support/golden.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

namespace fs = std::filesystem;

/// The real tools behind the protocol core, spoken to in one era.
class Speaker {
 public:
  explicit Speaker(bool modern)
      : modern_(modern),
        server_(tools().registry(), {.version = "0", .resources = nullptr, .check_output = true}) {
    if (!modern_) {
      send(
          R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
          R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})");
      send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }
  }

  /// The structuredContent of a call. REQUIREs that it is no error.
  Json call(const std::string& tool, const Json& arguments) {
    const Json legacy = {{"jsonrpc", "2.0"},
                         {"id", 1},
                         {"method", "tools/call"},
                         {"params", {{"name", tool}, {"arguments", arguments}}}};
    const Json reply = Json::parse(send(modern_ ? call_line(1, tool, arguments) : legacy.dump()));
    REQUIRE_MESSAGE(reply.contains("result"), reply.dump());
    REQUIRE_MESSAGE(reply["result"].contains("structuredContent"), reply.dump());
    CHECK(reply["result"].contains("resultType") == modern_);
    return reply["result"]["structuredContent"];
  }

 private:
  std::string send(const std::string& line) {
    server::RequestContext context;
    context.connection = &connection_;
    return server_.handle(line, context).body;
  }

  bool modern_;
  server::McpServer server_;
  server::StdioConnection connection_;
};

Json read_json(const fs::path& path) {
  const auto text = read_file(path);
  REQUIRE(text.has_value());
  return Json::parse(*text);
}

struct Broken {
  const char* name;
  const char* verdict;
  const char* says;  ///< Part of the summary.
};

constexpr Broken kBroken[] = {
    {"broken_bounds", "out_of_bounds", "out-of-bounds read of 4 bytes at source:8"},
    {"broken_compile", "compile_error", "source:8: use of undeclared identifier 'column'"},
    {"broken_ragged", "incorrect", "elements differ: "},
    {"broken_tail", "incorrect",
     "elements differ: the last of 256 columns is wrong and never written"},
};

/// compile_kernel and, when it compiled, validate.
Json judged(Speaker& speaker, const Json& problem, const Json& kernel, const char* level) {
  Json output = speaker.call("compile_kernel", {{"problem", problem}, {"kernel", kernel}});
  if (output["verdict"] != "compiled") {
    return output;
  }
  return speaker.call("validate", {{"kernel_id", output["kernel_id"]}, {"level", level}});
}

}  // namespace

TEST_SUITE("tools.examples") {
  TEST_CASE("every example kernel passes at level standard, in both eras") {
    for (const bool modern : {true, false}) {
      Speaker speaker(modern);
      for (const fs::path& folder : example_folders()) {
        const Json problem = read_json(folder / "problem.json");
        for (const fs::path& path : sorted_entries(folder)) {
          const std::string name = path.stem();
          if (name == "problem" || name.starts_with("broken_") || !least_arch(path).empty()) {
            continue;
          }
          CAPTURE(path.string());
          const Json output = judged(speaker, problem, read_json(path), "standard");
          CHECK_MESSAGE(output["verdict"] == "passed", output["summary"]);
        }
      }
    }
  }

  TEST_CASE("each broken example is caught for what is wrong with it, in both eras") {
    const fs::path folder = source_dir() / "examples" / "kernels" / "matmul";
    const Json problem = read_json(folder / "problem.json");
    for (const bool modern : {true, false}) {
      Speaker speaker(modern);
      for (const Broken& broken : kBroken) {
        CAPTURE(std::string(broken.name));
        const Json kernel = read_json(folder / (std::string(broken.name) + ".json"));
        const Json output = judged(speaker, problem, kernel, "quick");
        CHECK(output["verdict"] == broken.verdict);
        CHECK_MESSAGE(output["summary"].get<std::string>().find(broken.says) != std::string::npos,
                      output["summary"]);
      }
    }
  }
}

}  // namespace ws::test
