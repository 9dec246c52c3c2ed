#include "server/cli/serve_tls.h"

#include <string>

#include "runtime/base/log.h"

namespace ws::server {
namespace {

/// The certificate and the key are two halves; authorities come on top.
Status check_paths(const TlsPaths& paths) {
  if (!paths.certificate.empty() && !paths.key.empty()) {
    return {};
  }
  if (!paths.certificate.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--tls-cert needs the certificate's private key",
                "add --tls-key FILE");
  }
  return paths.key.empty() ? fail(ErrorCode::kInvalidArgument,
                                  "--tls-client-ca needs a certificate of the server",
                                  "add --tls-cert FILE and --tls-key FILE")
                           : fail(ErrorCode::kInvalidArgument,
                                  "--tls-key needs the key's certificate", "add --tls-cert FILE");
}

}  // namespace

Result<std::shared_ptr<TlsContext>> open_tls(const ServeOptions& options) {
  const TlsPaths& paths = options.tls;
  const bool named = !paths.certificate.empty() || !paths.key.empty() || !paths.client_ca.empty();
  if (!named || options.stdio) {
    return std::shared_ptr<TlsContext>();
  }
  WS_CHECK(check_paths(paths));
  if (options.http.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "TLS is for an address, and the server listens at a Unix socket only",
                "add --http HOST:PORT, or leave out --tls-cert: the socket is not encrypted");
  }
  return TlsContext::open(paths);
}

void reload_tls(TlsContext& tls) {
  const Status reloaded = tls.reload();
  if (!reloaded) {
    log(LogLevel::kError, "server",
        "the TLS certificate stays as it was: " + to_text(reloaded.error()));
    return;
  }
  log(LogLevel::kInfo, "server", "the TLS certificate was read again: " + tls.summary());
}

}  // namespace ws::server
