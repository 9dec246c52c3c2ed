// The bytes of a connection: how they come and go, as they are or through TLS.
#include <array>
#include <cerrno>

#include <sys/socket.h>

#include "server/transport/http_link.h"

namespace ws::server {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10U;
static_assert(kReadBytes >= TlsChannel::kRecordBytes);

constexpr char kTlsRecord = 0x16;  ///< The first byte of every TLS handshake.

}  // namespace

/// Looks at the first byte, which stays where it is. False: it is not here, or not one of TLS.
bool HttpLink::begin_tls() {
  char first = 0;
  const ssize_t count = ::recv(socket_.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
    lose();
  } else if (count > 0 && first != kTlsRecord) {
    refuse(400, "this port speaks TLS 1.3: use https://");
  } else if (count > 0) {
    enter(Phase::kHandshake, server_.limits.head_seconds);
    tls_ = std::make_unique<TlsChannel>(tls_context_->session(), socket_.get());
  }
  return tls_ != nullptr;
}

void HttpLink::shake_hands() {
  if (!tls_ && !begin_tls()) {
    return;
  }
  switch (tls_->shake_hands()) {
    case TlsChannel::Handshake::kGoesOn:
      return;
    case TlsChannel::Handshake::kDone:
      count_handshake("done");
      wait_for_head();
      return;
    case TlsChannel::Handshake::kLeft:
      count_handshake("left");
      lose();
      return;
    case TlsChannel::Handshake::kFailed:
      count_handshake("failed");
      server_.handlers.refuse(address_, 400, "the TLS handshake failed: " + tls_->reason());
      end_output();
      return;
  }
}

/// As ::recv(). What is dropped anyway is not deciphered.
ssize_t HttpLink::receive(char* bytes, std::size_t size) {
  return tls_ ? tls_->read(bytes, size) : ::recv(socket_.get(), bytes, size, MSG_DONTWAIT);
}

/// As ::send().
ssize_t HttpLink::transmit(std::string_view bytes) {
  return tls_ ? tls_->write(bytes.data(), bytes.size())
              : ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void HttpLink::read() {
  if (phase_ != Phase::kHead && phase_ != Phase::kBody && phase_ != Phase::kDraining) {
    return;
  }
  std::array<char, kReadBytes> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const ssize_t count = receive(bytes.data(), bytes.size());
  if (count > 0) {
    take_bytes({bytes.data(), static_cast<std::size_t>(count)});
  } else if (count == 0) {
    on_end_of_input();
  } else if (errno != EAGAIN && errno != EINTR) {
    lose();
  }
}

}  // namespace ws::server
