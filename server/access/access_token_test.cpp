#include "server/access/access_token.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/signed_tokens.h"

namespace ws::server {
namespace {

using test::kTokenFuture;
using test::kTokenPast;
using test::sign_by_secret;
using test::SigningKey;
using test::unsigned_token;

constexpr std::int64_t kNow = 2'000'000'000;
const TokenRules kRules = {.issuer = "https://login.example",
                           .resource = "https://gpu.example/mcp"};

const SigningKey& issuer_key() {
  static const SigningKey kKey = SigningKey::elliptic();
  return kKey;
}

Json good_header() {
  return {{"alg", "ES256"}, {"typ", "at+jwt"}, {"kid", "one"}};
}

Json good_claims() {
  return {{"iss", kRules.issuer}, {"aud", kRules.resource}, {"sub", "ann"},
          {"exp", kTokenFuture},  {"nbf", kTokenPast},      {"scope", "openid warpsmith:use"}};
}

JwkSet set_of(const std::vector<Json>& keys) {
  const auto read = JwkSet::parse(Json{{"keys", keys}}.dump(), "the keys");
  REQUIRE_MESSAGE(read.has_value(), to_text(read.error()));
  return *read;
}

/// "NAME ROLE", or why the token is refused.
std::string verdict(const std::string& token, const JwkSet& keys, const TokenRules& rules = kRules,
                    std::int64_t now_s = kNow) {
  const CheckedToken checked = check_access_token(token, keys, rules, now_s);
  return checked ? checked->name + " " + std::string(name_of(checked->role))
                 : std::string(text_of(checked.error()));
}

std::string verdict(const Json& header, const Json& claims) {
  static const JwkSet kKeys = set_of({issuer_key().jwk("one")});
  return verdict(issuer_key().sign(header, claims), kKeys);
}

/// The good object with a member of another value; null takes it away.
Json with(Json object, const std::string& name, const Json& value) {
  object[name] = value;
  if (value.is_null()) {
    object.erase(name);
  }
  return object;
}

struct ClaimCase {
  const char* name;
  Json value;
  const char* want;
};

}  // namespace

TEST_SUITE("access.tokens") {
  TEST_CASE("a token of each method is taken with its key, and not with another one") {
    for (const SignatureMethod& method : kSignatureMethods) {
      const std::string name(method.name);
      CAPTURE(name);
      const SigningKey key = SigningKey::fitting(name);
      const JwkSet keys = set_of({key.jwk("one")});
      const Json header = with(good_header(), "alg", name);
      CHECK(verdict(key.sign(header, good_claims()), keys) == "ann use");
      CHECK(verdict(SigningKey::fitting(name).sign(header, good_claims()), keys) ==
            "its signature is wrong");
    }
  }

  TEST_CASE("each claim is looked at") {
    const std::string other_server = "it was issued for another server: `aud` must name this one";
    const std::string no_name = "it does not name its user in at most 128 printable characters";
    const ClaimCase cases[] = {
        {"iss", "https://login.example/", "it comes from another issuer"},
        {"iss", nullptr, "it comes from another issuer"},
        {"iss", Json::array({kRules.issuer}), "it comes from another issuer"},
        {"aud", "https://gpu.example", other_server.c_str()},
        {"aud", nullptr, other_server.c_str()},
        {"aud", Json::array({"https://other.example", 1}), other_server.c_str()},
        {"aud", Json::array({"https://other.example", kRules.resource}), "ann use"},
        {"exp", kTokenPast, "it has expired"},
        {"exp", kNow - 30, "it has expired"},
        {"exp", kNow - 29, "ann use"},
        {"exp", nullptr, "it does not say when it expires"},
        {"exp", "tomorrow", "it is not a whole JSON Web Token"},
        {"nbf", kTokenFuture, "it is not valid yet"},
        {"nbf", kNow + 31, "it is not valid yet"},
        {"nbf", kNow + 30, "ann use"},
        {"nbf", nullptr, "ann use"},
        {"nbf", "now", "it is not a whole JSON Web Token"},
        {"sub", "auth0|5f7c-ann@example", "auth0|5f7c-ann@example use"},
        {"sub", std::string(128, 'a'), nullptr},
        {"sub", std::string(129, 'a'), no_name.c_str()},
        {"sub", "", no_name.c_str()},
        {"sub", "an n", no_name.c_str()},
        {"sub", "ann\r\nX-Header: 1", no_name.c_str()},
        {"sub", "ann\"", no_name.c_str()},
        {"sub", 7, no_name.c_str()},
        {"sub", nullptr, no_name.c_str()},
    };
    for (const ClaimCase& one : cases) {
      const std::string value = one.value.dump();
      CAPTURE(one.name);
      CAPTURE(value);
      const std::string want = one.want == nullptr ? std::string(128, 'a') + " use" : one.want;
      CHECK(verdict(good_header(), with(good_claims(), one.name, one.value)) == want);
    }
    CHECK(verdict(good_header(), Json::array()) == "it is not a whole JSON Web Token");
  }

  TEST_CASE("a scope gives its role, the highest counts, and a token without one has none") {
    const char* const none = "it has no scope of this server";
    const ClaimCase cases[] = {
        {"scope", "warpsmith:read", "ann read"},
        {"scope", "warpsmith:use", "ann use"},
        {"scope", "warpsmith:read warpsmith:admin warpsmith:use", "ann admin"},
        {"scope", Json::array({"openid", 1, "warpsmith:read"}), "ann read"},
        {"scope", "", none},
        {"scope", nullptr, none},
        {"scope", "warpsmith:administrator warpsmith: xwarpsmith:use WARPSMITH:USE", none},
        {"scope", 3, none},
    };
    for (const ClaimCase& one : cases) {
      const std::string value = one.value.dump();
      CAPTURE(value);
      CHECK(verdict(good_header(), with(good_claims(), one.name, one.value)) == one.want);
    }
    Json claims = with(good_claims(), "scope", nullptr);
    claims["scp"] = Json::array({"warpsmith:admin"});
    CHECK(verdict(good_header(), claims) == "ann admin");
    claims["scp"] = "openid warpsmith:read";
    CHECK(verdict(good_header(), claims) == "ann read");
  }

  TEST_CASE("the name and the scopes may have other names") {
    TokenRules rules = kRules;
    rules.name_claim = "email";
    rules.scope_prefix = "https://gpu.example/";
    const JwkSet keys = set_of({issuer_key().jwk("one")});
    Json claims = with(good_claims(), "email", "ann@example.com");
    claims["scope"] = "https://gpu.example/admin";
    CHECK(verdict(issuer_key().sign(good_header(), claims), keys, rules) ==
          "ann@example.com admin");
    CHECK(verdict(issuer_key().sign(good_header(), good_claims()), keys, rules) ==
          "it does not name its user in at most 128 printable characters");
  }

  TEST_CASE("each header is looked at before any key is") {
    const char* const method =
        "it must be signed by RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 or "
        "EdDSA";
    const JwkSet keys = set_of({issuer_key().jwk("one")});
    for (const Json& bad : {Json("none"), Json("None"), Json("HS256"), Json("eddsa"), Json("Ed448"),
                            Json(""), Json(256), Json(nullptr)}) {
      const std::string value = bad.dump();
      CAPTURE(value);
      CHECK(verdict(unsigned_token(with(good_header(), "alg", bad), good_claims()), keys) ==
            method);
    }
    CHECK(verdict(with(good_header(), "crit", Json::array({"b64"})), good_claims()) ==
          "its header asks for extensions that this server does not know");
    for (const Json& type : {Json("logout+jwt"), Json("application/logout+jwt"),
                             Json("text/at+jwt"), Json("application/"), Json(""), Json(7)}) {
      CHECK(verdict(with(good_header(), "typ", type), good_claims()) ==
            "its type is not that of an access token");
    }
    for (const Json& type : {Json("JWT"), Json("Jwt"), Json("AT+JWT"), Json("application/at+jwt"),
                             Json("Application/AT+jwt"), Json("application/jwt"), Json(nullptr)}) {
      CHECK(verdict(with(good_header(), "typ", type), good_claims()) == "ann use");
    }
  }

  TEST_CASE("a public key is no secret to sign with") {
    const SigningKey key = SigningKey::rsa();
    const JwkSet keys = set_of({key.jwk("one")});
    for (const char* method : {"HS256", "RS256"}) {
      const Json header = with(good_header(), "alg", method);
      for (const std::string& secret : {key.pem(), key.jwk("one").dump()}) {
        const std::string want = verdict(sign_by_secret(header, good_claims(), secret), keys);
        CHECK((want == "its signature is wrong" || want.starts_with("it must be signed by RS256")));
      }
    }
  }

  TEST_CASE("a token that is cut or changed anywhere is refused") {
    const JwkSet keys = set_of({issuer_key().jwk("one")});
    const std::string token = issuer_key().sign(good_header(), good_claims());
    REQUIRE(verdict(token, keys) == "ann use");
    for (std::size_t size = 0; size < token.size(); ++size) {
      CAPTURE(size);
      CHECK(verdict(token.substr(0, size), keys) != "ann use");
      std::string changed = token;
      changed[size] = changed[size] == 'A' ? 'Q' : 'A';
      CHECK(verdict(changed, keys) != "ann use");
    }
    CHECK(verdict(token.substr(0, token.size() / 2), keys) == "it is not a whole JSON Web Token");
    CHECK(verdict(token.substr(0, token.size() - 4), keys) == "its signature is wrong");
    CHECK(verdict("..", keys) == "it is not a whole JSON Web Token");
    CHECK(verdict(token + ".x", keys) == "it is not a whole JSON Web Token");
    CHECK(verdict(std::string(17000, 'a') + "." + token, keys) ==
          "it is not a whole JSON Web Token");
  }
}

}  // namespace ws::server
