// Public keys on the curve Ed25519, which cjose does not have.
#pragma once

#include <memory>
#include <string>
#include <string_view>

// NOLINTNEXTLINE(readability-identifier-naming): OpenSSL's own name
struct evp_pkey_st;

namespace ws::server {

/// Any thread. Copies share the key.
class EdwardsKey {
 public:
  /// None, which checks nothing.
  EdwardsKey() = default;

  /// @param bytes  32 of them. @source RFC 8032, section 5.1.5.
  explicit EdwardsKey(std::string_view bytes);

  /// False: there were not 32 bytes.
  [[nodiscard]] bool valid() const { return key_ != nullptr; }

  /// Whether the owner of the private key signed the text. @source RFC 8037, section 3.1.
  [[nodiscard]] bool signed_text(std::string_view text, std::string_view signature) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace ws::server
