// The commands of docs/scale-out.md, in their order.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/child.h"
#include "tests/support/node_cluster.h"
#include "tests/support/process_variables.h"
#include "tests/support/run_program.h"
#include "tests/support/s3_endpoint.h"

namespace ws::test {
namespace {

constexpr const char* kUrl = "postgres://warpsmith@db.example.org/warpsmith";
constexpr const char* kUrlOfNode = "postgres://gpu-7@db.example.org/warpsmith";

/// The lines of the guide's blocks for a shell that call the program, and nothing else. No server
/// may run beside `archive move`: archive_move_command_test.cpp runs it.
std::vector<std::string> commands_of_guide() {
  const auto guide = read_file(std::string(WS_SOURCE_DIR) + "/docs/scale-out.md");
  REQUIRE(guide.has_value());
  std::vector<std::string> commands;
  std::istringstream lines(*guide);
  bool in_block = false;
  for (std::string line; std::getline(lines, line);) {
    in_block = line.starts_with("```") ? line == "```sh" : in_block;
    if (in_block && line.starts_with("warpsmith ") && line.find('|') == std::string::npos &&
        !line.starts_with("warpsmith archive move ")) {
      commands.push_back(line);
    }
  }
  return commands;
}

/// The guide's commands name these.
struct GuideParts {
  std::string url;
  std::string url_of_node;
  std::string secret;  ///< The file of `share.secret`.
  std::string shared;  ///< The folder of `/mnt/warpsmith`.
};

/// The words behind the program's name, for the parts of the test and a folder of its own.
std::vector<std::string> words_of(const std::string& command, const GuideParts& parts,
                                  const std::string& folder) {
  const std::map<std::string, std::string> own = {{kUrl, parts.url},
                                                  {kUrlOfNode, parts.url_of_node},
                                                  {"share.secret", parts.secret},
                                                  {"/mnt/warpsmith", parts.shared}};
  std::vector<std::string> words;
  std::istringstream text(command);
  for (std::string word; text >> word;) {
    const auto known = own.find(word);
    words.push_back(known != own.end()               ? known->second
                    : word.starts_with("127.0.0.1:") ? "127.0.0.1:0"
                                                     : word);
  }
  words.erase(words.begin());
  if (words[0] == "serve" || words[0] == "node") {
    words.insert(words.end(), {"--data", folder});
  }
  return words;
}

}  // namespace

TEST_SUITE("docs.scale_out") {
  TEST_CASE("the commands of the guide are accepted") {
    if (no_postgres("the commands of docs/scale-out.md")) {
      return;
    }
    const NodeCluster cluster;
    const TestFolder folder;
    cluster.run(
        "DO $$ BEGIN CREATE ROLE \"gpu-7\" LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; "
        "END $$");
    const GuideParts parts{.url = cluster.url(),
                           .url_of_node = cluster.url_as("gpu-7"),
                           .secret = (folder.path() / "share.secret").string(),
                           .shared = (folder.path() / "shared").string()};
    std::filesystem::create_directory(parts.shared);
    REQUIRE(write_file(parts.secret, std::string(32, 's')).has_value());
    std::filesystem::permissions(parts.secret, std::filesystem::perms::owner_read);
    std::vector<std::unique_ptr<Child>> running;
    int others = 0;
    const bool buckets = !no_s3("the guide's command with a bucket");
    const ProcessVariables key({{"AWS_ACCESS_KEY_ID", "KEY"}, {"AWS_SECRET_ACCESS_KEY", "SECRET"}});
    for (const std::string& command : commands_of_guide()) {
      CAPTURE(command);
      if (!buckets && command.find("--share-cache-s3 ") != std::string::npos) {
        continue;
      }
      const std::string data = (folder.path() / std::to_string(running.size())).string();
      const std::vector<std::string> words = words_of(command, parts, data);
      if (words[0] == "serve" || words[0] == "node") {
        running.push_back(std::make_unique<Child>("warpsmith", words));
        await_line(*running.back(), words[0] == "serve" ? "listening on" : "takes jobs");
        continue;
      }
      const Ended ended = run_program(words);
      CHECK_MESSAGE(ended.status == 0, ended.err);
      ++others;
    }
    CHECK(running.size() >= 9);  // Six servers and three nodes.
    CHECK(others >= 6);
  }
}

}  // namespace ws::test
