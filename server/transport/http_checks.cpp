#include "server/transport/http_checks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace ws::server {
namespace {

constexpr int kDefaultPort = 7411;
constexpr int kMaxPort = 65535;

/// Splits "host:port"; the brackets of an IPv6 host stay.
struct HostPort {
  std::string host;
  std::optional<std::string> port;
};

HostPort split_host(std::string_view text) {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) {
    return {lower_case(text), {}};
  }
  return {lower_case(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

std::optional<int> parse_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && port >= 0 && port <= kMaxPort ? std::optional(port) : std::nullopt;
}

HttpRefusal refusal(int status, std::string message) {
  return HttpRefusal{status, std::move(message), {}, {}};
}

std::optional<HttpRefusal> check_origin(const HttpHead& head, const HttpAccess& access) {
  const std::optional<std::string> host = head.header("host");
  if (access.local_only && (!host || !is_local_host(*host))) {
    return refusal(403,
                   "the Host header must be localhost, 127.0.0.1 or [::1]: this server answers "
                   "this machine only");
  }
  const std::optional<std::string> origin = head.header("origin");
  if (origin && !is_local_origin(*origin)) {
    return refusal(403, "requests from web pages of other origins are refused");
  }
  return {};
}

/// @source RFC 6750, section 3: no error code when no token was shown.
std::optional<HttpRefusal> check_token(const HttpHead& head, const HttpAccess& access) {
  const std::optional<std::string> shown = head.header("authorization");
  if (!access.token || access.token->matches(shown)) {
    return {};
  }
  const std::string realm = "Bearer realm=\"warpsmith\"";
  if (!shown) {
    return HttpRefusal{401,
                       "this server wants a token: send the header `Authorization: Bearer TOKEN` "
                       "(claude mcp add --header, warpsmith call with WARPSMITH_TOKEN set)",
                       {},
                       realm};
  }
  return HttpRefusal{
      401,
      "the Authorization header does not hold this server's token: it must be "
      "`Bearer TOKEN`, with what WARPSMITH_TOKEN or the token file of the server says",
      {},
      realm + ", error=\"invalid_token\""};
}

/// Clients look for a sign-in there after a 401 of some other server; a clear no ends the search.
bool is_sign_in_path(const std::string& path) {
  return path.starts_with("/.well-known/oauth-") ||
         path.starts_with("/.well-known/openid-configuration") || path == "/register";
}

std::optional<HttpRefusal> check_body_headers(const HttpHead& head) {
  const std::string type = lower_case(head.header("content-type").value_or(""));
  const std::string_view bare = std::string_view(type).substr(0, type.find(';'));
  const std::size_t last = bare.find_last_not_of(" \t");
  if (bare.substr(0, last == std::string_view::npos ? 0 : last + 1) != "application/json") {
    return refusal(415, "the Content-Type must be application/json");
  }
  if (head.header("content-encoding")) {
    return refusal(415, "the body must not have a Content-Encoding");
  }
  if (!head.length && !head.chunked) {
    return refusal(411, "a Content-Length is needed");
  }
  return {};
}

}  // namespace

std::optional<HttpRefusal> screen_request(const HttpHead& head, const HttpAccess& access) {
  if (auto refused = check_origin(head, access)) {
    return refused;
  }
  if (is_sign_in_path(head.path)) {
    return refusal(404, access.token
                            ? "there is no OAuth here: this server's token is sent as a header, "
                              "`Authorization: Bearer TOKEN`"
                            : "this server needs no sign-in: there is no OAuth here");
  }
  if (auto refused = check_token(head, access)) {
    return refused;
  }
  if (head.path != kMcpPath) {
    return refusal(404, "there is nothing here; MCP is at POST /mcp");
  }
  const bool in_session = access.sessions && head.header("mcp-session-id");
  if (in_session && (head.method == "GET" || head.method == "DELETE")) {
    return {};
  }
  if (head.method != "POST") {
    return HttpRefusal{405,
                       access.sessions
                           ? "only POST is allowed here without a session"
                           : "only POST is allowed here: there are no sessions or standing streams",
                       "POST",
                       {}};
  }
  return check_body_headers(head);
}

bool is_local_host(std::string_view host) {
  const HostPort parts = split_host(host);
  const bool port_ok = !parts.port || parse_port(*parts.port);
  return port_ok &&
         (parts.host == "localhost" || parts.host == "127.0.0.1" || parts.host == "[::1]");
}

bool is_local_origin(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) {
      return is_local_host(origin.substr(scheme.size()));
    }
  }
  return false;
}

bool accepts_event_stream(std::string_view accept) {
  return lower_case(accept).find("text/event-stream") != std::string::npos;
}

Result<ListenAddress> parse_listen_address(const std::string& text, bool has_token) {
  const HostPort parts = split_host(text);
  const std::optional<int> port = parts.port ? parse_port(*parts.port) : kDefaultPort;
  if (parts.host.empty() || !port) {
    return fail(ErrorCode::kInvalidArgument, "\"" + text + "\" is not HOST:PORT",
                "such as 127.0.0.1:7411");
  }
  constexpr std::array kLoopback = {"127.0.0.1", "localhost", "[::1]"};
  const bool loopback =
      std::find(kLoopback.begin(), kLoopback.end(), parts.host) != kLoopback.end();
  if (!loopback && !has_token) {
    return fail(ErrorCode::kInvalidArgument,
                "refusing to listen on " + parts.host +
                    " without a token: other machines could run kernels here",
                "set WARPSMITH_TOKEN or --token-file FILE, or listen on 127.0.0.1 and reach it "
                "from elsewhere through ssh -L");
  }
  const bool bracketed = parts.host.starts_with('[') && parts.host.ends_with(']');
  return ListenAddress{bracketed ? parts.host.substr(1, parts.host.size() - 2) : parts.host, *port,
                       loopback};
}

}  // namespace ws::server
