// Certificates and private keys, from files in PEM form.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <openssl/types.h>

#include "runtime/base/result.h"

namespace ws::server {

/// Frees things of OpenSSL.
struct TlsFree {
  void operator()(X509* certificate) const noexcept;
  void operator()(EVP_PKEY* key) const noexcept;
  void operator()(BIO* bytes) const noexcept;
  void operator()(SSL_CTX* context) const noexcept;
  void operator()(SSL* session) const noexcept;
};

using TlsCertificate = std::unique_ptr<X509, TlsFree>;
using TlsKey = std::unique_ptr<EVP_PKEY, TlsFree>;

/// The certificate of a server, with its private key.
struct TlsPair {
  TlsCertificate certificate;
  std::vector<TlsCertificate> issuers;  ///< Sent with it, in their order.
  TlsKey key;
  std::string valid_until;  ///< As timestamp_of() writes it.
};

/// Reads a server's certificate, which the certificates of its issuers may follow in the file, and
/// its key, which has no passphrase.
/// @errors kIo: a file cannot be read; kInvalidArgument: it holds something else, the key belongs
/// to another certificate or is not its owner's alone, or the certificate is not valid today.
Result<TlsPair> read_tls_pair(const std::filesystem::path& certificate,
                              const std::filesystem::path& key);

/// All certificates of a file, at least one.
/// @param role  For the messages: "TLS certificate".
/// @errors kIo: it cannot be read; kInvalidArgument: it holds something else.
Result<std::vector<TlsCertificate>> read_certificates(const std::filesystem::path& path,
                                                      const std::string& role);

/// OpenSSL's words for the first error of this thread since its last call, or since
/// ERR_clear_error(); there are no others afterwards.
std::string take_tls_reason();

}  // namespace ws::server
