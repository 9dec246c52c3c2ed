// How clients learn where to get an access token for this server (RFC 9728).
#pragma once

#include <string>
#include <string_view>

#include "server/access/access_token.h"

namespace ws::server {

/// Where a client finds the metadata of a server of which it knows no path.
inline constexpr std::string_view kResourceMetadata = "/.well-known/oauth-protected-resource";

class ProtectedResource {
 public:
  /// @param rules  Their resource is a URL with a scheme and a host.
  explicit ProtectedResource(const TokenRules& rules);

  /// Whether the metadata is there: with the path of the resource behind it, or without.
  [[nodiscard]] bool is_at(std::string_view path) const {
    return path == kResourceMetadata || path == path_;
  }

  /// The metadata, as JSON.
  [[nodiscard]] const std::string& metadata() const { return metadata_; }

  /// The part of a WWW-Authenticate header that names the metadata, and the scopes that a client
  /// needs at least for `role`, which begins with ", ".
  [[nodiscard]] std::string challenge(Role role) const;

 private:
  const TokenRules rules_;
  std::string path_;
  std::string url_;  // of the metadata
  std::string metadata_;
};

}  // namespace ws::server
