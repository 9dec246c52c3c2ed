// The commands of docs/scale-out.md, in their order.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/child.h"
#include "tests/support/node_cluster.h"
#include "tests/support/run_program.h"

namespace ws::test {
namespace {

constexpr const char* kUrl = "postgres://warpsmith@db.example.org/warpsmith";

/// The lines of the guide's blocks for a shell that call the program, and nothing else.
std::vector<std::string> commands_of_guide() {
  const auto guide = read_file(std::string(WS_SOURCE_DIR) + "/docs/scale-out.md");
  REQUIRE(guide.has_value());
  std::vector<std::string> commands;
  std::istringstream lines(*guide);
  bool in_block = false;
  for (std::string line; std::getline(lines, line);) {
    in_block = line.starts_with("```") ? line == "```sh" : in_block;
    if (in_block && line.starts_with("warpsmith ") && line.find('|') == std::string::npos) {
      commands.push_back(line);
    }
  }
  return commands;
}

/// The words behind the program's name, for a database and a folder of the test.
std::vector<std::string> words_of(const std::string& command, const std::string& url,
                                  const std::string& folder) {
  std::vector<std::string> words;
  std::istringstream text(command);
  for (std::string word; text >> word;) {
    words.push_back(word == kUrl ? url : word.starts_with("127.0.0.1:") ? "127.0.0.1:0" : word);
  }
  words.erase(words.begin());
  if (words[0] == "serve" || words[0] == "node") {
    words.insert(words.end(), {"--data", folder});
  }
  return words;
}

/// Waits until it says so, or has ended: on a busy machine a node looks for devices for a while.
void wait_for_line(Child& child, const std::string& part) {
  for (;;) {
    const std::optional<std::string> line = child.error_line();
    const bool ended = !line && child.wait(std::chrono::milliseconds(0)).has_value();
    REQUIRE_MESSAGE(!ended, "nothing said " << part);
    if (line && line->find(part) != std::string::npos) {
      return;
    }
  }
}

}  // namespace

TEST_SUITE("docs.scale_out") {
  TEST_CASE("the commands of the guide do what it says") {
    if (no_postgres("the commands of docs/scale-out.md")) {
      return;
    }
    const NodeCluster cluster;
    const TestFolder folder;
    std::vector<std::unique_ptr<Child>> running;
    int others = 0;
    for (const std::string& command : commands_of_guide()) {
      CAPTURE(command);
      const std::string data = (folder.path() / std::to_string(running.size())).string();
      const std::vector<std::string> words = words_of(command, cluster.url(), data);
      if (words[0] == "serve" || words[0] == "node") {
        running.push_back(std::make_unique<Child>("warpsmith", words));
        wait_for_line(*running.back(), words[0] == "serve" ? "listening on" : "takes jobs");
        continue;
      }
      const Ended ended = run_program(words);
      CHECK_MESSAGE(ended.status == 0, ended.err);
      ++others;
    }
    CHECK(running.size() >= 6);  // Five servers and a node.
    CHECK(others >= 6);
  }
}

}  // namespace ws::test
