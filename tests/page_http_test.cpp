// The page to look at behind a port: who gets it, with and without a token; `warpsmith view`.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "tests/support/child.h"
#include "tests/support/raw_http.h"
#include "tests/support/run_program.h"
#include "tests/support/test_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

using std::chrono::seconds;

HttpResponse answer_of(int port, const std::string& request) {
  HttpConnection connection(port);
  connection.send(request);
  return connection.receive();
}

HttpResponse page_at(int port, const std::string& target, const std::string& headers = "") {
  return answer_of(port, "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
}

/// An archive with a kernel, made before the program starts.
struct Folder {
  Folder()
      : kernel(bench.compiled(twice_problem(), good_kernel())) {}

  [[nodiscard]] std::string path() const { return bench.services().options.data_dir.string(); }

  ToolBench bench;
  std::string kernel;
};

/// `warpsmith view` for a folder.
struct Viewer {
  explicit Viewer(const std::string& folder)
      : child("warpsmith", {"view", "--data", folder}) {
    const std::string line = child.line().value_or("");
    REQUIRE(line.starts_with("http://127.0.0.1:"));
    port = std::stoi(line.substr(std::string("http://127.0.0.1:").size()));
  }

  Child child;
  int port = 0;
};

/// A server without a token.
struct PageServing {
  explicit PageServing(std::vector<std::string> options)
      : child("warpsmith", started(std::move(options))) {
    const std::string line = child.error_line().value_or(":0/mcp");
    port = std::stoi(line.substr(line.rfind(':', line.find("/mcp")) + 1));
  }

  static std::vector<std::string> started(std::vector<std::string> options) {
    options.insert(options.begin(), {"serve", "--http", "127.0.0.1:0", "--no-gpu"});
    return options;
  }

  [[nodiscard]] Json call(const std::string& tool, const Json& arguments) const {
    const HttpResponse response =
        answer_of(port, post_request(call_line(1, tool, arguments), modern_headers(tool)));
    return Json::parse(response.body)["result"]["structuredContent"];
  }

  Child child;
  int port = 0;
};

/// The data of the next event, which has this name. Each is one chunk of the answer.
Json next_event(HttpConnection& page, const std::string& name) {
  page.until("event: ");
  REQUIRE(page.until("\n") == name + "\n");
  page.until("data: ");
  return Json::parse(page.until("\n"));
}

struct ViewRefusal {
  const char* request;
  int status;
  const char* error;
};

// clang-format off
constexpr ViewRefusal kViewRefusals[] = {
    {"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403,
     "the Host header must be localhost, 127.0.0.1 or [::1]: this server answers this machine only"},
    {"GET /page/data/problems HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n", 403,
     "requests from web pages of other origins are refused"},
    {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 404,
     "there is nothing here; the page is at /"},
    {"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 404, "there is nothing here; the page is at /"},
    {"POST /page/data/problems HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", 405,
     "only GET is allowed here"},
};
// clang-format on

}  // namespace

TEST_SUITE("page") {
  TEST_CASE("a server shows the page, and with a token its data only to those who show it") {
    const Folder folder;
    const std::string token = folder.path() + "/token";
    REQUIRE(write_file(token, "0123456789abcdef\n"));
    REQUIRE(::chmod(token.c_str(), 0600) == 0);
    Child server("warpsmith", {"serve", "--http", "127.0.0.1:0", "--no-gpu", "--token-file", token,
                               "--data", folder.path()});
    const std::string line = server.error_line().value_or(":0/mcp");
    const int port = std::stoi(line.substr(line.rfind(':', line.find("/mcp")) + 1));
    const std::string shown = "Authorization: Bearer 0123456789abcdef\r\n";
    CHECK(page_at(port, "/").status == 200);
    CHECK(page_at(port, "/page/assets/main.js").status == 200);
    for (const char* path :
         {"/page/data/problems", "/page/plain", "/page/data/devices", "/page/"}) {
      CAPTURE(std::string(path));
      CHECK(page_at(port, path).status == 401);
      CHECK(page_at(port, path, "Authorization: Bearer 0123456789abcdeX\r\n").status == 401);
      CHECK(page_at(port, path, shown).status == (std::string(path) == "/page/" ? 404 : 200));
    }
    const Json devices = Json::parse(page_at(port, "/page/data/devices", shown).body);
    CHECK(devices["running"] == true);
    CHECK(devices["devices"][0]["id"] == "cpu:0");
    HttpConnection page(port);
    page.send("GET /page/events HTTP/1.1\r\nHost: localhost\r\n" + shown + "\r\n");
    CHECK(next_event(page, "devices")[0]["id"] == "cpu:0");
    const Json work = next_event(page, "work");
    CHECK(work["jobs"] == Json::array());
    CHECK(work["lanes"].size() >= 2);
  }

  TEST_CASE("a page that is open is told of a job that is queued, and of its end") {
    Folder folder;
    const std::string hanging = folder.bench.compiled(
        twice_problem(),
        twice_kernel("  volatile int* p = y;\n  while (i < 64 && p[0] != 12345) {}"));
    PageServing server({"--data", folder.path()});
    HttpConnection page(server.port);
    page.send("GET /page/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string head = page.until("\r\n\r\n");
    CHECK(head.find("Content-Type: text/event-stream\r\n") != std::string::npos);
    CHECK(head.find("Cache-Control: no-store\r\n") != std::string::npos);
    CHECK(next_event(page, "devices").size() == 1);
    CHECK(next_event(page, "work")["jobs"] == Json::array());
    const Json begun =
        server.call("validate", {{"kernel_id", hanging}, {"fresh", true}, {"wait_ms", 0}});
    const std::string id = begun["job_id"];
    const auto has_job = [&](const Json& work) {
      return !work["jobs"].empty() && work["jobs"][0]["job_id"] == id;
    };
    Json work = next_event(page, "work");
    while (!has_job(work)) {  // Another one may come first: that of a compiler.
      work = next_event(page, "work");
    }
    CHECK(work["jobs"][0]["tool"] == "validate");
    CHECK_FALSE(work["jobs"][0].contains("client"));
    CHECK(server.call("job", {{"job_id", id}, {"action", "cancel"}})["status"] == "cancelled");
    while (!work["jobs"].empty()) {
      work = next_event(page, "work");
    }
    server.child.signal(SIGTERM);
    CHECK(page.until("\r\n0\r\n\r\n").ends_with("0\r\n\r\n"));
    CHECK(server.child.wait(seconds(20)) == 0);
  }

  TEST_CASE("a HEAD of the events has their head, and no stream") {
    const Folder folder;
    PageServing server({"--data", folder.path()});
    const HttpResponse head = answer_of(
        server.port, "HEAD /page/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    CHECK(head.status == 200);
    CHECK(head.body.empty());
  }

  TEST_CASE("view shows a folder on loopback, and nothing else") {
    const Folder folder;
    Viewer viewer(folder.path());
    const HttpResponse page = page_at(viewer.port, "/");
    CHECK(page.status == 200);
    CHECK(page.headers.at("content-type") == "text/html; charset=utf-8");
    const Json kernel =
        Json::parse(page_at(viewer.port, "/page/data/kernel/" + folder.kernel).body);
    CHECK(kernel["id"] == folder.kernel);
    const HttpResponse head =
        answer_of(viewer.port, "HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    CHECK(head.headers.at("content-length") == std::to_string(page.body.size()));
    HttpConnection kept(viewer.port);
    kept.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(kept.until("\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
    kept.send("GET /page/assets/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(kept.until("\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
    const HttpResponse posted =
        answer_of(viewer.port, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    CHECK(posted.headers.at("allow") == "GET, HEAD");
    for (const ViewRefusal& c : kViewRefusals) {
      CAPTURE(std::string(c.request));
      const HttpResponse response = answer_of(viewer.port, c.request);
      CHECK(response.status == c.status);
      CHECK(Json::parse(response.body) == Json{{"error", c.error}});
    }
    viewer.child.signal(SIGTERM);
    CHECK(viewer.child.wait(seconds(10)) == 0);
  }

  TEST_CASE("a folder that is being written or moved is shown as it was") {
    const Folder folder;
    Viewer viewer(folder.path());
    const std::string before = page_at(viewer.port, "/page/data/problems").body;
    CHECK(Json::parse(before)["rows"].size() == 1);
    auto writer = Connection::open(folder.path() + "/archive.db", false);
    REQUIRE(writer.has_value());
    REQUIRE(writer->execute("BEGIN EXCLUSIVE").has_value());
    REQUIRE(writer->execute("DELETE FROM kernels").has_value());
    CHECK(page_at(viewer.port, "/page/data/problems").body == before);
    REQUIRE(writer->execute("ROLLBACK").has_value());
    std::filesystem::rename(folder.path(), folder.path() + ".moved");
    CHECK(page_at(viewer.port, "/page/data/problems").body == before);
    std::filesystem::rename(folder.path() + ".moved", folder.path());
  }

  TEST_CASE("view needs an archive, and makes none") {
    const TestFolder folder;
    const Ended ended = run_program({"view", "--data", folder.path().string()});
    CHECK(ended.status == 1);
    CHECK(ended.err == "not_found: there is no archive in " + folder.path().string() +
                           "; name the data folder of a server with --data DIR\n");
    CHECK(std::filesystem::is_empty(folder.path()));
  }

  TEST_CASE("the whole page is small") {
    const Folder folder;
    const Viewer viewer(folder.path());
    std::size_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(WS_SOURCE_DIR "/web")) {
      const std::string name = file.path().filename().string();
      const std::string target = name == "index.html" ? "/" : "/page/assets/" + name;
      const HttpResponse part = page_at(viewer.port, target, "Accept-Encoding: gzip\r\n");
      CAPTURE(name);
      CHECK(part.status == 200);
      bytes += part.body.size();
    }
    CHECK(bytes < std::size_t{400} << 10U);
  }
}

}  // namespace ws::test
