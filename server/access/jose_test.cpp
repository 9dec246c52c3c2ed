#include "server/access/jose.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/support/signed_tokens.h"

namespace ws::server {
namespace {

using test::SigningKey;
using Check = JwkSet::Check;

std::string key_error(const std::string& text) {
  const auto read = JwkSet::parse(text, "the keys");
  return read ? "" : to_text(read.error());
}

JwkSet read_set(const Json& keys) {
  const auto read = JwkSet::parse(Json{{"keys", keys}}.dump(), "the keys");
  REQUIRE_MESSAGE(read.has_value(), to_text(read.error()));
  return *read;
}

Check check_with(const JwkSet& keys, const SigningKey& key, const std::string& method,
                 const std::optional<std::string>& id) {
  const std::string token = key.sign({{"alg", method}}, {{"sub", "ann"}});
  const JwkSet::Opened opened = keys.open(token, *signature_method(method), id);
  CHECK((opened.claims == R"({"sub":"ann"})") == (opened.check == Check::kSigned));
  return opened.check;
}

}  // namespace

TEST_SUITE("access.jose") {
  TEST_CASE("a key is found by its id, and without one where there is no other that fits") {
    const SigningKey rsa = SigningKey::rsa();
    const SigningKey first = SigningKey::elliptic();
    const SigningKey second = SigningKey::elliptic();
    const JwkSet keys = read_set({rsa.jwk("r"), first.jwk("1"), second.jwk("2")});
    CHECK(check_with(keys, second, "ES256", "2") == Check::kSigned);
    CHECK(check_with(keys, second, "ES256", "1") == Check::kWrongSignature);
    CHECK(check_with(keys, second, "ES256", "3") == Check::kUnknownKey);
    CHECK(check_with(keys, second, "ES256", "r") == Check::kUnknownKey);
    CHECK(check_with(keys, second, "ES256", {}) == Check::kUnknownKey);
    CHECK(check_with(keys, rsa, "RS256", {}) == Check::kSigned);
    CHECK(check_with(keys, rsa, "PS512", "r") == Check::kSigned);
  }

  TEST_CASE("a signature on Ed25519 is checked over the token as it was sent") {
    // @source RFC 8037, appendix A.
    const JwkSet keys = read_set({{{"kty", "OKP"},
                                   {"crv", "Ed25519"},
                                   {"x", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}});
    const std::string token =
        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PG"
        "cvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    const JwkSet::Opened opened = keys.open(token, *signature_method("EdDSA"), {});
    CHECK(opened.check == Check::kSigned);
    CHECK(opened.claims == "Example of Ed25519 signing");
    for (const std::size_t at : {std::size_t{0}, token.find('.') + 1, token.rfind('.') + 1}) {
      std::string changed = token;
      changed[at] = changed[at] == 'A' ? 'B' : 'A';
      CHECK(keys.open(changed, *signature_method("EdDSA"), {}).check == Check::kWrongSignature);
      CHECK(keys.open(token.substr(0, at), *signature_method("EdDSA"), {}).check ==
            Check::kWrongSignature);
    }
    const SigningKey key = SigningKey::fitting("EdDSA");
    const JwkSet both = read_set({SigningKey::fitting("EdDSA").jwk("1"), key.jwk("2")});
    CHECK(check_with(both, key, "EdDSA", "2") == Check::kSigned);
    CHECK(check_with(both, key, "EdDSA", "1") == Check::kWrongSignature);
  }

  TEST_CASE("keys for other ends are left out") {
    const SigningKey key = SigningKey::elliptic();
    Json encrypts = SigningKey::elliptic().jwk("e");
    encrypts["use"] = "enc";
    Json bound = SigningKey::rsa().jwk("b");
    bound["alg"] = "RS512";
    const Json secret = {{"kty", "oct"}, {"kid", "s"}, {"k", "c2VjcmV0"}};
    Json off_curve = SigningKey::elliptic().jwk("o");
    off_curve["x"] = off_curve["y"];
    const JwkSet keys =
        read_set({encrypts, bound, secret, off_curve, 7, Json::object(), key.jwk("k")});
    CHECK(check_with(keys, key, "ES256", "k") == Check::kSigned);
    CHECK(check_with(keys, key, "ES256", "e") == Check::kUnknownKey);
    CHECK(check_with(keys, key, "ES256", "o") == Check::kUnknownKey);
    CHECK(check_with(keys, SigningKey::rsa(), "RS256", "b") == Check::kUnknownKey);
    CHECK(check_with(keys, SigningKey::rsa(), "RS512", "b") == Check::kWrongSignature);
  }

  TEST_CASE("a text that is no key set, or has no key that helps, is refused in words") {
    const std::string none =
        "invalid_argument: the keys is no key set: it must be a JSON object with the array "
        "`keys`; an issuer's metadata names the address of its key set as `jwks_uri`";
    for (const char* text : {"", "{", "[]", "{}", R"({"keys":{}})", "<html>"}) {
      CHECK(key_error(text) == none);
    }
    const std::string useless =
        "invalid_argument: the keys has no key that can check signatures; it needs one of RSA with "
        "2048 bits or more, of EC on P-256, P-384 or P-521, or of Ed25519";
    CHECK(key_error(R"({"keys":[]})") == useless);
    CHECK(key_error(Json{{"keys", {SigningKey::rsa(1024).jwk("weak")}}}.dump()) == useless);
    CHECK(key_error(R"({"keys":[{"kty":"oct","k":"c2VjcmV0"}]})") == useless);
    CHECK(key_error(R"({"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]})") == useless);
    for (const char* key :
         {R"({"kty":"OKP","crv":"Ed25519","x":"AA"})", R"({"kty":"OKP"})",
          R"({"kty":"OKP","crv":"Ed448","x":"AA"})", R"({"kty":"OKP","crv":"Ed25519","x":"*"})"}) {
      CHECK(key_error(R"({"keys":[)" + std::string(key) + "]}") == useless);
    }
  }
}

}  // namespace ws::server
