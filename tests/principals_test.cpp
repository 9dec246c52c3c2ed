// Several principals of one server: their tokens, roles and limits.
#include <map>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/base/test_metrics.h"
#include "runtime/base/viewer.h"
#include "runtime/queue/work_quotas.h"
#include "server/access/gate.h"
#include "server/operate/operation.h"
#include "tests/support/local_http.h"
#include "tests/support/principals_file.h"
#include "tests/support/raw_http.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

using std::chrono::seconds;

HttpResponse ask(int port, const std::string& request) {
  HttpConnection connection(port);
  connection.send(request);
  return connection.receive();
}

/// The message of a JSON-RPC error; empty: there is none.
std::string message_of(const HttpResponse& response) {
  const Json body = Json::parse(response.body, nullptr, false);
  const Json error = body.is_object() ? body.value("error", Json()) : Json();
  return error.is_object() ? error.value("message", "") : "";
}

/// The product's tools behind a port, for a reader, a user and an administrator.
struct Guarded {
  Guarded() {
    for (const char* role : {"read", "use", "admin"}) {
      tokens[role] = made_token(file, std::string("a-") + role, role);
    }
    auto opened = server::Principals::open({}, file);
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    principals = *opened;
    operation = *server::Operation::open(bench.services(), server, "1.2.3");
    http = std::make_unique<LocalHttp>(server, server::HttpLimits{}, operation->pages(),
                                       std::make_shared<server::Gate>(principals));
  }

  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  ~Guarded() { work_quotas().set({}, {}); }

  HttpResponse call(const std::string& role, const std::string& tool, const Json& arguments) {
    return ask(http->port(), post_request(call_line(1, tool, arguments),
                                          modern_headers(tool) + bearer(tokens.at(role))));
  }

  HttpResponse post(const std::string& role, const std::string& body,
                    const std::string& headers = "") {
    return ask(http->port(), post_request(body, headers + bearer(tokens.at(role))));
  }

  HttpResponse order(const std::string& role) {
    const std::string body = R"({"action":"status"})";
    return ask(http->port(), "POST /admin HTTP/1.1\r\nHost: localhost\r\n" +
                                 bearer(tokens.at(role)) +
                                 "Content-Type: application/json\r\nContent-Length: " +
                                 std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  ToolBench bench;
  const std::string file = (bench.folder() / "principals.toml").string();
  std::map<std::string, std::string> tokens;
  server::McpServer server{bench.registry(), talking()};
  std::shared_ptr<server::Principals> principals;
  std::unique_ptr<server::Operation> operation;
  std::unique_ptr<LocalHttp> http;

  static server::McpServer::Options talking() {
    server::McpServer::Options options;
    options.talks = true;
    return options;
  }
};

}  // namespace

TEST_SUITE("principals") {
  TEST_CASE("a reader calls what changes nothing, and is told which role the rest needs") {
    Guarded guarded;
    std::string refused;
    for (const auto* entry : guarded.bench.registry().list()) {
      const std::string name = entry->tool->spec().name;
      const HttpResponse response = guarded.call("read", name, Json::object());
      if (response.status == 403) {
        refused += name + " ";
        CHECK(message_of(response) ==
              "`" + name + "` needs the role `use`; the principal `a-read` has `read`");
      }
      CHECK(guarded.call("use", name, Json::object()).status == 200);
    }
    CHECK(refused ==
          "apply_transformation benchmark compile_kernel evaluate lift_to_ir profile tune validate "
          "verify_ir workflow ");
    const Json job = {{"job_id", "job_00000000000000000000000000000000"}};
    CHECK(guarded.call("read", "job", job).status == 200);
    Json cancel = job;
    cancel["action"] = "cancel";
    CHECK(guarded.call("read", "job", cancel).status == 403);
    CHECK(guarded.call("use", "job", cancel).status == 200);
    CHECK(guarded.call("read", "no_such_tool", Json::object()).status != 403);
  }

  TEST_CASE("only an administrator gives orders, and all see the numbers") {
    Guarded guarded;
    const HttpResponse refused = guarded.order("use");
    CHECK(refused.status == 403);
    CHECK(message_of(refused) ==
          "`/admin` needs the role `admin`; the principal `a-use` has `use`");
    CHECK(guarded.order("read").status == 403);
    CHECK(guarded.order("admin").status == 200);
    guarded.call("read", "validate", Json::object());
    const HttpResponse page =
        ask(guarded.http->port(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\n" +
                                      bearer(guarded.tokens["read"]) + "\r\n");
    REQUIRE(page.status == 200);
    const auto metrics = read_metrics(page.body);
    const auto requests = [&](const std::string& name, const std::string& outcome) {
      return metric_in(metrics, R"(warpsmith_principal_requests_total{principal=")" + name +
                                    R"(",outcome=")" + outcome + R"("})");
    };
    CHECK(requests("a-admin", "admitted") >= 1);
    CHECK(requests("a-read", "admitted") >= 2);
    CHECK(requests("a-read", "denied") >= 1);
    CHECK(requests("a-read", "limited") == 0);
  }

  TEST_CASE("a session and a request belong to the principal that began them") {
    Guarded guarded;
    const HttpResponse begun =
        guarded.post("use", R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
                            R"("protocolVersion":"2025-11-25","capabilities":{},)"
                            R"("clientInfo":{"name":"ann","version":"1"}}})");
    REQUIRE(begun.status == 200);
    const std::string session = "Mcp-Session-Id: " + begun.headers.at("mcp-session-id") + "\r\n";
    const std::string ping = R"({"jsonrpc":"2.0","id":2,"method":"ping"})";
    CHECK(guarded.post("use", ping, session).status == 200);
    const HttpResponse stolen = guarded.post("admin", ping, session);
    CHECK(stolen.status == 404);
    CHECK(message_of(stolen) == "the session has ended; send initialize to begin another");
  }

  TEST_CASE("beyond a principal's requests a minute it is told when to try again") {
    Guarded guarded;
    std::string text = read_file(guarded.file).value_or("");
    text += "requests-per-minute = 2\n";  // The administrator's.
    REQUIRE(write_file(guarded.file, text));
    REQUIRE(guarded.principals->reload());
    const std::string ping = R"({"jsonrpc":"2.0","id":2,"method":"ping"})";
    CHECK(guarded.post("admin", ping).status == 200);
    CHECK(guarded.post("admin", ping).status == 200);
    HttpConnection connection(guarded.http->port());
    // The body never comes: the answer does not wait for it.
    connection.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + bearer(guarded.tokens["admin"]) +
                    "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n");
    const HttpResponse limited = connection.receive();
    CHECK(limited.status == 429);
    CHECK(limited.headers.at("connection") == "close");
    const std::string wait = limited.headers.at("retry-after");
    CHECK(message_of(limited) ==
          "the principal `a-admin` may send 2 requests a minute; try again in " + wait + " s");
    CHECK(guarded.post("use", ping).status == 200);
  }

  TEST_CASE("an address that guesses tokens is told to wait") {
    Guarded guarded;
    REQUIRE(write_file(guarded.file,
                       "failed-logins-per-minute = 1\n" + read_file(guarded.file).value_or("")));
    REQUIRE(guarded.principals->reload());
    const std::string ping = R"({"jsonrpc":"2.0","id":2,"method":"ping"})";
    const auto guess = [&] {
      return ask(guarded.http->port(), post_request(ping, bearer("a-use.0123456789abcdef")));
    };
    CHECK(guess().status == 401);
    const HttpResponse limited = guess();
    CHECK(limited.status == 429);
    CHECK(message_of(limited) ==
          "more than 1 wrong tokens came from this address within a minute; try again in " +
              limited.headers.at("retry-after") + " s");
  }

  TEST_CASE("jobs of a principal have its quota, and name it") {
    Guarded guarded;
    REQUIRE(write_file(guarded.file,
                       read_file(guarded.file).value_or("") + "compile-seconds-per-day = 1\n"));
    REQUIRE(guarded.principals->reload());
    guarded.operation->use_quotas(*guarded.principals);
    JobQueue& queue = *guarded.bench.services().jobs;
    const auto spent = queue.submit({.lanes = {"compile"}, .tool = "t", .caller = {"@a-admin x"}},
                                    [](CallContext& context) -> Result<std::string> {
                                      const auto end =
                                          Clock::now() + std::chrono::milliseconds(1001);
                                      while (Clock::now() < end && !context.stop.stop_requested()) {
                                      }
                                      return std::string("{}");
                                    });
    REQUIRE(spent.has_value());
    REQUIRE(queue.wait(*spent, seconds(20), {}).has_value());
    const HttpResponse response = guarded.call(
        "admin", "compile_kernel", {{"problem", twice_problem()}, {"kernel", good_kernel()}});
    const Json result = Json::parse(response.body)["result"];
    CHECK(result["isError"] == true);
    CHECK(result["content"][0]["text"].get<std::string>().starts_with(
        "busy: the principal `a-admin` has used the 1 compile seconds that it has a day; call "
        "again after 00:00 UTC, or ask the operator of the server for more"));
    CHECK(guarded
              .call("use", "compile_kernel",
                    {{"problem", twice_problem()}, {"kernel", good_kernel()}})
              .status == 200);
  }

  TEST_CASE("a principal that has stored what it may is told so, and reads on") {
    Guarded guarded;
    REQUIRE(
        write_file(guarded.file, read_file(guarded.file).value_or("") + "stored-megabytes = 1\n"));
    REQUIRE(guarded.principals->reload());
    const auto compile = [&guarded] {
      const HttpResponse response = guarded.call(
          "admin", "compile_kernel", {{"problem", twice_problem()}, {"kernel", good_kernel()}});
      return Json::parse(response.body)["result"];
    };
    const Json compiled = compile();
    REQUIRE_FALSE(compiled.value("isError", false));
    {
      const ViewerScope admin(guarded.principals->list().back()->viewer);
      Archive& archive = *guarded.bench.services().archive;
      Json form = twice_problem();
      form["description"] = std::string(900'000, 'x');
      const ProblemRow large{"prb_large", "large", form.dump(), {}};
      REQUIRE(archive.put_problem(large).has_value());
      EvidenceRow row;
      row.kernel_id = compiled["structuredContent"]["kernel_id"];
      row.json = Json(std::string(100'000, 'x')).dump();
      REQUIRE(archive.add_evidence(row).has_value());
    }
    const Json refused = compile();
    CHECK(refused["isError"] == true);
    CHECK(refused["content"][0]["text"].get<std::string>().starts_with(
        "busy: the principal `a-admin` has stored 1.0 MB of the 1.0 MB that it may "
        "(stored-megabytes); ask the operator of the server for more, or to remove what is old: "
        "warpsmith archive gc --principal a-admin"));
    const Json found = Json::parse(
        guarded.call("admin", "search_prior_kernels", {{"query", "twice"}}).body)["result"];
    CHECK_FALSE(found.value("isError", false));
    const HttpResponse page =
        ask(guarded.http->port(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\n" +
                                      bearer(guarded.tokens["read"]) + "\r\n");
    CHECK(metric_in(read_metrics(page.body),
                    R"(warpsmith_principal_stored_bytes{principal="a-admin"})") >= 1'000'000);
  }
}

}  // namespace ws::test
