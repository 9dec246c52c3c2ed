// Access tokens as an issuer makes them, and as forgers do. All times are far from any clock's.
#pragma once

#include <cstdint>
#include <string>

#include "server/protocol/protocol.h"
#include "server/transport/tls_files.h"

namespace ws::test {

using server::Json;

inline constexpr std::int64_t kTokenPast = 1'000'000'000;
inline constexpr std::int64_t kTokenFuture = 4'000'000'000;

/// Bytes as a part of a token.
std::string token_part(const std::string& bytes);

class SigningKey {
 public:
  static SigningKey rsa(unsigned bits = 2048);
  static SigningKey elliptic(const std::string& curve = "P-256");
  /// One that fits the method. @param method  As `alg` names it.
  static SigningKey fitting(const std::string& method);

  /// Its public half as a JSON Web Key.
  [[nodiscard]] Json jwk(const std::string& id) const;
  /// The same in PEM form.
  [[nodiscard]] std::string pem() const;

  /// A token signed by the method that the header names, if it is one of server::kSignatureMethods.
  [[nodiscard]] std::string sign(const Json& header, const Json& claims) const;

 private:
  explicit SigningKey(server::TlsKey key);

  [[nodiscard]] std::string signature(const std::string& method, const std::string& text) const;

  server::TlsKey key_;
};

/// A token whose signature is a digest with a secret: HS256.
std::string sign_by_secret(const Json& header, const Json& claims, const std::string& secret);

/// A token without a signature.
std::string unsigned_token(const Json& header, const Json& claims);

}  // namespace ws::test
