#include "server/transport/login_refusals.h"

#include <string>
#include <string_view>
#include <utility>

namespace ws::server {
namespace {

/// A WWW-Authenticate header. @param error  As RFC 6750 names it; empty: no token was shown.
std::string challenge(const ProtectedResource* resource, Role role, const std::string& error,
                      std::string_view why = {}) {
  std::string header = "Bearer realm=\"warpsmith\"";
  header += resource != nullptr ? resource->challenge(role) : "";
  header += error.empty() ? "" : ", error=\"" + error + "\"";
  return why.empty() ? header : header + ", error_description=\"" + std::string(why) + "\"";
}

/// @source RFC 6750, section 3: no error code when no token was shown.
HttpRefusal missing_token(Entry entry, std::optional<uid_t> sender,
                          const ProtectedResource* resource) {
  if (entry == Entry::kUnknownUser) {
    const std::string user = std::to_string(sender.value_or(0));
    return {.status = 401,
            .message = "the user " + user +
                       " is no principal of this server: its principals file needs one with `uid "
                       "= " +
                       user + "`, or send the header `Authorization: Bearer TOKEN`",
            .authenticate = challenge(resource, Role::kUse, "")};
  }
  return {.status = 401,
          .message =
              "this server wants a token: send the header `Authorization: Bearer TOKEN` "
              "(claude mcp add --header, warpsmith call with WARPSMITH_TOKEN set)",
          .authenticate = challenge(resource, Role::kUse, "")};
}

HttpRefusal wrong_token(const ProtectedResource* resource) {
  return {.status = 401,
          .message =
              "the Authorization header does not hold a token of this server: it must be `Bearer "
              "TOKEN`, with what `warpsmith token new` printed, or what WARPSMITH_TOKEN or the "
              "token file of the server says",
          .authenticate = challenge(resource, Role::kUse, "invalid_token")};
}

/// An access token that an issuer may have made.
HttpRefusal refused_access_token(TokenFault fault, const ProtectedResource* resource) {
  const std::string_view why = text_of(fault);
  std::string message = "the token is refused: " + std::string(why);
  if (fault == TokenFault::kKeysAwaited) {
    return {.status = 503, .message = std::move(message)};
  }
  const bool scope = fault == TokenFault::kNoScope;
  return {.status = scope ? 403 : 401,
          .message = std::move(message),
          .authenticate = challenge(resource, scope ? Role::kRead : Role::kUse,
                                    scope ? "insufficient_scope" : "invalid_token", why)};
}

HttpRefusal limit_refusal(const std::string& what, const Admission& admission) {
  return {.status = 429,
          .message = what + "; try again in " + std::to_string(admission.wait.count()) + " s",
          .retry_after = admission.wait};
}

}  // namespace

HttpRefusal refusal_of_login(const Admission& admission, std::optional<uid_t> user,
                             const ProtectedResource* resource) {
  const std::string limit = std::to_string(admission.per_minute);
  switch (admission.entry) {
    case Entry::kTooManyLogins:
      return limit_refusal(
          "more than " + limit + " wrong tokens came from this address within a minute", admission);
    case Entry::kTooManyRequests:
      return limit_refusal(
          "the principal `" + admission.who->name + "` may send " + limit + " requests a minute",
          admission);
    case Entry::kNoToken:
    case Entry::kUnknownUser:
      return missing_token(admission.entry, user, resource);
    case Entry::kAdmitted:
    case Entry::kWrongToken:
    case Entry::kNoScope:
    case Entry::kKeysAwaited:
      break;
  }
  return admission.fault ? refused_access_token(*admission.fault, resource) : wrong_token(resource);
}

std::string scope_challenge(const Principal* who, const ProtectedResource* resource) {
  if (who == nullptr || resource == nullptr || !who->name.starts_with(kOAuthNames)) {
    return {};
  }
  return challenge(resource, who->may(Role::kUse) ? Role::kAdmin : Role::kUse,
                   "insufficient_scope");
}

}  // namespace ws::server
