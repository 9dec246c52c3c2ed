// Sessions of 2025-11-25 over HTTP: the standing stream, and streams that are taken up again.
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/local_http.h"
#include "tests/support/raw_http.h"
#include "tests/support/task_client.h"

namespace ws::test {
namespace {

const std::string kVersion = "MCP-Protocol-Version: 2025-11-25\r\n";
const std::string kStream = "Accept: application/json, text/event-stream\r\n";

std::string call_of(const TaskServer& server, int id, const Json& more) {
  Json message = {
      {"jsonrpc", "2.0"},
      {"id", id},
      {"method", "tools/call"},
      {"params",
       {{"name", "validate"},
        {"arguments", {{"kernel_id", server.kernel()}, {"workloads", {{{"n", 77}}}}}}}}};
  message["params"].update(more);
  return message.dump();
}

/// A header.
std::string begin_session(int port) {
  HttpConnection connection(port);
  connection.send(post_request(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})"));
  return "Mcp-Session-Id: " + connection.receive().headers.at("mcp-session-id") + "\r\n";
}

HttpResponse ask(int port, const std::string& request) {
  HttpConnection connection(port);
  connection.send(request);
  return connection.receive();
}

std::string standing_stream(const std::string& headers) {
  return "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" + headers + "\r\n";
}

/// The message of the next event, without its id where it has one.
struct Event {
  std::string id;
  std::string data;
};

Event next_event(HttpConnection& connection) {
  const std::string text = connection.until("\n\n");
  Event event;
  if (const std::size_t at = text.find("id: "); at != std::string::npos) {
    event.id = text.substr(at + 4, text.find('\n', at) - at - 4);
  }
  const std::size_t data = text.find("data: ");
  REQUIRE_MESSAGE(data != std::string::npos, text);
  event.data = text.substr(data + 6, text.find('\n', data) - data - 6);
  return event;
}

}  // namespace

TEST_SUITE("mcp.sessions") {
  TEST_CASE("the standing stream says how tasks stand, and ends with its session") {
    TaskServer server;
    const LocalHttp http(server.server());
    const std::string session = begin_session(http.port());
    HttpConnection stream(http.port());
    stream.send(standing_stream(session));
    CHECK(stream.until("\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
    server.hold();
    const HttpResponse made =
        ask(http.port(),
            post_request(call_of(server, 1, {{"task", Json::object()}}), kVersion + session));
    const Json task = Json::parse(made.body)["result"]["task"];
    const Json first = Json::parse(next_event(stream).data);
    CHECK(first["method"] == "notifications/tasks/status");
    CHECK(first["params"]["taskId"] == task["taskId"]);
    CHECK(first["params"]["status"] == "working");
    server.let_go();
    std::string status = "working";
    while (status == "working") {
      status = Json::parse(next_event(stream).data)["params"]["status"];
    }
    CHECK(status == "completed");
    const std::string end = "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" + session + "\r\n";
    CHECK(ask(http.port(), end).status == 200);
    CHECK(stream.until("0\r\n\r\n").ends_with("0\r\n\r\n"));
    CHECK(ask(http.port(), end).status == 404);
    CHECK(ask(http.port(), standing_stream(session)).status == 404);
  }

  TEST_CASE("a session of a server before this one goes on, one that has ended does not") {
    TaskServer server;
    const LocalHttp http(server.server());
    const std::string session = "Mcp-Session-Id: from-before\r\n";
    const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    CHECK(ask(http.port(), post_request(ping, kVersion + session)).status == 200);
    const std::string end = "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" + session + "\r\n";
    CHECK(ask(http.port(), end).status == 200);
    CHECK(ask(http.port(), post_request(ping, kVersion + session)).status == 404);
  }

  TEST_CASE("a stream that was lost is taken up again where it was, with what came meanwhile") {
    TaskServer server;
    const LocalHttp http(server.server());
    const std::string session = begin_session(http.port());
    server.hold();
    const std::string call = call_of(server, 7, {{"_meta", {{"progressToken", "p"}}}});
    auto lost = std::make_unique<HttpConnection>(http.port());
    lost->send(post_request(call, kVersion + session + kStream));
    CHECK(lost->until("\r\n\r\n").find("Content-Type: text/event-stream\r\n") != std::string::npos);
    const Event priming = next_event(*lost);
    CHECK(priming.id.ends_with("-0"));
    CHECK(priming.data.empty());
    const Event progress = next_event(*lost);
    CHECK(progress.id.ends_with("-1"));
    CHECK(Json::parse(progress.data) ==
          Json::parse(R"({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
              "progressToken": "p", "progress": 0.0, "total": 1,
              "message": "waits behind 1 job"}})"));
    lost.reset();
    const std::string other = begin_session(http.port());
    HttpConnection stranger(http.port());
    stranger.send(standing_stream(other + "Last-Event-ID: " + progress.id + "\r\n"));
    stranger.until("\r\n\r\n");  // A standing stream of its own: nothing of that call.
    HttpConnection again(http.port());
    again.send(standing_stream(session + "Last-Event-ID: " + progress.id + "\r\n"));
    CHECK(again.until("\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
    server.let_go();
    Json message;
    while (!message.contains("result")) {
      message = Json::parse(next_event(again).data);
    }
    CHECK(message["id"] == 7);
    CHECK(message["result"]["structuredContent"]["verdict"] == "passed");
    CHECK(again.until("0\r\n\r\n").ends_with("0\r\n\r\n"));
    const HttpResponse whole =
        ask(http.port(), standing_stream(session + "Last-Event-ID: " + priming.id + "\r\n"));
    CHECK(
        whole.body.starts_with("id: " + progress.id + "\nevent: message\ndata: " + progress.data));
    CHECK(whole.body.find(message["result"]["structuredContent"]["summary"].get<std::string>()) !=
          std::string::npos);
  }
}

}  // namespace ws::test
