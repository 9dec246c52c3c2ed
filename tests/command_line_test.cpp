// The executable as a user starts it.
#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/base/files.h"
#include "server/protocol/instructions.h"
#include "server/protocol/protocol.h"
#include "tests/support/child.h"
#include "tests/support/raw_http.h"
#include "tests/support/run_program.h"
#include "tests/support/test_bench.h"

namespace ws {
namespace {

using std::chrono::seconds;

/// A folder that is gone after the test.
struct TempDir {
  TempDir() { REQUIRE(::mkdtemp(name.data()) != nullptr); }

  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  ~TempDir() { std::filesystem::remove_all(name); }

  std::string name = "/tmp/ws_command_XXXXXX";
};

int port_in(const std::string& log_line) {
  const std::size_t colon = log_line.rfind(':');
  return std::stoi(log_line.substr(colon + 1));
}

}  // namespace

TEST_SUITE("command_line") {
  TEST_CASE("discover is the first answer on stdio, and the end of input the end") {
    const TempDir data;
    const Ended ended =
        run_program({"serve", "--stdio", "--data", data.name},
                    R"({"jsonrpc":"2.0","id":0,"method":"server/discover","params":{)" +
                        modern_meta() + "}}\n");
    CHECK(ended.status == 0);
    const Json result = Json::parse(ended.out)["result"];
    CHECK(result["supportedVersions"] == Json::array({"2026-07-28"}));
    CHECK(result["instructions"] == server::instructions());
    CHECK(server::instructions().size() < 2048);
  }

  TEST_CASE("SIGTERM ends a server in good order, on both transports") {
    const TempDir data;
    Child stdio("warpsmith", {"serve", "--stdio", "--data", data.name});
    REQUIRE(stdio.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"));
    REQUIRE(stdio.line().has_value());
    stdio.signal(SIGTERM);
    CHECK(stdio.wait(seconds(5)) == 0);

    Child http("warpsmith", {"serve", "--http", "127.0.0.1:0", "--data", data.name});
    const std::string log = http.error_line().value_or("");
    REQUIRE(log.find("info server: listening on http://127.0.0.1:") != std::string::npos);
    HttpConnection idle(port_in(log));
    REQUIRE(idle.send(post_request(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")));
    CHECK(idle.receive().status == 200);
    http.signal(SIGTERM);
    CHECK(http.wait(seconds(5)) == 0);
  }

  TEST_CASE("usage errors are status 2, and name what is wrong") {
    const TempDir data;
    CHECK(run_program({}).status == 2);
    CHECK(run_program({"dance"}).status == 2);
    CHECK(run_program({"serve"}).status == 2);
    CHECK(run_program({"serve", "--stdio", "--http", "localhost:1"}).status == 2);
    const Ended bad_json = run_program({"call", "job", "{", "--data", data.name});
    CHECK(bad_json.status == 2);
    CHECK(bad_json.err == "the arguments: the message is not JSON: error at byte 2\n");
    const Ended list = run_program({"call", "job", "[]", "--data", data.name});
    CHECK(list.status == 2);
    CHECK(list.err == "the arguments must be a JSON object\n");
    const Ended no_file = run_program({"call", "job", "@/no/such/file", "--data", data.name});
    CHECK(no_file.status == 2);
    const Ended no_tool = run_program({"call", "no_such_tool_at_all", "{}", "--data", data.name});
    CHECK(no_tool.status == 2);
    CHECK(no_tool.err.starts_with("there is no tool \"no_such_tool_at_all\""));
    const Ended loud = run_program({"serve", "--stdio", "--log-level", "loud"});
    CHECK(loud.status == 2);
    CHECK(loud.err ==
          "--log-level: no level \"loud\"; use debug, info, warning, error or off\n"
          "Run with --help for more information.\n");
    CHECK(run_program({"--version"}).status == 0);
  }

  TEST_CASE("the terms of rewards are checked when a server starts, and hold for its calls") {
    CHECK(run_program({"serve", "--stdio", "--reward-offset", "-1000"}).status == 2);
    CHECK(run_program({"serve", "--stdio", "--reward-level", "none"}).status == 2);
    const Ended list = run_program({"serve", "--stdio", "--reward-params", "[]"});
    CHECK(list.status == 2);
    CHECK(list.err ==
          "--reward-params: not a JSON object, such as {} or {\"TILE\": 16}: []\n"
          "Run with --help for more information.\n");
    const TempDir data;
    const Ended ended = run_program(
        {"serve", "--stdio", "--no-gpu", "--data", data.name, "--reward-level", "standard"},
        call_line(1, "evaluate", {{"kernel_id", "krn_k"}, {"level", "quick"}}) + "\n");
    CHECK(Json::parse(ended.out)["result"]["content"][0]["text"] ==
          "invalid_argument: `level`: this server gives rewards with \"standard\" only (its option "
          "--reward-level), got \"quick\"; leave `level` out");
  }

  TEST_CASE("the help of a sub-command has one readable line for each option") {
    const Ended help = run_program({"call", "--help"});
    CHECK(help.status == 0);
    CHECK(help.out.find("  --no-gpu                    Use only the CPU engine, no GPU\n") !=
          std::string::npos);
    CHECK(help.out.find("  --log-level LEVEL           debug, info, warning, error or off\n") !=
          std::string::npos);
  }

  TEST_CASE("call talks to a running server") {
    Child server("ws_test_server", {"--http", "127.0.0.1:0"});
    const std::string url = "http://127.0.0.1:" + server.line().value_or("0") + "/mcp";
    const Ended good = run_program({"call", "echo", "-", "--server", url}, R"({"text": "hi"})");
    CHECK(good.status == 0);
    CHECK(good.out == "{\"summary\":\"hi\"}\n");
    const Ended error = run_program({"call", "refuse", R"({"code": "busy"})", "--server", url});
    CHECK(error.status == 1);
    CHECK(error.err == "busy: it was asked to fail; ask for something else\n");
    CHECK(run_program({"call", "ecko", "{}", "--server", url}).status == 2);
    const Ended nobody = run_program({"call", "echo", "{}", "--server", "http://127.0.0.1:1/mcp"});
    CHECK(nobody.status == 1);
    CHECK(nobody.err.starts_with("io: no answer from http://127.0.0.1:1/mcp ("));
    CHECK(run_program({"call", "echo", "{}", "--server", "127.0.0.1"}).status == 1);
  }

  TEST_CASE("a call to a server needs the library beside the program") {
    const TempDir folder;
    const std::string program = folder.name + "/warpsmith";
    std::filesystem::copy_file(std::string(WS_BINARY_DIR) + "/warpsmith", program);
    const Ended ended = run_program({"call", "echo", "{}", "--server", "http://127.0.0.1:1/mcp"},
                                    "", std::filesystem::relative(program, WS_BINARY_DIR).string());
    CHECK(ended.status == 1);
    CHECK(ended.err ==
          "unsupported: the library that talks to servers cannot be loaded (" + folder.name +
              "/libwarpsmith_http.so: cannot open shared object file: No such file or directory); "
              "keep libwarpsmith_http.so beside the program\n");
  }

  TEST_CASE("a server does not listen beyond this machine without a token") {
    const TempDir data;
    const Ended ended = run_program({"serve", "--http", "0.0.0.0:0", "--data", data.name});
    CHECK(ended.status == 1);
    CHECK(ended.err.find(
              "invalid_argument: refusing to listen on 0.0.0.0 without a token: other machines "
              "could run kernels here; set WARPSMITH_TOKEN, --token-file FILE or --principals "
              "FILE, or listen on 127.0.0.1 and reach it from elsewhere through ssh -L\n") !=
          std::string::npos);
  }

  TEST_CASE("call shows the token of a file to a server that wants it") {
    const TempDir data;
    const std::string file = data.name + "/token";
    REQUIRE(write_file(file, "0123456789abcdef\n"));
    REQUIRE(::chmod(file.c_str(), 0600) == 0);
    Child server("warpsmith",
                 {"serve", "--http", "0.0.0.0:0", "--token-file", file, "--data", data.name});
    const std::string log = server.error_line().value_or("");
    REQUIRE(log.find("info server: listening on http://0.0.0.0:") != std::string::npos);
    CHECK(
        server.error_line().value_or("").ends_with("info server: every request must show a token"));
    const std::string url = "http://127.0.0.1:" + std::to_string(port_in(log)) + "/mcp";
    const std::string unknown = R"({"job_id": "job_00000000000000000000000000000000"})";
    const Ended refused = run_program({"call", "job", unknown, "--server", url});
    CHECK(refused.status == 2);
    CHECK(refused.err.starts_with("this server wants a token: "));
    const Ended known =
        run_program({"call", "job", unknown, "--server", url, "--token-file", file});
    CHECK(known.status == 1);
    CHECK(known.err.starts_with("not_found: "));
    const Ended open_file =
        run_program({"call", "job", unknown, "--server", url, "--token-file", "/etc/passwd"});
    CHECK(open_file.status == 1);
    CHECK(open_file.err ==
          "invalid_argument: users other than its owner may use the token file /etc/passwd; chmod "
          "600 /etc/passwd\n");
  }
}

}  // namespace ws
