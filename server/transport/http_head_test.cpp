#include "server/transport/http_head.h"

#include <doctest/doctest.h>

#include "server/transport/http_body.h"

namespace ws::server {
namespace {

/// "METHOD PATH, what else it says" or "STATUS message".
std::string read(const std::string& bytes) {
  const auto size = head_size(bytes);
  if (!size) {
    return std::to_string(size.error().status) + " " + size.error().message;
  }
  if (*size == 0) {
    return "more";
  }
  const auto head = parse_head(std::string_view(bytes).substr(0, *size));
  if (!head) {
    return std::to_string(head.error().status) + " " + head.error().message;
  }
  return head->method + " " + head->path + (head->keep_alive ? "" : ", close") +
         (head->chunked ? ", chunked" : "") +
         (head->length ? ", " + std::to_string(*head->length) : "") +
         (head->expects_continue ? ", continue" : "");
}

struct HeadCase {
  const char* bytes;
  const char* want;
};

// clang-format off
constexpr HeadCase kHeads[] = {
    {"", "more"},
    {"POST /mcp HTTP/1.1\r\nHost: a\r\n", "more"},
    {"POST /mcp HTTP/1.1\r\n\r\n", "POST /mcp"},
    {"\r\nPOST /mcp HTTP/1.1\r\n\r\nrest", "POST /mcp"},
    {"GET /mcp?token=x#y HTTP/1.1\r\n\r\n", "GET /mcp"},
    {"GET / HTTP/1.0\r\n\r\n", "GET /, close"},
    {"GET / HTTP/1.1\r\nConnection: TE, Close\r\n\r\n", "GET /, close"},
    {"POST / HTTP/1.1\r\ncontent-LENGTH: \t12 \r\n\r\n", "POST /, 12"},
    {"POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n", "POST /, chunked"},
    {"POST / HTTP/1.1\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n", "POST /, 1, continue"},
    {"POST / HTTP/1.1\r\nAccept: a\r\nAccept: b\r\nX-Y: 1\r\nX-Y: 1\r\n\r\n", "POST /"},
    {"OPTIONS * HTTP/1.1\r\n\r\n", "OPTIONS *"},
    {"GET / HTTP/9.9\r\n\r\n", "505 this server speaks HTTP/1.1"},
    {"PRI * HTTP/2.0\r\n\r\n", "505 this server speaks HTTP/1.1"},
    {"GET / http/1.1\r\n\r\n", "400 this server speaks HTTP/1.1"},
    {"GET /\r\n\r\n", "400 the request line must be METHOD PATH HTTP/1.1"},
    {"GET  / HTTP/1.1\r\n\r\n", "400 the request line must be METHOD PATH HTTP/1.1"},
    {"GET /a b HTTP/1.1\r\n\r\n", "400 the request line must be METHOD PATH HTTP/1.1"},
    {"G(T / HTTP/1.1\r\n\r\n", "400 the request line must be METHOD PATH HTTP/1.1"},
    {"\x16\x03\x01 \r\n\r\n", "400 the request line must be METHOD PATH HTTP/1.1"},
    {"\r\n\r\nGET / HTTP/1.1\r\n\r\n", "400 the request line must be METHOD PATH HTTP/1.1"},
    {"GET http://localhost/ HTTP/1.1\r\n\r\n", "400 the request's target must be a path"},
    {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", "400 a header must be NAME: VALUE on one line, without a space before the colon"},
    {"GET / HTTP/1.1\r\nHost\r\n\r\n", "400 a header must be NAME: VALUE on one line, without a space before the colon"},
    {"GET / HTTP/1.1\r\nX: a\r\n b: c\r\n\r\n", "400 a header must be NAME: VALUE on one line, without a space before the colon"},
    {"GET / HTTP/1.1\r\n: a\r\n\r\n", "400 a header must be NAME: VALUE on one line, without a space before the colon"},
    {"GET / HTTP/1.1\r\nX: a\nContent-Length: 2\r\n\r\n", "400 a header's value has a control character"},
    {"GET / HTTP/1.1\r\nX: a\rb\r\n\r\n", "400 a header's value has a control character"},
    {"GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", "400 the header host is there twice"},
    {"GET / HTTP/1.1\r\nOrigin: a\r\nOrigin: b\r\n\r\n", "400 the header origin is there twice"},
    {"GET / HTTP/1.1\r\nMcp-Name: a\r\nMcp-Name: b\r\n\r\n", "400 the header mcp-name is there twice"},
    {"GET / HTTP/1.1\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n", "400 the header authorization is there twice"},
    {"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n", "400 the header content-length is there twice"},
    {"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", "400 a request has a Content-Length or a Transfer-Encoding, not both"},
    {"POST / HTTP/1.1\r\nContent-Length: abc\r\n\r\n", "400 the Content-Length must be a number"},
    {"POST / HTTP/1.1\r\nContent-Length: 0x5b\r\n\r\n", "400 the Content-Length must be a number"},
    {"POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n", "400 the Content-Length must be a number"},
    {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400 the Content-Length must be a number"},
    {"POST / HTTP/1.1\r\nContent-Length: 0, 5\r\n\r\n", "400 the Content-Length must be a number"},
    {"POST / HTTP/1.1\r\nContent-Length: \r\n\r\n", "400 the Content-Length must be a number"},
    {"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", "400 the Content-Length must be a number"},
    {"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "400 the only Transfer-Encoding is `chunked`, in HTTP/1.1"},
    {"POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n", "400 the only Transfer-Encoding is `chunked`, in HTTP/1.1"},
    {"POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n", "400 the only Transfer-Encoding is `chunked`, in HTTP/1.1"},
    {"POST / HTTP/1.1\r\nTransfer-Encoding:\r\n\r\n", "400 the only Transfer-Encoding is `chunked`, in HTTP/1.1"},
    {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "400 the only Transfer-Encoding is `chunked`, in HTTP/1.1"},
    {"POST / HTTP/1.1\r\nExpect: money\r\n\r\n", "417 the only Expect is `100-continue`"},
};

struct BodyCase {
  const char* bytes;
  const char* want;  ///< The text, "more", "too large" or "broken".
  std::size_t taken;
};

constexpr BodyCase kChunks[] = {
    {"5\r\nhello\r\n0\r\n\r\nPOST", "hello", 15},
    {"2\r\nhe\r\n3;a=\"b\"\r\nllo\r\n0\r\nTrailer: x\r\n\r\n", "hello", 38},
    {"0\r\n\r\n", "", 5},
    {"00a \r\n0123456789\r\n0\r\n\r\n", "0123456789", 23},
    {"5\r\nhel", "more", 6},
    {"b\r\n", "too large", 3},
    {"ffffffffffffffff\r\n", "too large", 18},
    {"10000000000000000\r\n", "broken", 19},
    {"5\nhello", "broken", 2},
    {"-1\r\n", "broken", 4},
    {"0x5\r\n", "broken", 5},
    {"\r\n", "broken", 2},
    {"5\r\nhello!\r\n", "broken", 11},
    {"5\r\nhello\r\r\n", "broken", 11},
};
// clang-format on

std::string read_body(HttpBody& body, std::string_view bytes, std::size_t step,
                      std::size_t& taken) {
  taken = 0;
  while (taken < bytes.size() && body.state() == HttpBody::State::kMore) {
    taken += body.take(bytes.substr(taken, step));
  }
  switch (body.state()) {
    case HttpBody::State::kMore:
      return "more";
    case HttpBody::State::kTooLarge:
      return "too large";
    case HttpBody::State::kBroken:
      return "broken";
    case HttpBody::State::kWhole:
      break;
  }
  return body.text();
}

}  // namespace

TEST_SUITE("server.http_head") {
  TEST_CASE("a head is read in one way only, or refused") {
    for (const HeadCase& c : kHeads) {
      CAPTURE(c.bytes);
      CHECK(read(c.bytes) == c.want);
    }
  }

  TEST_CASE("a head is refused as soon as it is too long, whole or not") {
    CHECK(read(std::string(kMaxRequestLine, 'x')) == "more");
    CHECK(read(std::string(kMaxRequestLine + 1, 'x')) ==
          "414 the request line is longer than 8 KiB");
    const std::string line = "GET / HTTP/1.1\r\n";
    CHECK(read(line + "X: " + std::string(kMaxHeaderBytes, 'x')) ==
          "431 more than 100 headers, or more than 64 KiB of them");
    CHECK(read(line + "X: " + std::string(kMaxHeaderBytes, 'x') + "\r\n\r\n") ==
          "431 more than 100 headers, or more than 64 KiB of them");
    std::string many = line;
    for (std::size_t i = 0; i < kMaxHeaders; ++i) {
      many += "X: 1\r\n";
    }
    CHECK(read(many + "\r\n") == "GET /");
    CHECK(read(many + "X: 1\r\n\r\n") == "431 more than 100 headers, or more than 64 KiB of them");
  }

  TEST_CASE("a target is parted into path and query; a fragment belongs to neither") {
    const auto head = parse_head("GET /a/b?c=d?e#f?g HTTP/1.1\r\n\r\n");
    REQUIRE(head.has_value());
    CHECK(head->path == "/a/b");
    CHECK(head->query == "c=d?e");
    const auto bare = parse_head("GET /a#b?c HTTP/1.1\r\n\r\n");
    REQUIRE(bare.has_value());
    CHECK(bare->path == "/a");
    CHECK(bare->query.empty());
  }

  TEST_CASE("headers are found by their names, and those of several are joined") {
    const std::string bytes =
        "GET / HTTP/1.1\r\nACCEPT: a\r\nX-Empty:\r\naccept: b\r\nHost:\t h \r\n\r\n";
    const auto head = parse_head(bytes);
    REQUIRE(head.has_value());
    CHECK(head->header("accept") == "a, b");
    CHECK(head->header("host") == "h");
    CHECK(head->header("x-empty") == "");
    CHECK_FALSE(head->header("origin").has_value());
  }

  TEST_CASE("chunks are put together wherever the reads fall, or refused") {
    for (const BodyCase& c : kChunks) {
      for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
        CAPTURE(c.bytes);
        CAPTURE(step);
        HttpBody body(std::nullopt, 10);
        std::size_t taken = 0;
        CHECK(read_body(body, c.bytes, step, taken) == c.want);
        CHECK(taken == c.taken);
      }
    }
  }

  TEST_CASE("a chunk's line and the trailers are refused when they do not end") {
    for (const std::string& start : {std::string(), std::string("5;"), std::string("0\r\nX: ")}) {
      CAPTURE(start);
      HttpBody body(std::nullopt, 10);
      std::size_t taken = 0;
      CHECK(read_body(body, start + std::string(1000, '1'), 100, taken) == "broken");
    }
    HttpBody body(std::nullopt, 10);
    std::size_t taken = 0;
    std::string trailers = "0\r\n";
    for (int i = 0; i < 1000; ++i) {
      trailers += "X: " + std::string(100, 'x') + "\r\n";
    }
    CHECK(read_body(body, trailers, 1000, taken) == "broken");
  }

  TEST_CASE("a body of a known length takes that, and no more") {
    std::size_t taken = 0;
    HttpBody body(5, 10);
    CHECK(read_body(body, "helloPOST", 4, taken) == "hello");
    CHECK(taken == 5);
    CHECK(HttpBody(11, 10).state() == HttpBody::State::kTooLarge);
    CHECK(HttpBody(0, 10).state() == HttpBody::State::kWhole);
  }
}

}  // namespace ws::server
