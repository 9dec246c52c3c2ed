// An HTTP/1.1 response as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ws::server {

/// Seconds after which a client that was sent away by 503 may come again.
inline constexpr const char* kRetryAfter = "5";

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
};

/// How a client sees the end of a body.
enum class HttpEnd : std::uint8_t {
  kLength,  ///< The body is there.
  kChunks,  ///< It follows in chunks.
  kClose,   ///< It follows, and the connection ends with it: HTTP/1.0 has no chunks.
};

/// How a response is sent.
struct HttpFraming {
  HttpEnd end = HttpEnd::kLength;
  bool keep_alive = true;     ///< The connection is kept for the next request.
  bool without_body = false;  ///< The request was a HEAD.
  int idle_seconds = 0;       ///< For how long the connection is kept.
};

std::string response_bytes(const HttpReply& reply, const HttpFraming& framing);

/// One chunk; not of nothing, which would be the end.
std::string chunk_bytes(std::string_view text);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// True where an Accept-Encoding header takes gzip.
bool accepts_gzip(std::string_view accepted);

/// Packs the body where that pays, fast rather than small: a body of 20 KB costs some 0.2 ms.
void pack(HttpReply& reply, std::string_view accepted);

}  // namespace ws::server
