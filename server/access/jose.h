// JSON Web Tokens and the keys that sign them: RFC 7515 and 7517.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace ws::server {

class EdwardsKey;

/// A way to sign a token by the private key of its issuer.
struct SignatureMethod {
  std::string_view name;      ///< The `alg` of a token.
  std::string_view key_type;  ///< The `kty` of its key.
  std::string_view curve;     ///< The `crv` of its key; empty: it has none.
};

/// All that are taken. There is none without a signature, and none with a secret that both sides
/// know: for those an issuer's public key would be the secret.
/// @source RFC 7518, section 3.1; RFC 8037, section 3.1.
inline constexpr std::array<SignatureMethod, 10> kSignatureMethods = {{
    {"RS256", "RSA", ""},
    {"RS384", "RSA", ""},
    {"RS512", "RSA", ""},
    {"PS256", "RSA", ""},
    {"PS384", "RSA", ""},
    {"PS512", "RSA", ""},
    {"ES256", "EC", "P-256"},
    {"ES384", "EC", "P-384"},
    {"ES512", "EC", "P-521"},
    {"EdDSA", "OKP", "Ed25519"},
}};

/// Null: it is not taken.
const SignatureMethod* signature_method(std::string_view name);

/// The bytes of a part of a token. Nothing: it is no base64url.
std::optional<std::string> decoded_part(std::string_view part);

/// The public keys of an issuer. Copies share them. Any thread.
class JwkSet {
 public:
  /// Keys of other kinds, and those for encryption, are left out.
  ///
  /// @param origin  For the messages: "the key file /etc/keys.json".
  /// @errors kInvalidArgument: it is no key set, or no key in it can be used.
  static Result<JwkSet> parse(std::string_view text, const std::string& origin);

  enum class Check : std::uint8_t { kSigned, kUnknownKey, kWrongSignature };

  struct Opened {
    Check check = Check::kUnknownKey;
    std::string claims{};  ///< The bytes that were signed; empty: they were not.
  };

  /// Checks the signature of a token.
  ///
  /// @param key_id  The `kid` of its header; nothing: the only key that fits the method is its key.
  [[nodiscard]] Opened open(std::string_view token, const SignatureMethod& method,
                            const std::optional<std::string>& key_id) const;

 private:
  struct Key;
  using Keys = std::vector<Key>;

  explicit JwkSet(std::shared_ptr<const Keys> keys)
      : keys_(std::move(keys)) {}

  static Opened open_with(const Key& key, std::string_view token);
  static Opened open_with(const EdwardsKey& key, std::string_view token);
  [[nodiscard]] const Key* find(const SignatureMethod& method,
                                const std::optional<std::string>& key_id) const;

  std::shared_ptr<const Keys> keys_;
};

}  // namespace ws::server
