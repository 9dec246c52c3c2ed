#include "server/access/token_hash.h"

#include <string>

#include <doctest/doctest.h>

#include "runtime/base/hash.h"

namespace ws::server {

TEST_SUITE("access.token_hash") {
  TEST_CASE("a token names its principal, and its hash says nothing of it") {
    const IssuedToken one = issue_token("ci-1");
    const IssuedToken two = issue_token("ci-1");
    CHECK(one.text.size() == std::string("ci-1.").size() + 64);
    CHECK(claimed_name(one.text) == "ci-1");
    CHECK(one.text != two.text);
    CHECK(is_token_hash(one.hash));
    CHECK(one.hash.find(one.text.substr(5)) == std::string::npos);
    CHECK(matches_hash(one.text, one.hash));
    CHECK_FALSE(matches_hash(two.text, one.hash));
    CHECK_FALSE(matches_hash(one.text + "0", one.hash));
    CHECK_FALSE(matches_hash(one.text.substr(0, one.text.size() - 1), one.hash));
    CHECK_FALSE(matches_hash("", one.hash));
    CHECK_FALSE(matches_hash(one.text, no_token_hash()));
  }

  TEST_CASE("equal tokens have other hashes by other salts") {
    const std::string salt(32, 'a');
    const std::string hash = "sha256:" + salt + ":" + sha256_hex(salt + ":ci.secret");
    CHECK(is_token_hash(hash));
    CHECK(matches_hash("ci.secret", hash));
    CHECK_FALSE(matches_hash(
        "ci.secret", "sha256:" + std::string(32, 'b') + ":" + sha256_hex(salt + ":ci.secret")));
  }

  TEST_CASE("what has not the form of a hash is none") {
    const std::string digest(64, '0');
    const std::string salt(32, '0');
    CHECK(is_token_hash("sha256:" + salt + ":" + digest));
    CHECK_FALSE(is_token_hash("sha256:" + salt + ":" + digest + "0"));
    CHECK_FALSE(is_token_hash("sha512:" + salt + ":" + digest));
    CHECK_FALSE(is_token_hash("sha256:" + salt + "0" + digest));
    CHECK_FALSE(is_token_hash("sha256:" + salt + ":" + std::string(64, 'A')));
    CHECK_FALSE(is_token_hash("sha256:" + std::string(31, '0') + ":" + digest + "0"));
    CHECK_FALSE(is_token_hash(digest));
    CHECK_FALSE(is_token_hash(""));
  }

  TEST_CASE("only what begins with a name and a point names a principal") {
    CHECK(claimed_name("ci.0123") == "ci");
    CHECK(claimed_name("ci.01.23") == "ci");
    CHECK(claimed_name("ci").empty());
    CHECK(claimed_name(".0123").empty());
    CHECK(claimed_name("c/i.0123").empty());
    CHECK(claimed_name("").empty());
  }
}

}  // namespace ws::server
