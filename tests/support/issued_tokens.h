// Helpers of the tests of an issuer's access tokens.
#pragma once

#include <string>

#include "server/access/access_token.h"
#include "tests/support/raw_http.h"
#include "tests/support/signed_tokens.h"

namespace ws::test {

/// The key of all tokens here.
const SigningKey& issuer_key();

/// The same as the text of a key set; its id is "one".
std::string key_set();

/// Claims of a token of Ann.
Json claims_of(const std::string& scope, const server::TokenRules& rules);

std::string token_for(const Json& claims, const std::string& key_id = "one");

/// The answer to one request on a connection of its own.
HttpResponse ask_once(int port, const std::string& request);

HttpResponse ping(int port, const std::string& token);

}  // namespace ws::test
