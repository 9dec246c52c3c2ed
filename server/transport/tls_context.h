// TLS 1.3 of a server's address: its certificate, and whom it asks for one.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "runtime/base/result.h"
#include "server/transport/tls_files.h"

namespace ws::server {

/// The paths of files in PEM form.
struct TlsPaths {
  std::string certificate;  ///< The server's own certificate, then those of its issuers.
  std::string key;          ///< Its private key, the file its owner's alone.
  std::string client_ca;  ///< Clients must show a certificate that one of these has issued; empty:
                          ///< they need none.
};

using TlsSession = std::unique_ptr<SSL, TlsFree>;

/// Any thread.
class TlsContext {
 public:
  /// Reads the files. @errors As read_tls_pair() and read_certificates(); kInvalidArgument: OpenSSL
  /// does not use such a certificate.
  static Result<std::shared_ptr<TlsContext>> open(TlsPaths paths);

  /// Reads them again, for the sessions that begin from now on. After an error all stays as it was.
  Status reload();

  /// The server's side of a new connection. @throws std::bad_alloc.
  [[nodiscard]] TlsSession session() const;

  /// "TLS 1.3 with FILE, valid until 2027-01-01T00:00:00.000Z; clients need a certificate".
  [[nodiscard]] std::string summary() const;

 private:
  using Context = std::unique_ptr<SSL_CTX, TlsFree>;

  struct Made {
    Context context;
    std::string valid_until;
  };

  explicit TlsContext(TlsPaths paths);

  [[nodiscard]] Result<Made> make() const;

  const TlsPaths paths_;
  mutable std::mutex mutex_;
  Made made_;  // guarded by mutex_
};

}  // namespace ws::server
