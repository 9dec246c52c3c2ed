// `warpsmith serve` with a configuration file: flags before variables before the file.
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "tests/support/child.h"

namespace ws::test {
namespace {

struct Ended {
  int status = -1;
  std::string out;
  std::string err;
};

Ended serve(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "serve");
  Child child("warpsmith", arguments);
  child.close_input();
  Ended ended;
  ended.out = child.rest();
  ended.err = child.errors();
  ended.status = child.wait(std::chrono::seconds(20)).value_or(-1);
  return ended;
}

/// A variable of this process, which its children have, until the end of the test.
class Variable {
 public:
  Variable(const char* name, const std::string& value)
      : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }

  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

std::string config_in(const TestFolder& folder, const std::string& text) {
  const auto file = folder.path() / "config.toml";
  REQUIRE(write_file(file, text).has_value());
  ::chmod(file.c_str(), 0600);
  return file.string();
}

/// The line of a printed configuration that is about a key.
std::string line_of(const std::string& text, const std::string& key) {
  for (const std::string& start : {"\n" + key + " ", "\n# " + key + " "}) {
    if (const std::size_t at = text.find(start); at != std::string::npos) {
      return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    }
  }
  return "none";
}

}  // namespace

TEST_SUITE("serve_config") {
  TEST_CASE("flags beat variables, variables beat the file, and each is printed with its origin") {
    const TestFolder folder;
    const std::string file =
        config_in(folder,
                  "http = '127.0.0.1:1'\ncuda = '/file/cuda'\nhip = '/file/hip'\nno-gpu = true\n"
                  "cache-size = '1MB'\nlog-level = 'error'\ntoken = '0123456789abcdef'\n");
    const Variable cuda("WARPSMITH_CUDA", "/variable/cuda");
    const Ended printed =
        serve({"--config", file, "--print-config", "--log-level=debug", "--stdio"});
    CHECK(printed.status == 0);
    const auto line = [&](const std::string& key) { return line_of(printed.out, key); };
    CHECK(line("log-level") == "log-level = \"debug\"  # --log-level");
    CHECK(line("cuda") == "cuda = \"/variable/cuda\"  # WARPSMITH_CUDA");
    CHECK(line("hip") == "hip = \"/file/hip\"  # " + file + ":3");
    CHECK(line("no-gpu") == "no-gpu = true  # " + file + ":4");
    CHECK(line("cache-size") == "cache-size = 1048576  # " + file + ":5");
    CHECK(line("stdio") == "stdio = true  # --stdio");
    CHECK(
        line("http") ==
        "# http is not set: HOST:PORT, such as 127.0.0.1:7411; beyond loopback with a token only");
    CHECK(line("token") == "# token is set and not shown: " + file + ":7");
    CHECK(line("allow-python-reference") == "allow-python-reference = false  # default");
    CHECK(printed.out.find("0123456789abcdef") == std::string::npos);
    // It is a configuration that gives itself.
    const TestFolder other;
    const std::string again = config_in(other, printed.out);
    const Ended twice = serve({"--config=" + again, "--print-config"});
    CHECK(line_of(twice.out, "cache-size") == "cache-size = 1048576  # " + again + ":4");
    CHECK(line_of(twice.out, "stdio").starts_with("stdio = true  # "));
  }

  TEST_CASE(
      "the file in the configuration folder is used, and one with a mistake stops the start") {
    const TestFolder folder;
    std::filesystem::create_directories(folder.path() / "warpsmith");
    const std::string file = (folder.path() / "warpsmith/config.toml").string();
    REQUIRE(write_file(file, "stdio = true\nno-gpu = true\ndata = '" +
                                 (folder.path() / "data").string() + "'\n")
                .has_value());
    const Variable home("XDG_CONFIG_HOME", folder.path().string());
    CHECK(serve({}).status == 0);
    CHECK(std::filesystem::exists(folder.path() / "data/archive.db"));
    REQUIRE(write_file(file, "\nreward-offset = 99\nstdio = true\n").has_value());
    const Ended range = serve({});
    CHECK(range.status == 2);
    CHECK(range.err == file +
                           ":2:1: --reward-offset: Value 99 not in range 1.000000 to 11.000000\n"
                           "Run with --help for more information.\n");
    REQUIRE(write_file(file, "htttp = '127.0.0.1:1'\n").has_value());
    const Ended unknown = serve({});
    CHECK(unknown.status == 2);
    CHECK(unknown.err ==
          "invalid_argument: " + file + ":1:1: no setting `htttp`; did you mean `http`?\n");
  }

  TEST_CASE("a server needs a transport, from the command line or from the file") {
    const Ended none = serve({});
    CHECK(none.status == 2);
    CHECK(none.err ==
          "--stdio, --http HOST:PORT or --socket PATH is required\nRun with --help for more "
          "information.\n");
  }
}

}  // namespace ws::test
