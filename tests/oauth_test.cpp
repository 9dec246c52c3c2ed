// Access tokens of an issuer, from the first 401 to a call: metadata, refusals, roles.
#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "server/access/private_file.h"
#include "server/cli/http_client.h"
#include "tests/support/issued_tokens.h"
#include "tests/support/local_http.h"
#include "tests/support/principals_file.h"
#include "tests/support/stub_issuer.h"
#include "tests/support/test_bench.h"

namespace ws::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

const server::TokenRules kRules = {.issuer = "https://login.example/realm",
                                   .resource = "https://gpu.example/mcp"};
constexpr const char* kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

HttpResponse get_page(int port, const std::string& path) {
  return ask_once(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

std::string words_of(const HttpResponse& response) {
  return Json::parse(response.body)["error"]["message"];
}

/// A server that takes the tokens of an issuer whose keys the test fetches.
struct IssuedServer {
  explicit IssuedServer(server::IssuerKeys::Fetch fetch,
                        server::IssuerKeys::Pace pace = {.retry = milliseconds(1), .gap = hours(1)},
                        const std::string& file = "")
      : issued(std::make_shared<server::AccessTokens>(
            kRules, std::make_unique<server::IssuerKeys>(std::move(fetch), pace),
            [] { return (kTokenPast + kTokenFuture) / 2; })) {
    auto opened = server::Principals::open({}, file, issued);
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    principals = *opened;
    http = std::make_unique<LocalHttp>(
        bench.server(), server::HttpLimits{}, server::OperatorPages{},
        std::make_shared<server::Gate>(principals), nullptr,
        std::make_shared<const server::ProtectedResource>(issued->rules()));
  }

  /// The keys are here, when the first token has been taken.
  void wait_for_keys() const {
    int status = 503;
    for (int i = 0; i < 1000 && status == 503; ++i) {
      status = ping(http->port(), token_for(claims_of("warpsmith:use", kRules))).status;
    }
    REQUIRE(status == 200);
  }

  TestBench bench;
  std::shared_ptr<server::AccessTokens> issued;
  std::shared_ptr<server::Principals> principals;
  std::unique_ptr<LocalHttp> http;
};

Result<std::string> published() {
  return key_set();
}

constexpr const char* kPlace =
    "Bearer realm=\"warpsmith\", "
    "resource_metadata=\"https://gpu.example/.well-known/oauth-protected-resource/mcp\", "
    "scope=\"warpsmith:";

struct RefusedToken {
  std::string token;
  int status;
  const char* why;
};

}  // namespace

TEST_SUITE("oauth") {
  TEST_CASE("a client learns from the 401 where the metadata is, and from that who logs it in") {
    const IssuedServer served(published);
    const HttpResponse refused = ask_once(served.http->port(), post_request(kPing));
    CHECK(refused.status == 401);
    CHECK(refused.headers.at("www-authenticate") == std::string(kPlace) + "use\"");
    for (const char* path :
         {"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"}) {
      const HttpResponse metadata = get_page(served.http->port(), path);
      CHECK(metadata.status == 200);
      CHECK(metadata.headers.at("content-type") == "application/json");
      CHECK(metadata.body ==
            R"({"resource":"https://gpu.example/mcp",)"
            R"("authorization_servers":["https://login.example/realm"],)"
            R"("scopes_supported":["warpsmith:read","warpsmith:use","warpsmith:admin"],)"
            R"("bearer_methods_supported":["header"],"resource_name":"warpsmith"})");
    }
    const HttpResponse posted =
        ask_once(served.http->port(),
                 "POST /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(posted.status == 405);
    CHECK(words_of(posted) == "only GET is allowed here");
    const HttpResponse other = get_page(served.http->port(), "/.well-known/openid-configuration");
    CHECK(other.status == 404);
    CHECK(words_of(other) ==
          "this server issues no tokens: /.well-known/oauth-protected-resource names who does");
  }

  TEST_CASE("each token that is refused is refused in words, and in the header") {
    const IssuedServer served(published);
    served.wait_for_keys();
    const SigningKey rsa = SigningKey::rsa();
    const Json good = claims_of("warpsmith:use", kRules);
    const auto with = [&](const char* name, const Json& value) {
      Json claims = good;
      claims[name] = value;
      return token_for(claims);
    };
    const std::string whole = token_for(good);
    const char* const method =
        "it must be signed by RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 or "
        "EdDSA";
    const RefusedToken cases[] = {
        {with("iss", "https://evil.example"), 401, "it comes from another issuer"},
        {with("aud", "https://other.example/mcp"), 401,
         "it was issued for another server: `aud` must name this one"},
        {with("exp", kTokenPast), 401, "it has expired"},
        {with("nbf", kTokenFuture), 401, "it is not valid yet"},
        {with("sub", ""), 401, "it does not name its user in at most 128 printable characters"},
        {unsigned_token({{"alg", "none"}, {"kid", "one"}}, good), 401, method},
        {sign_by_secret({{"alg", "HS256"}, {"kid", "one"}}, good, issuer_key().pem()), 401, method},
        {token_for(good, "two"), 401, "the key that signed it is not one of its issuer"},
        {rsa.sign({{"alg", "RS256"}, {"kid", "one"}}, good), 401,
         "the key that signed it is not one of its issuer"},
        {SigningKey::elliptic().sign({{"alg", "ES256"}, {"kid", "one"}}, good), 401,
         "its signature is wrong"},
        {whole.substr(0, whole.size() - 40), 401, "its signature is wrong"},
        {token_for(claims_of("openid profile", kRules)), 403, "it has no scope of this server"},
    };
    for (const RefusedToken& one : cases) {
      CAPTURE(one.why);
      const HttpResponse refused = ping(served.http->port(), one.token);
      CHECK(refused.status == one.status);
      CHECK(words_of(refused) == std::string("the token is refused: ") + one.why);
      const std::string fault =
          one.status == 403 ? "read\", error=\"insufficient_scope" : "use\", error=\"invalid_token";
      CHECK(refused.headers.at("www-authenticate") ==
            std::string(kPlace) + fault + "\", error_description=\"" + one.why + "\"");
    }
    const HttpResponse half = ping(served.http->port(), whole.substr(0, whole.size() / 4));
    CHECK(half.status == 401);
    CHECK(half.headers.at("www-authenticate") ==
          std::string(kPlace) + "use\", error=\"invalid_token\"");
    CHECK(ping(served.http->port(), whole).status == 200);
  }

  TEST_CASE("an issuer that is down is no fault of the token, and is asked again") {
    StubIssuer issuer;
    const IssuedServer served([&issuer]() -> Result<std::string> {
      WS_TRY(const server::HttpAnswer answer,
             server::http_get({.server = issuer.url(), .path = "/keys"}, {}, 5));
      return answer.body;
    });
    for (int i = 0; i < 40; ++i) {  // More than wrong tokens may come from one address.
      const HttpResponse early =
          ping(served.http->port(), token_for(claims_of("warpsmith:use", kRules)));
      CHECK(early.status == 503);
      CHECK(early.headers.at("retry-after") == "5");
      CHECK(words_of(early) ==
            "the token is refused: the keys of its issuer are not here yet; try again");
    }
    issuer.publish("/keys", key_set());
    issuer.start();
    served.wait_for_keys();
  }

  TEST_CASE("scopes give roles, and the principals file gives limits") {
    const TestFolder folder;
    const std::string file = (folder.path() / "principals.toml").string();
    REQUIRE(server::replace_private_file(file, "[oauth]\nrequests-per-minute = 3\n"));
    const IssuedServer served(published, {.retry = milliseconds(1), .gap = hours(1)}, file);
    const auto found = [&](const std::string& scope) {
      server::Principals::Found one;
      for (int i = 0; i < 1000 && !one.who; ++i) {
        one = served.principals->find(token_for(claims_of(scope, kRules)));
      }
      REQUIRE(one.who != nullptr);
      return *one.who;
    };
    CHECK(found("warpsmith:read").role == server::Role::kRead);
    CHECK(found("warpsmith:admin").role == server::Role::kAdmin);
    CHECK(found("warpsmith:use").name == "oauth:ann");
    CHECK(found("warpsmith:use").limits.requests_per_minute == 3);
    const std::string reader = token_for(claims_of("warpsmith:read", kRules));
    const auto call = [&] {
      return ask_once(served.http->port(), post_request(call_line(1, "echo", Json::object()),
                                                        modern_headers("echo") + bearer(reader)));
    };
    const HttpResponse refused = call();
    CHECK(refused.status == 403);
    CHECK(words_of(refused) == "`echo` needs the role `use`; the principal `oauth:ann` has `read`");
    CHECK(refused.headers.at("www-authenticate") ==
          std::string(kPlace) + "use\", error=\"insufficient_scope\"");
    CHECK(call().status == 403);
    CHECK(call().status == 403);
    const HttpResponse limited = call();
    CHECK(limited.status == 429);
    CHECK(words_of(limited) ==
          "the principal `oauth:ann` may send 3 requests a minute; try again in 20 s");
  }
}

}  // namespace ws::test
