#include "server/transport/http_reply.h"

#include <doctest/doctest.h>
#include <zlib.h>

namespace ws::server {
namespace {

struct AcceptCase {
  const char* text;
  bool gzip;
};

constexpr AcceptCase kAccepts[] = {
    {"gzip", true},
    {"br, gzip", true},
    {"deflate,gzip;q=0.5", true},
    {"*", true},
    {"gzip;q=1.0", true},
    {"", false},
    {"br", false},
    {"gzip;q=0", false},
    {"xgzip", false},
    {"gzip; q=0.0", false},
    {"identity", false},
};

std::string unpacked(std::string bytes) {
  std::string text(100000, '\0');
  z_stream stream{};
  REQUIRE(::inflateInit2(&stream, 15 + 16) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  CHECK(::inflate(&stream, Z_FINISH) == Z_STREAM_END);
  text.resize(stream.total_out);
  ::inflateEnd(&stream);
  return text;
}

}  // namespace

TEST_SUITE("server.http_reply") {
  TEST_CASE("gzip is used where it is taken and pays") {
    for (const AcceptCase& c : kAccepts) {
      CAPTURE(c.text);
      CHECK(accepts_gzip(c.text) == c.gzip);
    }
    HttpReply small{.body = std::string(1000, 'x')};
    pack(small, "gzip");
    CHECK(small.headers.empty());
    std::string text;
    for (int i = 0; i < 2000; ++i) {
      text += std::to_string(i) + ",";
    }
    HttpReply large{.body = text};
    pack(large, "gzip");
    CHECK(large.headers.size() == 2);
    CHECK(large.body.size() < text.size() / 2);
    CHECK(unpacked(large.body) == text);
  }

  TEST_CASE("a response says how its body ends, and whether the connection stays") {
    const HttpReply reply{.status = 404, .headers = {{"Allow", "POST"}}, .body = "{}"};
    CHECK(response_bytes(reply, {.idle_seconds = 15}) ==
          "HTTP/1.1 404 Not Found\r\nAllow: POST\r\nContent-Type: application/json\r\n"
          "Content-Length: 2\r\nKeep-Alive: timeout=15\r\n\r\n{}");
    CHECK(response_bytes(reply, {.keep_alive = false, .without_body = true}) ==
          "HTTP/1.1 404 Not Found\r\nAllow: POST\r\nContent-Type: application/json\r\n"
          "Content-Length: 2\r\nConnection: close\r\n\r\n");
    CHECK(response_bytes({.content_type = "text/event-stream"},
                         {.end = HttpEnd::kChunks, .idle_seconds = 15}) ==
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
          "Keep-Alive: timeout=15\r\n\r\n");
    CHECK(response_bytes({.status = 202}, {.idle_seconds = 15}) ==
          "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nKeep-Alive: timeout=15\r\n\r\n");
    CHECK(response_bytes({.status = 304, .headers = {{"ETag", "W/\"a\""}}}, {.idle_seconds = 15}) ==
          "HTTP/1.1 304 Not Modified\r\nETag: W/\"a\"\r\nKeep-Alive: timeout=15\r\n\r\n");
    CHECK(chunk_bytes("0123456789abcdef") == "10\r\n0123456789abcdef\r\n");
  }
}

}  // namespace ws::server
