// The only file that includes zlib.
#include "server/transport/http_reply.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <zlib.h>

namespace ws::server {
namespace {

constexpr int kNotModified = 304;  // Its length would be that of the body that is not sent.
constexpr std::size_t kWorthPacking = 1024;
constexpr int kPackLevel = 3;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header.
constexpr int kMemoryLevel = 8;

std::string_view reason_of(int status) {
  struct Row {
    int status;
    std::string_view text;
  };

  static constexpr std::array kRows = {
      Row{200, "OK"},
      Row{202, "Accepted"},
      Row{304, "Not Modified"},
      Row{400, "Bad Request"},
      Row{401, "Unauthorized"},
      Row{403, "Forbidden"},
      Row{404, "Not Found"},
      Row{405, "Method Not Allowed"},
      Row{408, "Request Timeout"},
      Row{411, "Length Required"},
      Row{413, "Content Too Large"},
      Row{414, "URI Too Long"},
      Row{415, "Unsupported Media Type"},
      Row{417, "Expectation Failed"},
      Row{429, "Too Many Requests"},
      Row{431, "Request Header Fields Too Large"},
      Row{503, "Service Unavailable"},
      Row{505, "HTTP Version Not Supported"},
  };
  const auto* row = std::find_if(kRows.begin(), kRows.end(),
                                 [status](const Row& one) { return one.status == status; });
  return row == kRows.end() ? "Error" : row->text;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Reads one entry of an Accept-Encoding header: "gzip;q=0" does not take it.
bool takes_gzip(std::string_view entry) {
  const std::size_t end = entry.find(';');
  const std::string_view coding = trim(entry.substr(0, end));
  if (coding != "gzip" && coding != "*") {
    return false;
  }
  const std::string_view weight =
      end == std::string_view::npos ? std::string_view("q=1") : trim(entry.substr(end + 1));
  return !weight.starts_with("q=") || weight.find_first_of("123456789") != std::string_view::npos;
}

}  // namespace

std::string response_bytes(const HttpReply& reply, const HttpFraming& framing) {
  std::string bytes = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  bytes.append(reason_of(reply.status)).append("\r\n");
  const auto add = [&bytes](std::string_view name, std::string_view value) {
    bytes.append(name).append(": ").append(value).append("\r\n");
  };
  for (const auto& [name, value] : reply.headers) {
    add(name, value);
  }
  if (framing.end != HttpEnd::kLength || !reply.body.empty()) {
    add("Content-Type", reply.content_type);
  }
  if (framing.end == HttpEnd::kChunks) {
    add("Transfer-Encoding", "chunked");
  } else if (framing.end == HttpEnd::kLength && reply.status != kNotModified) {
    add("Content-Length", std::to_string(reply.body.size()));
  }
  if (framing.keep_alive) {
    add("Keep-Alive", "timeout=" + std::to_string(framing.idle_seconds));
  } else {
    add("Connection", "close");
  }
  bytes.append("\r\n");
  if (framing.end == HttpEnd::kLength && !framing.without_body) {
    bytes.append(reply.body);
  }
  return bytes;
}

std::string chunk_bytes(std::string_view text) {
  std::array<char, 16> size{};
  const auto [end, error] = std::to_chars(size.data(), size.data() + size.size(), text.size(), 16);
  std::string bytes(size.data(), end);
  return bytes.append("\r\n").append(text).append("\r\n");
}

bool accepts_gzip(std::string_view accepted) {
  while (!accepted.empty()) {
    const std::size_t comma = accepted.find(',');
    if (takes_gzip(accepted.substr(0, comma))) {
      return true;
    }
    accepted.remove_prefix(comma == std::string_view::npos ? accepted.size() : comma + 1);
  }
  return false;
}

void pack(HttpReply& reply, std::string_view accepted) {
  if (reply.body.size() < kWorthPacking || !accepts_gzip(accepted)) {
    return;
  }
  z_stream stream{};
  if (::deflateInit2(&stream, kPackLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    return;
  }
  std::string packed(::deflateBound(&stream, reply.body.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(reply.body.data());
  stream.avail_in = static_cast<uInt>(reply.body.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool whole = ::deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (whole) {
    reply.body = std::move(packed);
    reply.headers.emplace_back("Content-Encoding", "gzip");
    reply.headers.emplace_back("Vary", "Accept-Encoding");
  }
}

}  // namespace ws::server
