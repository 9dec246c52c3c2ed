#include "server/transport/http_checks.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "server/protocol/envelope.h"

namespace ws::server {
namespace {

struct NameCase {
  const char* text;
  bool local;
};

constexpr NameCase kHosts[] = {
    {"localhost", true},
    {"LOCALHOST:80", true},
    {"127.0.0.1:7411", true},
    {"[::1]", true},
    {"[::1]:7411", true},
    {"", false},
    {"localhost.evil.example", false},
    {"127.0.0.1.nip.example", false},
    {"127.0.0.2", false},
    {"evil.example:7411", false},
    {"localhost:port", false},
    {"localhost:", false},
    {"localhost:99999", false},
    {"[::1].evil.example", false},
    {"::1", false},
    {"localhost@evil.example", false},
};

constexpr NameCase kOrigins[] = {
    {"http://localhost", true},
    {"https://localhost:3000", true},
    {"http://[::1]:1", true},
    {"null", false},
    {"", false},
    {"localhost", false},
    {"http://evil.example", false},
    {"file://localhost", false},
    {"http://localhost.evil.example", false},
    {"http://localhost/path", false},
};

/// A request for the page of a server that others can reach, as far as its origin goes.
struct OwnOrigin {
  const char* host;
  const char* origin;
  bool taken;
};

constexpr OwnOrigin kOwnOrigins[] = {
    {"gpu.example:7411", "http://gpu.example:7411", true},
    {"GPU.example", "https://gpu.example", true},
    {"gpu.example:7411", "http://localhost:3000", true},
    {"gpu.example:7411", "http://gpu.example", false},
    {"gpu.example:7411", "http://evil.example:7411", false},
    {"gpu.example:7411", "gpu.example:7411", false},
    {"gpu.example", "null", false},
};

struct ListenCase {
  const char* text;
  const char* without_token;  ///< "host port", or the error.
  const char* with_token;     ///< The same, and "beyond loopback" where it is.
};

#define WS_REFUSED(host)                                                                 \
  "invalid_argument: refusing to listen on " host                                        \
  " without a token: other machines could run kernels here; set "                        \
  "WARPSMITH_TOKEN, --token-file FILE or --principals FILE, or listen on 127.0.0.1 and " \
  "reach it from elsewhere through ssh -L"

// clang-format off
constexpr ListenCase kListens[] = {
    {"127.0.0.1:8000", "127.0.0.1 8000", "127.0.0.1 8000"},
    {"localhost", "localhost 7411", "localhost 7411"},
    {"[::1]:0", "::1 0", "::1 0"},
    {"", "invalid_argument: \"\" is not HOST:PORT; such as 127.0.0.1:7411", "invalid_argument: \"\" is not HOST:PORT; such as 127.0.0.1:7411"},
    {":80", "invalid_argument: \":80\" is not HOST:PORT; such as 127.0.0.1:7411", "invalid_argument: \":80\" is not HOST:PORT; such as 127.0.0.1:7411"},
    {"localhost:65536", "invalid_argument: \"localhost:65536\" is not HOST:PORT; such as 127.0.0.1:7411", "invalid_argument: \"localhost:65536\" is not HOST:PORT; such as 127.0.0.1:7411"},
    {"0.0.0.0:80", WS_REFUSED("0.0.0.0"), "0.0.0.0 80 beyond loopback"},
    {"[::]:80", WS_REFUSED("[::]"), ":: 80 beyond loopback"},
    {"127.0.0.2:80", WS_REFUSED("127.0.0.2"), "127.0.0.2 80 beyond loopback"},
    {"localhost.example:80", WS_REFUSED("localhost.example"), "localhost.example 80 beyond loopback"},
};
// clang-format on
#undef WS_REFUSED

std::string listen_text(const Result<ListenAddress>& parsed) {
  return parsed ? parsed->host + " " + std::to_string(parsed->port) +
                      (parsed->loopback ? "" : " beyond loopback")
                : to_text(parsed.error());
}

struct HeaderCase {
  const char* sent;
  const char* want;  ///< Null: it is refused.
};

constexpr HeaderCase kHeaders[] = {
    {"plain", "plain"},
    {"", ""},
    {"=?base64?Zg==?=", "f"},
    {"=?base64?Zm8=?=", "fo"},
    {"=?base64?Zm9v?=", "foo"},
    {"=?base64?Zm9vYmFy?=", "foobar"},
    {"=?base64?\?=", ""},
    {"=?BASE64?Zm9v?=", "=?BASE64?Zm9v?="},
    {"=?base64?Zm9v", "=?base64?Zm9v"},
    {"=?base64?Zg=?=", nullptr},
    {"=?base64?Zg?=", nullptr},
    {"=?base64?Zh==?=", nullptr},
    {"=?base64?Zm-v?=", nullptr},
    {"=?base64?Z===?=", nullptr},
    {"=?base64?Zg==Zg==?=", nullptr},
    {"=?base64?Z=8=?=", nullptr},
};

}  // namespace

TEST_SUITE("server.http_checks") {
  TEST_CASE("only this machine's names are local hosts and origins") {
    for (const NameCase& c : kHosts) {
      CAPTURE(c.text);
      CHECK(is_local_host(c.text) == c.local);
    }
    for (const NameCase& c : kOrigins) {
      CAPTURE(c.text);
      CHECK(is_local_origin(c.text) == c.local);
    }
  }

  TEST_CASE("beyond loopback a page's own origin is taken, and no other") {
    const auto gate = std::make_shared<Gate>(Principals::open(std::nullopt, {}).value());
    const auto page = [](auto path) { return path == "/" || path == "/page/assets/main.js"; };
    for (const OwnOrigin& c : kOwnOrigins) {
      CAPTURE(c.host);
      CAPTURE(c.origin);
      HttpHead head{.method = "GET", .path = "/page/assets/main.js"};
      head.headers = {{"host", c.host}, {"origin", c.origin}};
      const auto refusal =
          screen_request(head, {.gate = gate, .local_only = false, .has_page = page});
      CHECK(refusal.has_value() != c.taken);
      CHECK((!refusal || refusal->status == 403));
      const auto at_home =
          screen_request(head, {.gate = gate, .local_only = true, .has_page = page});
      REQUIRE(at_home.has_value());
      CHECK(at_home->status == 403);
    }
  }

  TEST_CASE("an address to listen on is on loopback, or there is a token") {
    for (const ListenCase& c : kListens) {
      CAPTURE(c.text);
      CHECK(listen_text(parse_listen_address(c.text, false)) == c.without_token);
      CHECK(listen_text(parse_listen_address(c.text, true)) == c.with_token);
    }
  }

  TEST_CASE("base64 header values are decoded or refused, others are left alone") {
    for (const HeaderCase& c : kHeaders) {
      CAPTURE(c.sent);
      const std::optional<std::string> value = decode_header(c.sent);
      CHECK(value.has_value() == (c.want != nullptr));
      CHECK(value.value_or("refused") == (c.want != nullptr ? c.want : "refused"));
    }
  }

  TEST_CASE("an event stream must be asked for by name") {
    CHECK(accepts_event_stream("application/json, Text/Event-Stream"));
    CHECK_FALSE(accepts_event_stream("*/*"));
    CHECK_FALSE(accepts_event_stream(""));
  }
}

}  // namespace ws::server
