// TLS over a pair of sockets, both ends in one thread.
#include "server/transport/tls_channel.h"

#include <array>
#include <cerrno>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "tests/support/test_certificates.h"
#include "tests/support/tls_connection.h"

namespace ws::server {
namespace {

using test::TestIssuer;
using test::TlsFolder;
using Handshake = TlsChannel::Handshake;

/// A server's channel and a client, whose socket does not block either.
struct Ends {
  explicit Ends(const test::TlsClientOptions& options = {}) {
    files.write(TestIssuer());
    const auto opened = TlsContext::open({files.certificate, files.key, ""});
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    context = *opened;
    int sockets[2] = {-1, -1};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets) == 0);
    server_end = Fd(sockets[0]);
    client_end = Fd(sockets[1]);
    channel = std::make_unique<TlsChannel>(context->session(), server_end.get());
    client.reset(::SSL_new(test::tls_client(options).get()));
    REQUIRE(::SSL_set_fd(client.get(), client_end.get()) == 1);
    ::SSL_set_connect_state(client.get());
  }

  /// Both go on by turns until the server's side knows how it ended.
  Handshake shake_hands() {
    for (int turn = 0; turn < 10; ++turn) {
      ::SSL_do_handshake(client.get());
      const Handshake now = channel->shake_hands();
      if (now != Handshake::kGoesOn) {
        return now;
      }
    }
    return Handshake::kGoesOn;
  }

  /// The bytes that the channel gives next; "wait", "end" or "broken" where it gives none.
  std::string read() {
    std::array<char, TlsChannel::kRecordBytes> bytes{};
    const ssize_t count = channel->read(bytes.data(), bytes.size());
    if (count < 0) {
      return errno == EAGAIN ? "wait" : "broken";
    }
    return count == 0 ? "end" : std::string(bytes.data(), static_cast<std::size_t>(count));
  }

  void send(const std::string& text) {
    std::size_t count = 0;
    REQUIRE(::SSL_write_ex(client.get(), text.data(), text.size(), &count) == 1);
  }

  const TestFolder folder;
  const TlsFolder files{folder.path()};
  std::shared_ptr<TlsContext> context;
  Fd server_end;
  Fd client_end;
  std::unique_ptr<TlsChannel> channel;
  TlsSession client;
};

}  // namespace

TEST_SUITE("transport.tls_channel") {
  TEST_CASE("a handshake goes on with each piece, however small, and bytes follow it") {
    Ends ends;
    CHECK(ends.channel->shake_hands() == Handshake::kGoesOn);
    CHECK_FALSE(ends.channel->wants_write());
    // The client's first message comes byte by byte.
    BIO* const made = ::BIO_new(::BIO_s_mem());
    ::SSL_set0_wbio(ends.client.get(), made);
    ::SSL_do_handshake(ends.client.get());
    char byte = 0;
    while (::BIO_read(made, &byte, 1) == 1) {
      REQUIRE(::send(ends.client_end.get(), &byte, 1, 0) == 1);
      REQUIRE(ends.channel->shake_hands() == Handshake::kGoesOn);
    }
    ::SSL_set_fd(ends.client.get(), ends.client_end.get());
    CHECK(ends.shake_hands() == Handshake::kDone);
    CHECK(ends.read() == "wait");
    ends.send("hello");
    ends.send("again");
    CHECK(ends.read() == "hello");
    CHECK(ends.read() == "again");
    CHECK(ends.read() == "wait");
    ::SSL_shutdown(ends.client.get());
    CHECK(ends.read() == "end");
  }

  TEST_CASE("a client that speaks no TLS 1.3, or leaves, ends the handshake") {
    Ends old({.old = true});
    CHECK(old.shake_hands() == Handshake::kFailed);
    CHECK(old.channel->reason() == "unsupported protocol");
    Ends left;
    ::SSL_do_handshake(left.client.get());
    CHECK(left.channel->shake_hands() == Handshake::kGoesOn);
    left.client_end.reset();
    CHECK(left.channel->shake_hands() == Handshake::kLeft);
    Ends nonsense;
    REQUIRE(::send(nonsense.client_end.get(), "\x16\x03\x01\x00\x05hello", 10, 0) == 10);
    CHECK(nonsense.channel->shake_hands() == Handshake::kFailed);
  }

  TEST_CASE("what the client does not take yet is sent later, whole and in order") {
    Ends ends;
    REQUIRE(ends.shake_hands() == Handshake::kDone);
    std::string text;
    for (int i = 0; text.size() < (std::size_t{4} << 20U); ++i) {
      text += std::to_string(i) + " ";
    }
    std::string out = text;
    std::string received;
    int waits = 0;
    std::array<char, 65536> bytes{};
    while (received.size() < text.size()) {
      ssize_t count = 0;
      while (!out.empty() && (count = ends.channel->write(out.data(), out.size())) > 0) {
        out.erase(0, static_cast<std::size_t>(count));
      }
      if (count < 0) {
        REQUIRE(errno == EAGAIN);
        ++waits;
      }
      std::size_t got = 0;
      while (::SSL_read_ex(ends.client.get(), bytes.data(), bytes.size(), &got) == 1) {
        received.append(bytes.data(), got);
      }
    }
    CHECK(waits > 0);
    CHECK(received == text);
    ends.channel->end();
    std::size_t got = 0;
    CHECK(::SSL_read_ex(ends.client.get(), bytes.data(), bytes.size(), &got) == 0);
    CHECK(::SSL_get_shutdown(ends.client.get()) == SSL_RECEIVED_SHUTDOWN);
  }

  TEST_CASE("records without data do not keep a call busy") {
    Ends ends;
    REQUIRE(ends.shake_hands() == Handshake::kDone);
    for (int i = 0; i < 30; ++i) {
      REQUIRE(::SSL_key_update(ends.client.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
      REQUIRE(::SSL_do_handshake(ends.client.get()) == 1);
    }
    ends.send("x");
    int calls = 1;
    while (ends.read() == "wait") {
      REQUIRE(++calls < 100);
    }
    CHECK(calls > 2);
  }
}

}  // namespace ws::server
