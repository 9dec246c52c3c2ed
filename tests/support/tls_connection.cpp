#include "tests/support/tls_connection.h"

#include <array>
#include <cstdint>
#include <utility>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace ws::test {

std::unique_ptr<SSL_CTX, server::TlsFree> tls_client(const TlsClientOptions& options) {
  std::unique_ptr<SSL_CTX, server::TlsFree> context(::SSL_CTX_new(::TLS_client_method()));
  REQUIRE(context != nullptr);
  if (options.old) {
    ::SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
  }
  if (!options.ca.empty()) {
    REQUIRE(::SSL_CTX_load_verify_file(context.get(), options.ca.c_str()) == 1);
    ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  if (!options.certificate.empty()) {
    REQUIRE(::SSL_CTX_use_certificate_chain_file(context.get(), options.certificate.c_str()) == 1);
    REQUIRE(::SSL_CTX_use_PrivateKey_file(context.get(), options.key.c_str(), SSL_FILETYPE_PEM) ==
            1);
  }
  return context;
}

TlsConnection::TlsConnection(int port, const TlsClientOptions& options)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      session_(::SSL_new(tls_client(options).get())) {
  constexpr timeval kWait{10, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &kWait, sizeof(kWait));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
          0);
  REQUIRE(::SSL_set_fd(session_.get(), socket_.get()) == 1);
  connected_ = ::SSL_connect(session_.get()) == 1;
}

bool TlsConnection::send(std::string_view bytes) {
  std::size_t count = 0;
  return ::SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count) == 1;
}

std::string TlsConnection::until(std::string_view mark) {
  std::array<char, 65536> chunk{};
  std::size_t at = std::string::npos;
  while (mark.empty() || (at = buffer_.find(mark)) == std::string::npos) {
    std::size_t count = 0;
    if (::SSL_read_ex(session_.get(), chunk.data(), chunk.size(), &count) != 1) {
      return std::exchange(buffer_, {});
    }
    buffer_.append(chunk.data(), count);
  }
  std::string text = buffer_.substr(0, at + mark.size());
  buffer_.erase(0, text.size());
  return text;
}

bool TlsConnection::ended_well() const {
  return (::SSL_get_shutdown(session_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

}  // namespace ws::test
