#include "server/transport/tls_channel.h"

#include <cerrno>
#include <new>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

namespace ws::server {
namespace {

/// A record takes two. A client that sends others than of data, without an end, waits for its turn
/// as all do.
constexpr int kReadsInCall = 16;

}  // namespace

/// A socket's calls that neither block nor raise SIGPIPE.
struct TlsChannel::WireCalls {
  static int read(BIO* bio, char* bytes, std::size_t size, std::size_t* count) {
    Wire& wire = *static_cast<Wire*>(::BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (wire.reads_left-- <= 0) {
      BIO_set_retry_read(bio);
      return 0;
    }
    const ssize_t got = ::recv(wire.socket, bytes, size, MSG_DONTWAIT);
    wire.ended = got == 0;
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      BIO_set_retry_read(bio);
    }
    *count = got > 0 ? static_cast<std::size_t>(got) : 0;
    return got > 0 ? 1 : 0;
  }

  static int write(BIO* bio, const char* bytes, std::size_t size, std::size_t* count) {
    const Wire& wire = *static_cast<Wire*>(::BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const ssize_t sent = ::send(wire.socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
      BIO_set_retry_write(bio);
    }
    *count = sent > 0 ? static_cast<std::size_t>(sent) : 0;
    return sent > 0 ? 1 : 0;
  }

  static long control(BIO* bio, int order, long /*number*/, void* /*pointer*/) {
    const Wire& wire = *static_cast<Wire*>(::BIO_get_data(bio));
    return order == BIO_CTRL_FLUSH || (order == BIO_CTRL_EOF && wire.ended) ? 1 : 0;
  }

  /// Null: there is no memory for it.
  static const BIO_METHOD* method() {
    static const BIO_METHOD* const made = [] {
      BIO_METHOD* const calls =
          ::BIO_meth_new(::BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
      if (calls != nullptr) {
        ::BIO_meth_set_read_ex(calls, &WireCalls::read);
        ::BIO_meth_set_write_ex(calls, &WireCalls::write);
        ::BIO_meth_set_ctrl(calls, &WireCalls::control);
      }
      return calls;
    }();
    return made;
  }
};

TlsChannel::TlsChannel(TlsSession session, int socket)
    : wire_{.socket = socket},
      session_(std::move(session)) {
  const BIO_METHOD* const method = WireCalls::method();
  BIO* const bio = method == nullptr ? nullptr : ::BIO_new(method);
  if (bio == nullptr) {
    ::ERR_clear_error();
    throw std::bad_alloc();
  }
  ::BIO_set_data(bio, &wire_);
  ::BIO_set_init(bio, 1);
  ::SSL_set_bio(session_.get(), bio, bio);  // The session frees it.
}

TlsChannel::Handshake TlsChannel::shake_hands() {
  wire_.reads_left = kReadsInCall;
  ::ERR_clear_error();
  const int done = ::SSL_do_handshake(session_.get());
  const int error = ::SSL_get_error(session_.get(), done);
  wants_write_ = error == SSL_ERROR_WANT_WRITE;
  if (done == 1) {
    return Handshake::kDone;
  }
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    return Handshake::kGoesOn;
  }
  if (error != SSL_ERROR_SSL || wire_.ended) {
    ::ERR_clear_error();
    return Handshake::kLeft;
  }
  const long verified = ::SSL_get_verify_result(session_.get());
  reason_ = take_tls_reason();
  if (verified != X509_V_OK) {
    reason_.append(": ").append(::X509_verify_cert_error_string(verified));
  }
  return Handshake::kFailed;
}

ssize_t TlsChannel::read(char* bytes, std::size_t size) {
  wire_.reads_left = kReadsInCall;
  ::ERR_clear_error();
  std::size_t count = 0;
  const int done = ::SSL_read_ex(session_.get(), bytes, size, &count);
  const int error = ::SSL_get_error(session_.get(), done);
  wants_write_ = error == SSL_ERROR_WANT_WRITE;
  if (done == 1) {
    return static_cast<ssize_t>(count);
  }
  ::ERR_clear_error();
  if (error == SSL_ERROR_ZERO_RETURN) {
    return 0;
  }
  errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : EPROTO;
  return -1;
}

ssize_t TlsChannel::write(const char* bytes, std::size_t size) {
  ::ERR_clear_error();
  std::size_t count = 0;
  const int done = ::SSL_write_ex(session_.get(), bytes, size, &count);
  if (done == 1) {
    return static_cast<ssize_t>(count);
  }
  errno = ::SSL_get_error(session_.get(), done) == SSL_ERROR_WANT_WRITE ? EAGAIN : EPROTO;
  ::ERR_clear_error();
  return -1;
}

void TlsChannel::end() {
  ::ERR_clear_error();
  ::SSL_shutdown(session_.get());
  ::ERR_clear_error();
}

}  // namespace ws::server
