// `serve` with TLS: the certificate's files, clients that may not come in, and the same service.
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/base/metrics.h"
#include "server/protocol/protocol.h"
#include "tests/support/child.h"
#include "tests/support/local_http.h"
#include "tests/support/raw_http.h"
#include "tests/support/run_program.h"
#include "tests/support/test_bench.h"
#include "tests/support/test_certificates.h"
#include "tests/support/tls_connection.h"

namespace ws::test {
namespace {

using server::Json;
using std::chrono::seconds;

const std::string kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
const std::string kPong = R"({"jsonrpc":"2.0","id":1,"result":{}})";
const std::string kClose = "Connection: close\r\n";

/// A client's answer to a last request, as text: empty where the server takes no such client.
std::string ask_once(int port, const TlsClientOptions& options, const std::string& body = kPing) {
  TlsConnection connection(port, options);
  return connection.connected() && connection.send(post_request(body, kClose)) ? connection.rest()
                                                                               : "";
}

/// `serve` with the files of a folder, on a free port.
struct Served {
  explicit Served(bool asks_clients = false, const std::vector<std::string>& more = {}) {
    files.write(issuer);
    std::vector<std::string> arguments =
        all_arguments({"--tls-cert", files.certificate, "--tls-key", files.key});
    if (asks_clients) {
      arguments.insert(arguments.end(), {"--tls-client-ca", files.ca});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    child = std::make_unique<Child>("warpsmith", arguments);
    const std::string first = line();
    const std::size_t at = first.find("https://127.0.0.1:");
    REQUIRE_MESSAGE(at != std::string::npos, first);
    url = first.substr(at);
    port = std::stoi(url.substr(url.rfind(':') + 1));
    REQUIRE(line().ends_with("info server: TLS 1.3 with " + files.certificate + ", valid until " +
                             kValidUntil + (asks_clients ? "; clients need a certificate" : "")));
  }

  [[nodiscard]] std::vector<std::string> all_arguments(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {
        "serve", "--no-gpu", "--data", (folder.path() / "data").string(), "--http", "127.0.0.1:0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::string line() const { return child->error_line().value_or(""); }

  /// The next refusal in the log, without its time.
  std::string refusal() const {
    for (;;) {
      const std::optional<std::string> next = child->error_line();
      REQUIRE(next.has_value());
      if (next->find(" status=ok ") == std::string::npos) {
        const std::size_t at = next->find("info http: ");
        REQUIRE_MESSAGE(at != std::string::npos, *next);
        return next->substr(at, next->find(" request_id=") - at);
      }
    }
  }

  void end() const {
    child->signal(SIGTERM);
    CHECK(child->wait(seconds(20)) == 0);
  }

  const TestFolder folder;
  const TestIssuer issuer;
  const TlsFolder files{folder.path()};
  std::unique_ptr<Child> child;
  std::string url;
  int port = 0;
};

/// A refusal in the log for which no request is known.
std::string refused(const std::string& reason) {
  return "info http: client=127.0.0.1 status=400 reason=\"" + reason + "\"";
}

/// A server in the test's process, with limits of its own.
struct InProcess {
  explicit InProcess(server::HttpLimits limits = {}) {
    files.write(TestIssuer());
    auto opened = server::TlsContext::open({files.certificate, files.key, ""});
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    http = std::make_unique<LocalHttp>(bench.server(), limits, server::OperatorPages{}, nullptr,
                                       *opened);
  }

  [[nodiscard]] TlsClientOptions trusting() const { return {.ca = files.ca}; }

  const TestBench bench;
  const TestFolder folder;
  const TlsFolder files{folder.path()};
  std::unique_ptr<LocalHttp> http;
};

}  // namespace

TEST_SUITE("serve.tls") {
  TEST_CASE("clients and the commands reach a server over TLS 1.3") {
    const Served served;
    TlsConnection connection(served.port, {.ca = served.files.ca});
    REQUIRE(connection.connected());
    connection.send(post_request(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":)"
        R"("2025-11-25","capabilities":{},"clientInfo":{"name":"ann","version":"1"}}})"));
    CHECK(connection.until("\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(connection.until("}}").find(R"("protocolVersion":"2025-11-25")") != std::string::npos);
    const std::string tools = ask_once(served.port, {.ca = served.files.ca},
                                       R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
    CHECK(tools.find(R"("name":"compile_kernel")") != std::string::npos);

    const Ended jobs =
        run_program({"jobs", "--server", served.url, "--ca", served.files.ca, "--json"});
    CHECK(jobs.out == "{\"jobs\":[]}\n");
    CHECK(jobs.err.empty());
    const Ended devices = run_program(
        {"call", "list_devices", "{}", "--server", served.url, "--ca", served.files.ca});
    CHECK(Json::parse(devices.out)["devices"].size() >= 1);
    const std::string page = served.url.substr(0, served.url.rfind('/')) + "/admin";
    const Ended unknown = run_program({"jobs", "--server", served.url});
    CHECK(unknown.status == 1);
    CHECK(unknown.err == "io: no answer from " + page +
                             " (SSLServerVerification); name its certificate, or that of its "
                             "issuer: --ca FILE; only TLS 1.3 is spoken\n");
    const Ended no_file = run_program({"jobs", "--server", served.url, "--ca", "/nowhere"});
    CHECK(no_file.status == 1);
    CHECK(no_file.err == "io: cannot read /nowhere (open: No such file or directory)\n");
    served.end();
  }

  TEST_CASE("a client without TLS 1.3 is refused, and the log has it once") {
    const Served served;
    CHECK(ask_once(served.port, {.old = true}).empty());
    CHECK(served.refusal() == refused("the TLS handshake failed: unsupported protocol"));
    HttpConnection plain(served.port);
    plain.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const HttpResponse response = plain.receive();
    CHECK(response.status == 400);
    CHECK(Json::parse(response.body)["error"]["message"] ==
          "this port speaks TLS 1.3: use https://");
    CHECK(plain.until("more").empty());
    CHECK(served.refusal() == refused("this port speaks TLS 1.3: use https://"));
    CHECK(ask_once(served.port, {.ca = served.files.ca}).ends_with(kPong));
    CHECK(served.line().find("method=ping") != std::string::npos);
    served.end();
  }

  TEST_CASE("where clients need a certificate, others end in the handshake") {
    const Served served(true);
    const std::string shown = (served.folder.path() / "client.pem").string();
    const std::string key = (served.folder.path() / "client_key.pem").string();
    const auto write = [&](const MadePair& pair) {
      REQUIRE(write_file(shown, pair.certificate));
      REQUIRE(write_file(key, pair.key));
    };
    const TlsClientOptions known = {.ca = served.files.ca, .certificate = shown, .key = key};
    write(served.issuer.issue());
    CHECK(ask_once(served.port, known).ends_with(kPong));
    const std::vector<std::string> jobs = {"jobs", "--server",      served.url,
                                           "--ca", served.files.ca, "--json"};
    std::vector<std::string> with = jobs;
    with.insert(with.end(), {"--client-cert", shown, "--client-key", key});
    CHECK(run_program(with).out == "{\"jobs\":[]}\n");

    CHECK(ask_once(served.port, {.ca = served.files.ca}).empty());
    CHECK(served.refusal() ==
          refused("the TLS handshake failed: peer did not return a certificate"));
    write(TestIssuer().issue());
    CHECK(ask_once(served.port, known).empty());
    CHECK(served.refusal() == refused("the TLS handshake failed: certificate verify failed: "
                                      "unable to get local issuer certificate"));
    write(served.issuer.issue(Validity::kExpired));
    CHECK(ask_once(served.port, known).empty());
    CHECK(served.refusal() == refused("the TLS handshake failed: certificate verify failed: "
                                      "certificate has expired"));
    const Ended without = run_program(jobs);
    CHECK(without.status == 1);
    CHECK(without.err.find("; start it with: warpsmith serve --http HOST:PORT --tls-cert FILE "
                           "--tls-key FILE; where it asks clients for a certificate: "
                           "--client-cert FILE --client-key FILE\n") != std::string::npos);
    served.end();
  }

  TEST_CASE("SIGHUP takes a new certificate, and keeps the old one where the new is broken") {
    const Served served;
    const std::string first_ca = (served.folder.path() / "first.pem").string();
    REQUIRE(write_file(first_ca, served.issuer.pem()));
    TlsConnection kept(served.port, {.ca = first_ca});
    REQUIRE(kept.connected());
    const auto until = [&](const std::string& words) {
      for (;;) {
        const std::string line = served.line();
        REQUIRE_FALSE(line.empty());
        if (line.find(words) != std::string::npos) {
          return line.substr(line.find(words));
        }
      }
    };
    const TestIssuer second;
    served.files.write(second);
    served.child->signal(SIGHUP);
    CHECK(until("the TLS certificate was read again") ==
          "the TLS certificate was read again: TLS 1.3 with " + served.files.certificate +
              ", valid until " + kValidUntil);
    CHECK(ask_once(served.port, {.ca = served.files.ca}).ends_with(kPong));
    CHECK(ask_once(served.port, {.ca = first_ca}).empty());
    kept.send(post_request(kPing));
    CHECK(kept.until(kPong).ends_with(kPong));

    REQUIRE(write_file(served.files.certificate, second.issue().certificate));
    served.child->signal(SIGHUP);
    CHECK(until("the TLS certificate stays") ==
          "the TLS certificate stays as it was: invalid_argument: the TLS key " + served.files.key +
              " does not belong to the TLS certificate " + served.files.certificate +
              "; the server's own certificate comes first in the file, before its issuers'");
    CHECK(ask_once(served.port, {.ca = served.files.ca}).ends_with(kPong));
    served.end();
  }

  TEST_CASE("handshakes that are not finished hold nobody up, and end like heads") {
    const std::string begun("\x16\x03\x01", 3);
    const std::int64_t open = metric_cell(Metric::kHandshakesOpen).value();
    const std::int64_t done = metric_cell(Metric::kHandshakes, {"done"}).value();
    const std::int64_t ended_late = metric_cell(Metric::kHandshakes, {"late"}).value();
    InProcess served({.max_per_address = 16, .head_seconds = 1});
    std::vector<std::unique_ptr<HttpConnection>> waiting;
    for (int i = 0; i < 40; ++i) {
      waiting.push_back(std::make_unique<HttpConnection>(served.http->port()));
      if (i % 2 == 0) {
        waiting.back()->send(begun);
      }
    }
    CHECK(ask_once(served.http->port(), served.trusting()).ends_with(kPong));
    HttpConnection late(served.http->port());
    late.send(begun);
    CHECK(late.until("\n").empty());
    CHECK(metric_cell(Metric::kHandshakes, {"done"}).value() == done + 1);
    CHECK(metric_cell(Metric::kHandshakes, {"late"}).value() > ended_late);
    CHECK(metric_cell(Metric::kHandshakesOpen).value() > open);
    CHECK(metric_cell(Metric::kHalfOpen).value() >= metric_cell(Metric::kHandshakesOpen).value());
    served.http.reset();
    CHECK(metric_cell(Metric::kHandshakesOpen).value() == open);
  }

  TEST_CASE("requests, large bodies and streams are as without TLS") {
    InProcess served;
    TlsConnection connection(served.http->port(), served.trusting());
    REQUIRE(connection.connected());
    connection.send(post_request(kPing) + post_request(kPing));
    connection.until(kPong);
    CHECK(connection.until(kPong).ends_with(kPong));
    const std::string text = std::string(std::size_t{1} << 20U, 'x') + "end";
    const std::string echo = call_line(1, "echo", {{"text", text}});
    CHECK(connection.send(post_request(echo, modern_headers("echo"))));
    CHECK(connection.until("end\"").size() > text.size());
    connection.until("}}");
    const std::string steps = call_line(2, "steps", {{"count", 2}, {"gap_ms", 250}}, "p");
    connection.send(
        post_request(steps, modern_headers("steps") + "Accept: text/event-stream\r\n" + kClose));
    const std::string stream = connection.rest();
    CHECK(stream.find("text/event-stream") != std::string::npos);
    CHECK(stream.find("notifications/progress") != std::string::npos);
    CHECK(stream.ends_with("0\r\n\r\n"));
    CHECK(connection.ended_well());
    TlsConnection large(served.http->port(), served.trusting());
    large.send(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 99999999\r\n\r\n");
    CHECK(large.until("\r\n").starts_with("HTTP/1.1 413 "));
  }

  TEST_CASE("pages of this machine may ask by https, and others may not") {
    InProcess served;
    const auto status = [&](const std::string& headers) {
      TlsConnection connection(served.http->port(), served.trusting());
      connection.send(post_request(kPing, headers + kClose));
      return connection.until("\r\n").substr(0, 12);
    };
    CHECK(status("Origin: https://localhost:" + std::to_string(served.http->port()) + "\r\n") ==
          "HTTP/1.1 200");
    CHECK(status("Origin: https://example.com\r\n") == "HTTP/1.1 403");
  }
}

}  // namespace ws::test
