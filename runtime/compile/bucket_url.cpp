#include "runtime/compile/bucket_url.h"

#include <algorithm>

namespace ws {
namespace {

constexpr std::string_view kSecure = "https://";
constexpr std::string_view kPlain = "http://";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr std::string_view kHostLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
/// They need no escapes in a URL, so all sign the same text.
constexpr std::string_view kPathLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

constexpr std::size_t kMostUrl = 1000;
constexpr std::size_t kMostRegion = 64;

bool has_only(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

bool is_port(std::string_view text) {
  constexpr std::size_t kMostPortDigits = 5;
  return has_only(text, kDigits) && text.size() <= kMostPortDigits && text.front() != '0' &&
         std::stoi(std::string(text)) <= UINT16_MAX;
}

/// The host of HOST[:PORT]; empty: it is none.
std::string_view host_of(std::string_view place) {
  const bool is_bracketed = place.starts_with('[');
  const std::size_t end = is_bracketed ? place.find(']') : place.find(':');
  const std::string_view host = place.substr(0, is_bracketed ? end + 1 : end);
  const std::string_view port = place.substr(std::min(host.size(), place.size()));
  const bool is_host = is_bracketed
                           ? end != std::string_view::npos &&
                                 has_only(host.substr(1, end - 1), "0123456789abcdefABCDEF:.")
                           : has_only(host, kHostLetters);
  const bool ends_well = port.empty() || (port.starts_with(':') && is_port(port.substr(1)));
  return is_host && ends_well ? host : std::string_view();
}

/// /BUCKET[/PREFIX]
bool is_bucket_path(std::string_view path) {
  std::size_t parts = 0;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    if (!has_only(part, kPathLetters) || part == "." || part == "..") {
      return false;
    }
    path.remove_prefix(part.size());
    ++parts;
  }
  return parts > 0;
}

bool is_loopback(std::string_view host) {
  constexpr std::size_t kMostLoopback = 11;  // 255.255.255
  constexpr std::string_view kLoopback = "127.";
  return host == "localhost" || host == "[::1]" ||
         (host.starts_with(kLoopback) && host.size() <= kLoopback.size() + kMostLoopback &&
          has_only(host.substr(kLoopback.size()), "0123456789.") &&
          std::ranges::count(host, '.') == 3);
}

}  // namespace

Result<std::string> bucket_url(std::string_view text) {
  if (text.find('@') != std::string_view::npos) {
    return fail(ErrorCode::kInvalidArgument,
                "the URL of --share-cache-s3 has a user in it, whose password others could read",
                "put the key into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }
  const bool is_secure = text.starts_with(kSecure);
  const std::string_view scheme = is_secure ? kSecure : kPlain;
  if (text.ends_with('/')) {
    text.remove_suffix(1);
  }
  const std::string_view rest = text.substr(std::min(scheme.size(), text.size()));
  const std::string_view place = rest.substr(0, rest.find('/'));
  const std::string_view host = host_of(place);
  if (!text.starts_with(scheme) || text.size() > kMostUrl || host.empty() ||
      !is_bucket_path(rest.substr(place.size()))) {
    return fail(ErrorCode::kInvalidArgument, "the URL of --share-cache-s3 names no bucket",
                "such as https://s3.example.org/BUCKET or https://HOST:9000/BUCKET/PREFIX, of "
                "letters, digits, '.', '_' and '-'");
  }
  if (!is_secure && !is_loopback(host)) {
    return fail(ErrorCode::kInvalidArgument,
                "the URL of --share-cache-s3 is http:, by which others could read the kernels",
                "take https:; http: is for 127.0.0.1 and localhost");
  }
  return std::string(text);
}

bool is_bucket_region(std::string_view text) {
  return has_only(text, kLower) && text.size() <= kMostRegion;
}

}  // namespace ws
