// Tokens of principals, and what is kept of them.
#pragma once

#include <string>
#include <string_view>

namespace ws::server {

/// In a time that depends on the lengths only.
bool equal_in_constant_time(std::string_view a, std::string_view b);

struct IssuedToken {
  std::string text;  ///< "NAME.SECRET": 256 random bits as hex digits behind the principal's name.
  std::string hash;  ///< "sha256:SALT:DIGEST"
};

IssuedToken issue_token(const std::string& name);

/// The principal that a token claims to be of; empty: it has the form of no such token.
std::string_view claimed_name(std::string_view token);

/// Whether it has the form of a hash.
bool is_token_hash(std::string_view hash);

/// Takes the same time for all tokens of one length. @param hash  As is_token_hash() wants it.
bool matches_hash(std::string_view token, std::string_view hash);

/// A hash that no token has.
const std::string& no_token_hash();

}  // namespace ws::server
