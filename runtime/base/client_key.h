// How queues tell clients apart: by the principal that a client belongs to, and by its own name.
#pragma once

#include <string>
#include <string_view>

namespace ws {

/// The principal of clients that had to show nothing.
inline constexpr std::string_view kLocalPrincipal = "local";

/// "@ci 10.0.0.7 agent"; the client's own name alone for kLocalPrincipal.
/// @param principal  Has no spaces. @param client  Does not begin with '@'.
std::string client_key(std::string_view principal, std::string_view client);

/// The principal that client_key() was given.
std::string_view principal_of(std::string_view client_key);

}  // namespace ws
