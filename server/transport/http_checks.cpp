#include "server/transport/http_checks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "server/transport/login_refusals.h"
#include "server/transport/operator_pages.h"

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
  return {.status = status, .message = std::move(message)};
}

HttpRefusal refused_method(std::string message, std::string allowed) {
  return {.status = 405, .message = std::move(message), .allow = std::move(allowed)};
}

/// The origin without its scheme; nothing for what is no origin of a web page.
std::optional<std::string_view> host_of_origin(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) {
      return origin.substr(scheme.size());
    }
  }
  return {};
}

/// Whether a request comes from this server's own page, by the name that it was asked by: browsers
/// send the origin of a script that is a module. Behind a proxy the scheme may differ.
bool is_own_origin(std::string_view origin, const std::optional<std::string>& host) {
  const std::optional<std::string_view> named = host_of_origin(origin);
  return named && host && lower_case(*named) == lower_case(*host);
}

std::optional<HttpRefusal> check_origin(const HttpHead& head, const HttpAccess& access) {
  const std::optional<std::string> host = head.header("host");
  if (access.local_only && !head.user && (!host || !is_local_host(*host))) {
    return refusal(403,
                   "the Host header must be localhost, 127.0.0.1 or [::1]: this server answers "
                   "this machine only");
  }
  const std::optional<std::string> origin = head.header("origin");
  const bool own = !access.local_only && origin && is_own_origin(*origin, host);
  if (origin && !own && !is_local_origin(*origin)) {
    return refusal(403, "requests from web pages of other origins are refused");
  }
  return {};
}

/// Notes who sends the request.
std::optional<HttpRefusal> check_sender(HttpHead& head, const HttpAccess& access) {
  const Admission admission = access.gate->admit(
      {.address = head.address, .user = head.user, .authorization = head.header("authorization")},
      Clock::now());
  head.principal = admission.who;
  return admission.entry == Entry::kAdmitted
             ? std::nullopt
             : std::optional(refusal_of_login(admission, head.user, access.resource.get()));
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

/// A page for operators.
std::optional<HttpRefusal> screen_page(HttpHead& head, const HttpAccess& access) {
  const bool open = head.path == kHealthPath || head.path == kReadyPath ||
                    (head.path == kMetricsPath && access.metrics_open) || is_page_asset(head.path);
  if (auto refused = open ? std::nullopt : check_sender(head, access)) {
    return refused;
  }
  if (head.path == kAdminPath) {
    if (!head.principal->may(Role::kAdmin)) {
      return HttpRefusal{
          .status = 403,
          .message = refused_role(kAdminPath, Role::kAdmin, *head.principal),
          .authenticate = scope_challenge(head.principal.get(), access.resource.get())};
    }
    return head.method == "POST"
               ? check_body_headers(head)
               : refused_method("only POST is allowed here: an order as a JSON object", "POST");
  }
  const bool answers_head = head.path == kHealthPath || is_page_path(head.path);
  if (head.method != "GET" && (head.method != "HEAD" || !answers_head)) {
    return refused_method("only GET is allowed here", answers_head ? "GET, HEAD" : "GET");
  }
  return {};
}

}  // namespace

std::optional<HttpRefusal> screen_request(HttpHead& head, const HttpAccess& access) {
  if (auto refused = check_origin(head, access)) {
    return refused;
  }
  const bool asks = head.method == "GET" || head.method == "HEAD";
  if ((asks && head.path == kHealthPath) || (access.has_page && access.has_page(head.path))) {
    return screen_page(head, access);
  }
  if (access.resource && access.resource->is_at(head.path)) {
    return asks ? std::nullopt
                : std::optional(refused_method("only GET is allowed here", "GET, HEAD"));
  }
  if (is_sign_in_path(head.path)) {
    return refusal(404, access.resource ? "this server issues no tokens: " +
                                              std::string(kResourceMetadata) + " names who does"
                        : access.gate->guarded()
                            ? "there is no OAuth here: this server's token is sent as a header, "
                              "`Authorization: Bearer TOKEN`"
                            : "this server needs no sign-in: there is no OAuth here");
  }
  if (auto refused = check_sender(head, access)) {
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
    return refused_method(
        access.sessions ? "only POST is allowed here without a session"
                        : "only POST is allowed here: there are no sessions or standing streams",
        "POST");
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
  const std::optional<std::string_view> host = host_of_origin(origin);
  return host && is_local_host(*host);
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
                "set WARPSMITH_TOKEN, --token-file FILE or --principals FILE, or listen on "
                "127.0.0.1 and reach it "
                "from elsewhere through ssh -L");
  }
  const bool bracketed = parts.host.starts_with('[') && parts.host.ends_with(']');
  return ListenAddress{bracketed ? parts.host.substr(1, parts.host.size() - 2) : parts.host, *port,
                       loopback};
}

}  // namespace ws::server
