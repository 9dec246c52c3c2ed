#include "server/transport/http_head.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ws::server {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

/// Two of one of these could say two things. Others may be repeated: nothing here depends on them.
constexpr std::array<std::string_view, 9> kOnce = {
    "authorization", "content-encoding", "content-length", "content-type",      "expect",
    "host",          "origin",           "last-event-id",  "transfer-encoding",
};

tl::unexpected<HeadError> bad_head(int status, std::string message) {
  return tl::unexpected(HeadError{status, std::move(message)});
}

/// @source RFC 9110, section 5.6.2.
bool is_token(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\t';
  });
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_once(std::string_view name) {
  return name.starts_with("mcp-") || std::find(kOnce.begin(), kOnce.end(), name) != kOnce.end();
}

std::string_view without_empty_line(std::string_view bytes) {
  return bytes.starts_with(kLineEnd) ? bytes.substr(kLineEnd.size()) : bytes;
}

tl::expected<void, HeadError> parse_request_line(std::string_view line, HttpHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return bad_head(400, "the request line must be METHOD PATH HTTP/1.1");
  }
  const std::string_view version = line.substr(last + 1);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(line.substr(0, first)) || target.empty() || !is_value(target) ||
      target.find_first_of(" \t") != std::string_view::npos) {
    return bad_head(400, "the request line must be METHOD PATH HTTP/1.1");
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return bad_head(version.starts_with("HTTP/") ? 505 : 400, "this server speaks HTTP/1.1");
  }
  if (target[0] != '/' && target != "*") {
    return bad_head(400, "the request's target must be a path");
  }
  head.method = line.substr(0, first);
  const std::string_view whole = target.substr(0, target.find('#'));
  const std::size_t path = std::min(whole.find('?'), whole.size());
  head.path = whole.substr(0, path);
  head.query = whole.substr(std::min(path + 1, whole.size()));
  head.first_version = version == "HTTP/1.0";
  head.keep_alive = !head.first_version;
  return {};
}

tl::expected<void, HeadError> parse_header(std::string_view line, HttpHead& head) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return bad_head(400,
                    "a header must be NAME: VALUE on one line, without a space before the colon");
  }
  const std::string_view value = without_spaces(line.substr(colon + 1));
  if (!is_value(value)) {
    return bad_head(400, "a header's value has a control character");
  }
  std::string name = lower_case(line.substr(0, colon));
  if (is_once(name) && head.header(name)) {
    return bad_head(400, "the header " + name + " is there twice");
  }
  head.headers.emplace_back(std::move(name), value);
  return {};
}

/// Where the body ends must be beyond doubt: all that read the request have to agree on it.
tl::expected<void, HeadError> read_framing(HttpHead& head) {
  const std::optional<std::string> length = head.header("content-length");
  const std::optional<std::string> coding = head.header("transfer-encoding");
  if (length && coding) {
    return bad_head(400, "a request has a Content-Length or a Transfer-Encoding, not both");
  }
  if (coding) {
    head.chunked = !head.first_version && lower_case(*coding) == "chunked";
    if (!head.chunked) {
      return bad_head(400, "the only Transfer-Encoding is `chunked`, in HTTP/1.1");
    }
  }
  if (length) {
    std::uint64_t size = 0;
    const char* end = length->data() + length->size();
    const auto [stop, error] = std::from_chars(length->data(), end, size);
    if (length->empty() || error != std::errc{} || stop != end) {
      return bad_head(400, "the Content-Length must be a number");
    }
    head.length = size;
  }
  return {};
}

tl::expected<void, HeadError> read_connection(HttpHead& head) {
  const std::string connection = lower_case(head.header("connection").value_or(""));
  head.keep_alive = head.keep_alive && connection.find("close") == std::string::npos;
  if (const auto expect = head.header("expect")) {
    head.expects_continue = lower_case(*expect) == "100-continue";
    if (!head.expects_continue) {
      return bad_head(417, "the only Expect is `100-continue`");
    }
  }
  return {};
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::optional<std::string> HttpHead::header(std::string_view name) const {
  std::optional<std::string> found;
  for (const auto& [own, value] : headers) {
    if (own == name) {
      found = found ? *found + ", " + value : value;
    }
  }
  return found;
}

tl::expected<std::size_t, HeadError> head_size(std::string_view bytes) {
  const std::string_view request = without_empty_line(bytes);
  const std::size_t skipped = bytes.size() - request.size();
  const std::size_t line = request.substr(0, kMaxRequestLine + 1).find(kLineEnd);
  if (line == std::string_view::npos && request.size() > kMaxRequestLine) {
    return bad_head(414, "the request line is longer than 8 KiB");
  }
  if (line == std::string_view::npos) {
    return 0;
  }
  const std::size_t most = line + kMaxHeaderBytes;
  const std::size_t end = request.substr(0, most).find(kHeadEnd, line);
  if (end == std::string_view::npos && request.size() >= most) {
    return bad_head(431, "more than 100 headers, or more than 64 KiB of them");
  }
  return end == std::string_view::npos ? 0 : skipped + end + kHeadEnd.size();
}

tl::expected<HttpHead, HeadError> parse_head(std::string_view head) {
  HttpHead parsed;
  std::string_view rest = without_empty_line(head);
  const auto next_line = [&rest] {
    const std::size_t end = rest.find(kLineEnd);
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + kLineEnd.size());
    return line;
  };
  if (auto line = parse_request_line(next_line(), parsed); !line) {
    return tl::unexpected(line.error());
  }
  for (std::string_view line = next_line(); !line.empty(); line = next_line()) {
    if (parsed.headers.size() == kMaxHeaders) {
      return bad_head(431, "more than 100 headers, or more than 64 KiB of them");
    }
    if (auto header = parse_header(line, parsed); !header) {
      return tl::unexpected(header.error());
    }
  }
  if (auto framing = read_framing(parsed); !framing) {
    return tl::unexpected(framing.error());
  }
  if (auto connection = read_connection(parsed); !connection) {
    return tl::unexpected(connection.error());
  }
  return parsed;
}

}  // namespace ws::server
