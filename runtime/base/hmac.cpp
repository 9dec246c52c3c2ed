#include "runtime/base/hmac.h"

#include <array>
#include <cstdint>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace ws {

std::string hmac_hex(std::string_view secret, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  ::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), bytes.data(), &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += digits[bytes.at(i) / 16];
    hex += digits[bytes.at(i) % 16];
  }
  return hex;
}

bool same_signature(std::string_view left, std::string_view right) {
  // Where OpenSSL makes no signature, no text has one.
  unsigned differ = left.size() == right.size() && !left.empty() ? 0U : 1U;
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    differ |= static_cast<unsigned>(left[i] ^ right[i]);
  }
  return differ == 0;
}

std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return bytes;
}

}  // namespace ws
