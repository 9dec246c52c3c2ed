#include "server/transport/http_listener.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "server/transport/socket_place.h"

namespace ws::server {
namespace {

constexpr int kBacklog = 1024;  // Fewer would drop connections of a burst for a second.

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses addresses_of(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const bool known = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(),
                                   &hints, &found) == 0;
  return {known ? found : nullptr, &::freeaddrinfo};
}

/// Invalid where it cannot be bound; errno says why.
Fd bound_socket(const addrinfo& at) {
  Fd socket(::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) {
    return {};
  }
  const int yes = 1;
  const int no = 0;
  // Without SO_REUSEPORT: two servers on one port would share its connections.
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (at.ai_family == AF_INET6) {
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
  }
  if (::bind(socket.get(), at.ai_addr, at.ai_addrlen) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    return {};
  }
  return socket;
}

int port_of(const Fd& socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return 0;
  }
  return ntohs(name.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(name).sin6_port
                                          : reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

/// As numbers; one of IPv4 that came over IPv6 as one of IPv4.
std::string address_text(const sockaddr_storage& name) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* at =
      name.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(name).sin6_addr)
          : &reinterpret_cast<const sockaddr_in&>(name).sin_addr;
  ::inet_ntop(name.ss_family, at, text.data(), static_cast<socklen_t>(text.size()));
  const std::string address = text.data();
  const std::string mapped = "::ffff:";
  const bool is_mapped = address.starts_with(mapped) && address.find('.') != std::string::npos;
  return is_mapped ? address.substr(mapped.size()) : address;
}

}  // namespace

Result<Listener> listen_on(const ListenAddress& address) {
  const Addresses found = addresses_of(address);
  errno = found ? 0 : EADDRNOTAVAIL;
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    if (Fd socket = bound_socket(*at); socket.valid()) {
      const int port = port_of(socket);
      return Listener{std::move(socket), port};
    }
  }
  const bool in_use = errno == EADDRINUSE;
  return fail_errno("bind", "cannot listen on " + address.host + ":" + std::to_string(address.port),
                    in_use ? "stop the other server or choose another port" : "");
}

Visitor accept_next(const Fd& listener) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  Visitor visitor;
  visitor.socket = Fd(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&name), &size,
                                SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (visitor.socket.valid() && name.ss_family == AF_UNIX) {
    visitor.user = peer_of(visitor.socket);
    visitor.address = "unix:" + (visitor.user ? std::to_string(*visitor.user) : "unknown");
  } else if (visitor.socket.valid()) {
    const int yes = 1;
    ::setsockopt(visitor.socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    visitor.address = address_text(name);
  }
  return visitor;
}

}  // namespace ws::server
