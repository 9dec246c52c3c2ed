// `warpsmith log`, `show`, `diff` and `compare`, as commands.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/search/test_search.h"
#include "tests/support/run_program.h"

namespace ws::test {
namespace {

/// Exit status, stdout and stderr of a command.
std::string ran(std::vector<std::string> words, const std::string& data) {
  words.insert(words.end(), {"--data", data});
  const Ended ended = run_program(words);
  return std::to_string(ended.status) + " " + ended.out + ended.err;
}

}  // namespace

TEST_SUITE("look") {
  TEST_CASE("what was stored is listed, shown and compared, without colours where no terminal is") {
    const Filled filled;
    const std::string data = filled.folder().path();
    CHECK(ran({"compare", "slow", "fast"}, data) ==
          "0 slow  k\nfast  k\n\ncpu:0\n"
          "  fast                                  passed          3.00x                     "
          "########################\n"
          "  slow                                  passed          0.50x                     "
          "####\n");
    CHECK(ran({"diff", "fast", "fast"}, data) ==
          "0 --- fast  k\n+++ fast  k\nthe sources are equal\n");
    CHECK(ran({"diff", "fast", "fast", "--color", "always"}, data) ==
          "0 \x1b[1m--- fast\x1b[0m  k\n\x1b[1m+++ fast\x1b[0m  k\nthe sources are equal\n");
    const std::string listed = ran({"log", "--json"}, data);
    CHECK(nlohmann::json::parse(listed.substr(2))["rows"].size() == 3);
    const std::string shown = ran({"show", "fast"}, data);
    CHECK(shown.starts_with("0 fast  k\nproblem  prb_mm  matmul\nparent   none\n"));
    CHECK(shown.ends_with(std::string(kTiled) + "\n"));
  }

  TEST_CASE("what is not there is said, and nothing is made") {
    const TestFolder folder;
    const std::string data = folder.path();
    CHECK(ran({"log"}, data) == "1 not_found: there is no archive in " + data +
                                    "; name the data folder of a server with --data DIR\n");
    CHECK(std::filesystem::is_empty(folder.path()));
    const Filled filled;
    CHECK(ran({"show", "krn_0"}, filled.folder().path()) ==
          "1 not_found: no kernel `krn_0`; ids come from compile_kernel\n");
    CHECK(ran({"compare", "fast"}, filled.folder().path()) ==
          "2 KERNEL: At least 2 required but received 1\nRun with --help for more information.\n");
  }
}

}  // namespace ws::test
