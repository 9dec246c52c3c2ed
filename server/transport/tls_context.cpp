#include "server/transport/tls_context.h"

#include <new>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace ws::server {
namespace {

/// Sets what is the same for all certificates.
void set_protocol(SSL_CTX& context) {
  ::SSL_CTX_set_min_proto_version(&context, TLS1_3_VERSION);
  // A record may go out in parts, and what is still to be sent moves as more is added. A connection
  // that waits holds no buffers.
  ::SSL_CTX_set_mode(&context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                   SSL_MODE_RELEASE_BUFFERS);
  // A client that leaves without a word is the same as without TLS: HTTP says where a body ends.
  ::SSL_CTX_set_options(&context, SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Connections are kept; a session that could be taken up later would outlive its certificate.
  ::SSL_CTX_set_num_tickets(&context, 0);
  ::SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
}

/// False: OpenSSL has a reason, such as a short key.
bool use_pair(SSL_CTX& context, const TlsPair& pair) {
  if (::SSL_CTX_use_certificate(&context, pair.certificate.get()) != 1 ||
      ::SSL_CTX_use_PrivateKey(&context, pair.key.get()) != 1) {
    return false;
  }
  for (const TlsCertificate& issuer : pair.issuers) {
    if (::SSL_CTX_add1_chain_cert(&context, issuer.get()) != 1) {
      return false;
    }
  }
  return true;
}

/// Clients without a certificate of these are refused in the handshake.
bool use_authorities(SSL_CTX& context, const std::vector<TlsCertificate>& authorities) {
  X509_STORE* const store = ::SSL_CTX_get_cert_store(&context);
  for (const TlsCertificate& authority : authorities) {
    if (::X509_STORE_add_cert(store, authority.get()) != 1 ||
        ::SSL_CTX_add_client_CA(&context, authority.get()) != 1) {
      return false;
    }
  }
  ::X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);  // The file need not go up to the root.
  ::SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return true;
}

tl::unexpected<Error> unusable(const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, what + " cannot be used: " + take_tls_reason());
}

}  // namespace

TlsContext::TlsContext(TlsPaths paths)
    : paths_(std::move(paths)) {}

Result<std::shared_ptr<TlsContext>> TlsContext::open(TlsPaths paths) {
  std::shared_ptr<TlsContext> context(new TlsContext(std::move(paths)));
  WS_CHECK(context->reload());
  return context;
}

Result<TlsContext::Made> TlsContext::make() const {
  WS_TRY(TlsPair pair, read_tls_pair(paths_.certificate, paths_.key));
  ::ERR_clear_error();
  Made made{Context(::SSL_CTX_new(::TLS_server_method())), std::move(pair.valid_until)};
  if (!made.context) {
    return unusable("OpenSSL");
  }
  set_protocol(*made.context);
  if (!use_pair(*made.context, pair)) {
    return unusable("the TLS certificate " + paths_.certificate);
  }
  if (!paths_.client_ca.empty()) {
    WS_TRY(const std::vector<TlsCertificate> authorities,
           read_certificates(paths_.client_ca, "TLS client CA"));
    if (!use_authorities(*made.context, authorities)) {
      return unusable("the TLS client CA " + paths_.client_ca);
    }
  }
  return made;
}

Status TlsContext::reload() {
  WS_TRY(Made made, make());
  const std::lock_guard lock(mutex_);
  std::swap(made_, made);
  return {};
}

TlsSession TlsContext::session() const {
  const std::lock_guard lock(mutex_);
  TlsSession session(::SSL_new(made_.context.get()));
  if (!session) {
    ::ERR_clear_error();
    throw std::bad_alloc();
  }
  ::SSL_set_accept_state(session.get());
  return session;
}

std::string TlsContext::summary() const {
  const std::lock_guard lock(mutex_);
  return "TLS 1.3 with " + paths_.certificate + ", valid until " + made_.valid_until +
         (paths_.client_ca.empty() ? "" : "; clients need a certificate");
}

}  // namespace ws::server
