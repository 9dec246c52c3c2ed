// Certificates that a test makes for itself. All but those that shall not are valid from 2001 to
// 2096, whatever the clock says.
#pragma once

#include <filesystem>
#include <string>

#include "server/transport/tls_files.h"

namespace ws::test {

/// The end of certificates that are valid, as a server's log has it.
inline constexpr const char* kValidUntil = "2096-10-02T07:06:40.000Z";

/// A certificate and its private key, as PEM.
struct MadePair {
  std::string certificate;
  std::string key;
};

enum class Validity { kNow, kExpired, kLater };

/// Issues certificates for localhost and 127.0.0.1, which servers and clients may show. Each has a
/// name of its own.
class TestIssuer {
 public:
  TestIssuer();

  /// The issuer's own certificate, as PEM.
  [[nodiscard]] const std::string& pem() const { return own_.certificate; }

  [[nodiscard]] MadePair issue(Validity validity = Validity::kNow) const;
  /// With a key that is too short to be used.
  [[nodiscard]] MadePair issue_weak() const;

 private:
  [[nodiscard]] MadePair sign(EVP_PKEY& key, Validity validity) const;

  const std::string name_;
  server::TlsKey key_;
  MadePair own_;
};

/// The key under a passphrase.
std::string encrypted_key();

/// The files of a server, which a test may write again.
struct TlsFolder {
  explicit TlsFolder(const std::filesystem::path& folder);

  /// Writes the pair, its key with mode 0600, and the issuer.
  void write(const TestIssuer& issuer, const MadePair& pair) const;
  /// Writes one of the issuer, valid now.
  void write(const TestIssuer& issuer) const;

  std::string certificate;
  std::string key;
  std::string ca;  ///< The issuer's certificate.
};

}  // namespace ws::test
