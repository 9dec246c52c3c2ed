// The head of an HTTP/1 request, from untrusted bytes. Strict where two readers of
// the same bytes could see different requests. Pure functions, no sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>
#include <tl/expected.hpp>

#include "server/access/principal.h"

namespace ws::server {

inline constexpr std::size_t kMaxRequestLine = std::size_t{8} << 10U;   ///< Over it: 414.
inline constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 10U;  ///< Over it: 431.
inline constexpr std::size_t kMaxHeaders = 100;                         ///< Over it: 431.

/// The parts of a request that are known before its body.
struct HttpHead {
  std::string method;
  std::string path;     ///< As sent, without a query.
  std::string query;    ///< As sent, without the question mark; empty: there is none.
  std::string address;  ///< The client's address, without its port; "unix:UID" of a Unix socket.
  std::optional<uid_t> user{};  ///< The user at the other end of a Unix socket.
  /// The sender; null before the request was screened, and where nobody is known.
  std::shared_ptr<const Principal> principal{};
  std::vector<std::pair<std::string, std::string>>
      headers;                          ///< Names in lower case, values trimmed.
  bool first_version = false;           ///< HTTP/1.0
  bool keep_alive = true;               ///< The client wants to send another.
  bool chunked = false;                 ///< The body comes in chunks.
  std::optional<std::uint64_t> length;  ///< Content-Length.
  bool expects_continue = false;        ///< The body comes when it is asked for.

  /// @param name  In lower case. Nothing when it is absent; values of several are joined by ", ".
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
};

/// ASCII letters only.
std::string lower_case(std::string_view text);

/// Why a head is refused.
struct HeadError {
  int status = 400;  ///< 400, 414, 417, 431, 505
  std::string message;
};

/// How many of `bytes` are the head with the empty line at its end; 0: more must come. Empty lines
/// before it belong to it. @errors It is too long already.
tl::expected<std::size_t, HeadError> head_size(std::string_view bytes);

/// @param head  Whole, as head_size() has found it.
/// @source RFC 9112, sections 2.2, 3, 5, 6.
tl::expected<HttpHead, HeadError> parse_head(std::string_view head);

}  // namespace ws::server
