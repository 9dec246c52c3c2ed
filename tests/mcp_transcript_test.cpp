// Runs tests/golden/mcp/*.txt against the protocol core.
//
//   # a comment            @ Name: value   this message comes over HTTP, with this MCP header
//   > a message            < a notification or a reply; over HTTP the status stands before it
//
// In requests <meta> stands for the modern envelope, <deep:N> for N arrays in one another, <fill:N>
// for N letters and <byte:XX> for one byte. In replies <instructions> stands for that long text.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "server/protocol/instructions.h"
#include "tests/support/golden.h"
#include "tests/support/test_bench.h"

namespace ws {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

std::string expand(std::string text) {
  replace_all(text, "<meta>", modern_meta());
  std::smatch found;
  while (std::regex_search(text, found, std::regex("<(deep|fill|byte):([0-9a-f]+)>"))) {
    const std::string kind = found[1];
    const auto number =
        static_cast<std::size_t>(std::stoul(found[2], nullptr, kind == "byte" ? 16 : 10));
    std::string value(kind == "byte" ? 1 : number, kind == "deep" ? '[' : 'x');
    if (kind == "byte") {
      value[0] = static_cast<char>(number);
    }
    value += kind == "deep" ? std::string(number, ']') : "";
    text = found.prefix().str() + value + found.suffix().str();
  }
  return text;
}

std::string shorten(std::string text) {
  replace_all(text, Json(server::instructions()).dump(), "\"<instructions>\"");
  return text;
}

struct HttpPart {
  bool used = false;
  server::McpHeaders headers;
};

void read_header(const std::string& line, HttpPart& http) {
  http.used = true;
  if (line == "@") {
    return;
  }
  const std::size_t colon = line.find(": ");
  const std::string name = line.substr(2, colon - 2);
  REQUIRE_MESSAGE(colon != std::string::npos, "not a header: " << line);
  const std::string value = line.substr(colon + 2);
  if (name == "MCP-Protocol-Version") {
    http.headers.version = value;
  } else if (name == "Mcp-Method") {
    http.headers.method = value;
  } else if (name == "Mcp-Name") {
    http.headers.name = value;
  } else {
    FAIL("not an MCP header: " << line);
  }
}

std::string exchange(TestBench& bench, const std::string& request, const HttpPart& http) {
  bench.notified.clear();
  const std::string text = expand(request);
  const server::Reply reply = http.used ? bench.send_http(text, http.headers) : bench.send(text);
  std::string out;
  for (const std::string& line : bench.notified) {
    out += "< " + line + "\n";
  }
  const std::string status = http.used ? std::to_string(reply.http_status) : "";
  if (reply.body.empty()) {
    return out + "< " + (http.used ? status : "(nothing)") + "\n";
  }
  return out + "< " + status + (http.used ? " " : "") + shorten(reply.body) + "\n";
}

/// The transcript with every reply replaced by what the server says now.
std::string replay(const std::string& transcript) {
  TestBench bench;
  HttpPart http;
  std::string out;
  std::istringstream lines(transcript);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("<")) {
      continue;
    }
    out += line + "\n";
    if (line.starts_with("@")) {
      read_header(line, http);
    } else if (line.starts_with("> ")) {
      out += exchange(bench, line.substr(2), http);
      http = {};
    }
  }
  return out;
}

}  // namespace

TEST_SUITE("mcp.transcripts") {
  TEST_CASE("each transcript replays as it was recorded") {
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_dir() / "tests/golden/mcp")) {
      CAPTURE(entry.path().filename().string());
      const auto transcript = read_file(entry.path());
      REQUIRE(transcript.has_value());
      check_golden("tests/golden/mcp" / entry.path().filename(), replay(*transcript));
      ++count;
    }
    CHECK(count >= 5);
  }
}

}  // namespace ws
