// A real server that takes access tokens, and the options by which it does.
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "tests/support/child.h"
#include "tests/support/issued_tokens.h"
#include "tests/support/run_program.h"
#include "tests/support/stub_issuer.h"

namespace ws::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_SUITE("serve_oauth") {
  TEST_CASE("a real server finds the keys by the issuer's metadata") {
    StubIssuer issuer;
    const server::TokenRules rules = {.issuer = issuer.url(),
                                      .resource = "http://localhost:7411/mcp"};
    issuer.publish("/.well-known/openid-configuration",
                   Json{{"issuer", issuer.url()}, {"jwks_uri", issuer.url() + "/keys"}}.dump());
    issuer.publish("/keys", key_set());
    issuer.start();
    const TestFolder folder;
    Child served("warpsmith",
                 {"serve", "--http", "127.0.0.1:0", "--no-gpu", "--data", folder.path().string(),
                  "--oauth-issuer", rules.issuer, "--oauth-resource", rules.resource});
    const std::string log = served.error_line().value_or("");
    REQUIRE(log.find("listening on http://127.0.0.1:") != std::string::npos);
    const int port = std::stoi(log.substr(log.find("127.0.0.1:") + 10));
    CHECK(served.error_line().value_or("").ends_with("every request must show a token"));
    HttpResponse answer;
    for (int i = 0; i < 1000 && answer.status != 200; ++i) {
      answer = ping(port, token_for(claims_of("warpsmith:use", rules)));
      std::this_thread::sleep_for(milliseconds(answer.status == 200 ? 0 : 5));
    }
    CHECK(answer.status == 200);
    CHECK(ping(port, token_for(claims_of("warpsmith:use", {}))).status == 401);
    served.signal(SIGTERM);
    CHECK(served.wait(seconds(10)) == 0);
  }

  TEST_CASE("options that cannot be meant stop the start") {
    const TestFolder folder;
    const std::string issuer = "https://login.example";
    const std::string server = "https://gpu.example/mcp";
    const std::string missing =
        "invalid_argument: access tokens need --oauth-issuer and --oauth-resource, and one is "
        "missing; such as --oauth-issuer https://login.example --oauth-resource "
        "https://gpu.example:7411/mcp";
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{"--oauth-issuer", issuer}, missing},
        {{"--oauth-resource", server}, missing},
        {{"--oauth-keys-url", issuer}, missing},
        {{"--oauth-issuer", "login.example", "--oauth-resource", server},
         "invalid_argument: --oauth-issuer is not a URL: login.example; such as "
         "https://login.example/realm"},
        {{"--oauth-issuer", "https://", "--oauth-resource", server},
         "invalid_argument: --oauth-issuer is not a URL: https://; such as "
         "https://login.example/realm"},
        {{"--oauth-issuer", issuer, "--oauth-resource", "https://gpu.example/\"x"},
         "invalid_argument: --oauth-resource is not a URL: https://gpu.example/\"x; such as "
         "https://login.example/realm"},
        {{"--oauth-issuer", "http://login.example", "--oauth-resource", server},
         "invalid_argument: --oauth-issuer must begin with https:// unless it is on this machine: "
         "http://login.example; for tests, use localhost"},
        {{"--oauth-issuer", issuer, "--oauth-resource", server, "--oauth-keys", "/a",
          "--oauth-keys-url", issuer + "/keys"},
         "invalid_argument: --oauth-keys and --oauth-keys-url exclude each other; the keys come "
         "from a file, or from an address"},
        {{"--oauth-issuer", issuer, "--oauth-resource", server, "--oauth-keys", "/nowhere/keys"},
         "io: cannot read /nowhere/keys (open: No such file or directory)"},
        {{"--oauth-issuer", issuer, "--oauth-resource", server, "--oauth-ca", "/nowhere/ca"},
         "io: cannot read /nowhere/ca (open: No such file or directory)"},
    };
    for (const auto& [options, want] : cases) {
      std::vector<std::string> arguments = {"serve",    "--http", "127.0.0.1:0",
                                            "--no-gpu", "--data", folder.path().string()};
      arguments.insert(arguments.end(), options.begin(), options.end());
      const Ended refused = run_program(arguments);
      CHECK(refused.status == 1);
      CHECK(refused.err.ends_with("error server: " + want + "\n"));
    }
  }
}

}  // namespace ws::test
