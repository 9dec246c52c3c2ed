// `warpsmith demo` and what it is made of.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/kernel/form/edits.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/lineage/kernel_changes.h"
#include "server/cli/client_setup.h"
#include "server/cli/demo_kernels.h"
#include "server/cli/demo_steps.h"
#include "server/cli/stdio_client.h"
#include "server/text_format.h"
#include "tests/support/child.h"
#include "tests/support/run_program.h"

namespace ws {
namespace {

using server::Json;

struct EditCase {
  const char* name;
  const char* before;
  const char* after;
  const char* edits;
};

constexpr std::array kEditCases = {
    EditCase{"equal", "a\nb\n", "a\nb\n", "[]"},
    EditCase{"replace", "a\nb\nc\n", "a\nX\nc\n",
             R"([{"from":2,"old":"b","op":"replace","region":"source","text":"X\n","to":2}])"},
    EditCase{"delete", "a\nb\nc\n", "c\n",
             R"([{"from":1,"old":"a\nb","op":"delete","region":"source","to":2}])"},
    EditCase{"insert an empty line in between", "a\nb\n", "a\n\nb\n",
             R"([{"from":2,"op":"insert","region":"source","text":"\n"}])"},
    EditCase{"append", "a\n", "a\nb\nc\n",
             R"([{"from":2,"op":"insert","region":"source","text":"b\nc\n"}])"},
    EditCase{"two places", "a\nb\nc\nd\n", "X\nb\nc\n",
             R"([{"from":1,"old":"a","op":"replace","region":"source","text":"X\n","to":1},)"
             R"({"from":4,"old":"d","op":"delete","region":"source","to":4}])"},
};

constexpr std::array kKernels = {"broken_compile", "naive",         "tiled16",
                                 "tiled32x8",      "broken_ragged", "broken_bounds"};

struct AnswerCase {
  const char* name;
  std::size_t step;  // In kDemoSteps, from 0.
  const char* answer;
  const char* failure;
};

constexpr std::array kAnswerCases = {
    AnswerCase{"as expected", 2, R"({"verdict": "passed"})", ""},
    AnswerCase{"another verdict", 2, R"({"verdict": "incorrect", "summary": "krn_x: incorrect"})",
               "validate of naive should give passed, and gave incorrect: krn_x: incorrect"},
    AnswerCase{"no verdict", 2, R"({"status": "cancelled", "summary": "stopped"})",
               "validate of naive should give passed, and gave cancelled: stopped"},
    AnswerCase{"a mistake that is not placed", 0, R"({"verdict": "compile_error"})",
               "compile_kernel of broken_compile should say /diagnostics/0/snippet, and its answer "
               "lacks it"},
    AnswerCase{"caught without a pattern", 11, R"({"verdict": "incorrect", "mismatch": {}})",
               "validate of broken_ragged should say /mismatch/pattern, and its answer lacks it"},
    AnswerCase{"a speed that is not the usual one", 3, R"({"verdict": "inconclusive"})", ""},
    AnswerCase{"not timed", 3, R"({"verdict": "invalid", "summary": "krn_x is not timed"})",
               "benchmark of naive should give faster, and gave invalid: krn_x is not timed"},
    AnswerCase{"wrong when timed", 9, R"({"verdict": "suspect", "summary": "two faces"})",
               "benchmark of tiled32x8 should give faster, and gave suspect: two faces"},
};

Ended run_demo(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"demo"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words);
}

}  // namespace

TEST_SUITE("demo") {
  TEST_CASE("the edits between two texts are the fewest, with the old lines") {
    for (const EditCase& c : kEditCases) {
      CAPTURE(c.name);
      CHECK(line_edits(c.before, c.after).dump() == c.edits);
    }
  }

  TEST_CASE("edits and set make each kernel of the demo of each other") {
    const Result<Problem> problem = parse_problem(server::demo_kernel("problem"));
    REQUIRE(problem.has_value());
    for (const char* from : kKernels) {
      for (const char* to : kKernels) {
        CAPTURE(from);
        CAPTURE(to);
        const Json before = Json::parse(server::demo_kernel(from));
        const Json after = Json::parse(server::demo_kernel(to));
        const Result<Kernel> base = kernel_from_json(before, *problem);
        const Result<Kernel> want = kernel_from_json(after, *problem);
        REQUIRE((base && want && from != nullptr));
        if (std::string_view(from) == to) {
          CHECK(plan_changes(before, after) == Json::object());
          continue;
        }
        const Json edits =
            line_edits(before["source"].get<std::string>(), after["source"].get<std::string>());
        const auto made = edit_kernel(*problem, *base, edits, plan_changes(before, after));
        REQUIRE(made.has_value());
        CHECK(made->id == want->id);
      }
    }
    CHECK(server::demo_kernel("no_such_kernel").empty());
  }

  TEST_CASE("a plan's changes are its new and other fields, and null for those that are gone") {
    const Json before = {{"source", "a"}, {"launches", {1}}, {"params", {2}}, {"options", {3}}};
    const Json after = {{"source", "b"}, {"launches", {1}}, {"params", {4}}, {"scratch", {5}}};
    CHECK(plan_changes(before, after).dump() == R"({"options":null,"params":[4],"scratch":[5]})");
  }

  TEST_CASE("a step fails when its answer is not what the table says") {
    for (const AnswerCase& c : kAnswerCases) {
      CAPTURE(c.name);
      CHECK(step_failure(server::kDemoSteps.at(c.step), Json::parse(c.answer)) == c.failure);
    }
  }

  TEST_CASE("client lines hold the real path, in the quotes that it needs") {
    const auto plain = server::client_setups("/opt/ws/warpsmith");
    REQUIRE(plain.size() == 4);
    CHECK(plain[0].text == "claude mcp add warpsmith -- /opt/ws/warpsmith serve --stdio");
    CHECK(
        plain[1].text ==
        R"({"mcpServers":{"warpsmith":{"command":"/opt/ws/warpsmith","args":["serve","--stdio"]}}})");
    CHECK(
        plain[2].text ==
        R"(code --add-mcp '{"name":"warpsmith","command":"/opt/ws/warpsmith","args":["serve","--stdio"]}')");
    CHECK(plain[3].text.starts_with("/opt/ws/warpsmith serve --http 127.0.0.1:7411\ncurl "));
    const auto odd = server::client_setups("/my tools/it's/warpsmith");
    CHECK(odd[0].text ==
          "claude mcp add warpsmith -- '/my tools/it'\\''s/warpsmith' serve --stdio");
  }

  TEST_CASE("numbers and columns read as people write them") {
    CHECK(server::decimal(1.625, 1) == "1.6");
    CHECK(server::decimal(0, 2) == "0.00");
    CHECK(server::size_text(0) == "0 B");
    CHECK(server::size_text(1023) == "1023 B");
    CHECK(server::size_text(1536) == "1.5 KiB");
    CHECK(server::size_text(std::uint64_t{25} << 30U) == "25.0 GiB");
    CHECK(server::padded("ab", 4) == "ab  ");
    CHECK(server::padded("abcd", 4) == "abcd ");
  }

  TEST_CASE("a server that is not there or ends early is an error, not a wait") {
    const TestFolder data;
    const auto absent = server::StdioClient::start("/no/such/program", {});
    REQUIRE(!absent.has_value());
    CHECK(to_text(absent.error()) ==
          "io: cannot start /no/such/program (posix_spawn: No such file or directory)");
    const auto ends = server::StdioClient::start("/bin/true", {});
    REQUIRE(ends.has_value());
    const auto answer = (*ends)->request("server/discover", Json::object(), nullptr);
    REQUIRE(!answer.has_value());
    CHECK(answer.error().message == "the server has ended");
  }

  TEST_CASE("a demo whose server cannot start fails and says so, in both forms") {
    const Ended table = run_demo({"--data", "/proc/nothing"});
    CHECK(table.status == 1);
    CHECK(table.err.find("the demo failed: the server has ended; its last output is above\n") !=
          std::string::npos);
    const Ended json = run_demo({"--data", "/proc/nothing", "--json"});
    CHECK(json.status == 1);
    const Json report = Json::parse(json.out);
    CHECK(report["ok"] == false);
    CHECK(report["failure"] == "the server has ended");
  }

  TEST_CASE("an interrupted demo says so, ends its server, and leaves no folder behind") {
    for (const int signal : {SIGINT, SIGTERM}) {
      CAPTURE(signal);
      const TestFolder folder;
      ::setenv("TMPDIR", folder.path().c_str(), 1);  // NOLINT(concurrency-mt-unsafe): no thread
      Child demo("warpsmith", {"demo"});
      const std::optional<std::string> first = demo.line();
      ::unsetenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): no thread
      CHECK(first.has_value());
      CHECK_FALSE(std::filesystem::is_empty(folder.path()));
      demo.signal(signal);
      CHECK(demo.wait(std::chrono::seconds(10)) == 128 + signal);
      CHECK(demo.errors() == "the demo failed: it was interrupted\n");
      CHECK(std::filesystem::is_empty(folder.path()));
    }
  }

  TEST_CASE("the demo does the main job, and every verdict on correctness is the expected one") {
    const Ended ended = run_demo({});
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(ended.out.find('\x1b') == std::string::npos);
    std::size_t at = 0;
    for (const server::DemoStep& step : server::kDemoSteps) {
      const std::string verdict = is_measured(step) ? "" : std::string(step.expected);
      const std::string half =
          server::padded(step.title, 34) + server::padded(step.tool, 16) + verdict;
      CAPTURE(half);
      at = ended.out.find(half, at);
      REQUIRE(at != std::string::npos);
    }
    for (const std::string said :
         {"use of undeclared identifier 'column'", "^\n", "wrong and never written",
          "source:8 by thread (0,0,0) of block (0,0,0)", "Each step gave the expected result",
          "claude mcp add warpsmith -- /"}) {
      CAPTURE(said);
      CHECK(ended.out.find(said) != std::string::npos);
    }
  }
}

}  // namespace ws
