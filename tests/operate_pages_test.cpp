// The pages of a server for those who operate it: readiness, orders, ids of requests.
#include <chrono>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/test_metrics.h"
#include "tests/support/operated.h"
#include "tests/support/test_bench.h"

namespace ws::test {

TEST_SUITE("operate.pages") {
  TEST_CASE("a server is ready until it drains, and says which it is") {
    OperatedServer operated;
    const HttpResponse ready = get_from(operated.port(), "/ready");
    CHECK(ready.status == 200);
    CHECK(ready.body == R"({"status":"ready"})");
    operated.drain();
    const HttpResponse draining = get_from(operated.port(), "/ready");
    CHECK(draining.status == 503);
    CHECK(draining.headers.at("retry-after") == "5");
    CHECK(draining.body == R"({"reason":"the server is stopping","status":"not ready"})");
    CHECK(get_from(operated.port(), "/health").status == 200);
    const HttpResponse refused =
        ask_server(operated.port(), post_request(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"));
    CHECK(refused.status == 503);
    CHECK(refused.headers.at("retry-after") == "5");
    CHECK(Json::parse(refused.body)["error"]["message"] ==
          "busy: the server is stopping and takes no new requests; send it again to the next one");
    CHECK(metric_in(operated.metrics(), "warpsmith_draining") == 1);
  }

  TEST_CASE("a server that cannot write its archive is not ready, and is again when it can") {
    OperatedServer operated;
    auto archive =
        Connection::open((operated.folder() / "archive.db").string(), /*read_only=*/false);
    REQUIRE(archive.has_value());
    REQUIRE(archive->execute("ALTER TABLE settings RENAME TO gone").has_value());
    const HttpResponse unready = get_from(operated.port(), "/ready");
    CHECK(unready.status == 503);
    CHECK(unready.body ==
          R"({"reason":"the archive cannot be written; the log says why","status":"not ready"})");
    REQUIRE(archive->execute("ALTER TABLE gone RENAME TO settings").has_value());
    int status = 0;
    for (int i = 0; i < 500 && status != 200; ++i) {  // It looks once a second.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      status = get_from(operated.port(), "/ready").status;
    }
    CHECK(status == 200);
  }

  TEST_CASE("pages are refused as other requests are, and there are none without an operator") {
    OperatedServer operated;
    const int port = operated.port();
    const std::string evil = "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    CHECK(ask_server(port, evil).status == 403);
    const HttpResponse posted =
        ask_server(port, "POST /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(posted.status == 405);
    CHECK(posted.headers.at("allow") == "GET");
    CHECK(Json::parse(posted.body)["error"]["message"] == "only GET is allowed here");
    const HttpResponse got = get_from(port, "/admin");
    CHECK(got.status == 405);
    CHECK(Json::parse(got.body)["error"]["message"] ==
          "only POST is allowed here: an order as a JSON object");
    const TestBench bench;
    const LocalHttp bare(bench.server());
    for (const char* path : {"/metrics", "/ready", "/admin"}) {
      CHECK(get_from(bare.port(), path).status == 404);
    }
  }

  TEST_CASE("orders that make no sense are refused in words") {
    OperatedServer operated;
    const int port = operated.port();
    const Json none = Json::parse(send_order(port, Json::array()).body);
    CHECK(none["error"] ==
          R"(invalid_argument: the body must be a JSON object; such as {"action": "status"})");
    const HttpResponse dance = send_order(port, {{"action", "dance"}});
    CHECK(dance.status == 400);
    CHECK(Json::parse(dance.body)["error"] ==
          R"(invalid_argument: no such order; use {"action": "status"} or )"
          R"({"action": "cancel", "job_id": "job_..."})");
    const HttpResponse missing = send_order(port, {{"action", "cancel"}, {"job_id", "job_0"}});
    CHECK(missing.status == 404);
    CHECK(Json::parse(missing.body)["error"] ==
          "not_found: no job `job_0`; job ids come from a result with status running; ended jobs "
          "are kept for 24 h");
  }

  TEST_CASE("each answer names its request") {
    OperatedServer operated;
    const int port = operated.port();
    const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    CHECK(ask_server(port, post_request(ping, "X-Request-Id: mine-1\r\n"))
              .headers.at("x-request-id") == "mine-1");
    CHECK(ask_server(port, post_request(ping)).headers.at("x-request-id").size() == 16);
    CHECK(get_from(port, "/nothing", "X-Request-Id: mine-2\r\n").headers.at("x-request-id") ==
          "mine-2");
    CHECK(get_from(port, "/health", "X-Request-Id: mine-3\r\n").headers.at("x-request-id") ==
          "mine-3");
    CHECK(get_from(port, "/ready", "X-Request-Id: mine-4\r\n").headers.at("x-request-id") ==
          "mine-4");
    CHECK(ask_server(port, "nonsense\r\n\r\n").headers.at("x-request-id").size() == 16);
  }
}

}  // namespace ws::test
