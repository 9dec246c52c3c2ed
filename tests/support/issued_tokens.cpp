#include "tests/support/issued_tokens.h"

#include "tests/support/principals_file.h"
#include "tests/support/test_bench.h"

namespace ws::test {

const SigningKey& issuer_key() {
  static const SigningKey kKey = SigningKey::elliptic();
  return kKey;
}

std::string key_set() {
  return Json{{"keys", {issuer_key().jwk("one")}}}.dump();
}

Json claims_of(const std::string& scope, const server::TokenRules& rules) {
  return {{"iss", rules.issuer},
          {"aud", rules.resource},
          {"sub", "ann"},
          {"exp", kTokenFuture},
          {"scope", scope}};
}

std::string token_for(const Json& claims, const std::string& key_id) {
  return issuer_key().sign({{"alg", "ES256"}, {"typ", "at+jwt"}, {"kid", key_id}}, claims);
}

HttpResponse ask_once(int port, const std::string& request) {
  HttpConnection connection(port);
  connection.send(request);
  return connection.receive();
}

HttpResponse ping(int port, const std::string& token) {
  return ask_once(port, post_request(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", bearer(token)));
}

}  // namespace ws::test
