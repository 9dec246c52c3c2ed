#include "server/access/token_hash.h"

#include <algorithm>

#include "runtime/base/hash.h"
#include "server/access/principal.h"

namespace ws::server {
namespace {

constexpr std::string_view kMethod = "sha256:";
constexpr std::size_t kSecretDigits = 64;
constexpr std::size_t kSaltDigits = 32;
constexpr std::size_t kDigestDigits = 64;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string hash_with(std::string_view salt, std::string_view token) {
  std::string salted(salt);
  salted.append(":").append(token);
  std::string hash(kMethod);
  return hash.append(salt).append(":").append(sha256_hex(salted));
}

}  // namespace

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  volatile unsigned different = a.size() == b.size() ? 0U : 1U;  // No compiler leaves early.
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    different = different | static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return different == 0;
}

IssuedToken issue_token(const std::string& name) {
  std::string token = name + "." + random_hex(kSecretDigits);
  std::string hash = hash_with(random_hex(kSaltDigits), token);
  return {std::move(token), std::move(hash)};
}

std::string_view claimed_name(std::string_view token) {
  const std::string_view name = token.substr(0, token.find('.'));
  return name.size() < token.size() && is_principal_name(name) ? name : std::string_view();
}

bool is_token_hash(std::string_view hash) {
  return hash.size() == kMethod.size() + kSaltDigits + 1 + kDigestDigits &&
         hash.starts_with(kMethod) && hash[kMethod.size() + kSaltDigits] == ':' &&
         is_hex(hash.substr(kMethod.size(), kSaltDigits)) &&
         is_hex(hash.substr(hash.size() - kDigestDigits));
}

bool matches_hash(std::string_view token, std::string_view hash) {
  return equal_in_constant_time(hash_with(hash.substr(kMethod.size(), kSaltDigits), token), hash);
}

const std::string& no_token_hash() {
  static const std::string kNone =
      std::string(kMethod) + std::string(kSaltDigits, '0') + ":" + std::string(kDigestDigits, '0');
  return kNone;
}

}  // namespace ws::server
