// Signatures that only those who know a secret can make.
#pragma once

#include <string>
#include <string_view>

namespace ws {

/// Lower-case hex of HMAC-SHA256, 64 digits; empty where OpenSSL cannot make it. @source RFC 2104.
std::string hmac_hex(std::string_view secret, std::string_view text);

/// Whether two texts are the same, and not empty; takes as long for every wrong one of that length.
bool same_signature(std::string_view left, std::string_view right);

/// Bytes of pairs of hex digits, lower case.
std::string bytes_of_hex(std::string_view hex);

}  // namespace ws
