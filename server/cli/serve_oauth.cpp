#include "server/cli/serve_oauth.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/clock.h"
#include "runtime/base/files.h"
#include "runtime/base/log.h"
#include "server/cli/http_client.h"
#include "server/transport/http_checks.h"

namespace ws::server {
namespace {

constexpr int kFetchLimitS = 5;

/// Its parts: "https://HOST" and "/PATH", which may be empty.
struct UrlParts {
  std::string place;
  std::string path;
};

/// Somebody who can change keys on their way can make tokens: what leaves this machine is
/// encrypted.
/// @param name  For the messages: "--oauth-issuer".
Result<UrlParts> trusted_url(const std::string& name, const std::string& url) {
  const std::string_view secure = "https://";
  const std::string_view plain = "http://";
  const std::size_t scheme = url.starts_with(secure) ? secure.size() : plain.size();
  const std::size_t path = std::min(url.find('/', std::min(scheme, url.size())), url.size());
  const bool printable = std::all_of(url.begin(), url.end(), [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '\\' && c != '#' && c != '?';
  });
  if (!printable || path <= scheme || !(url.starts_with(secure) || url.starts_with(plain))) {
    return fail(ErrorCode::kInvalidArgument, name + " is not a URL: " + url,
                "such as https://login.example/realm");
  }
  UrlParts parts{.place = url.substr(0, path), .path = url.substr(path)};
  if (url.starts_with(plain) && !is_local_host(parts.place.substr(scheme))) {
    return fail(ErrorCode::kInvalidArgument,
                name + " must begin with https:// unless it is on this machine: " + url,
                "for tests, use localhost");
  }
  return parts;
}

Result<std::string> get(const std::string& url, const std::string& ca) {
  WS_TRY(const UrlParts parts, trusted_url("the address of the keys", url));
  HttpTrust trust;
  trust.ca = ca;
  WS_TRY(HttpAnswer answer,
         http_get({.server = parts.place, .path = parts.path.empty() ? "/" : parts.path}, trust,
                  kFetchLimitS));
  constexpr int kFound = 200;
  if (answer.status != kFound) {
    return fail(ErrorCode::kIo, url + " answers with status " + std::to_string(answer.status));
  }
  return std::move(answer.body);
}

/// The address of the issuer's keys, as its metadata says.
/// @source RFC 8414, sections 3 and 5; OpenID Connect Discovery 1.0, section 4.
Result<std::string> discovered(const std::string& issuer, const std::string& ca) {
  WS_TRY(const UrlParts parts, trusted_url("--oauth-issuer", issuer));
  const std::string path = parts.path == "/" ? "" : parts.path;
  Result<std::string> text =
      get(parts.place + "/.well-known/oauth-authorization-server" + path, ca);
  if (!text) {
    text = get(parts.place + path + "/.well-known/openid-configuration", ca);
  }
  if (!text) {
    return fail(std::move(text).error());
  }
  const auto read = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const auto word = [&](const char* name) {
    const auto at = read.is_object() ? read.find(name) : read.end();
    return read.is_object() && at != read.end() && at->is_string() ? at->get<std::string>() : "";
  };
  if (word("issuer") != issuer || word("jwks_uri").empty()) {
    return fail(ErrorCode::kIo,
                "the metadata of the issuer names another issuer, or no keys (`jwks_uri`)",
                "name their address: --oauth-keys-url URL");
  }
  return word("jwks_uri");
}

IssuerKeys::Fetch fetch_of(const OAuthOptions& options) {
  return [options]() -> Result<std::string> {
    std::string url = options.key_url;
    if (url.empty()) {
      WS_TRY(url, discovered(options.rules.issuer, options.ca));
    }
    return get(url, options.ca);
  };
}

Result<std::unique_ptr<IssuerKeys>> keys_of(const OAuthOptions& options) {
  if (!options.key_file.empty()) {
    return IssuerKeys::from_file(options.key_file);
  }
  if (!options.key_url.empty()) {
    WS_CHECK(trusted_url("--oauth-keys-url", options.key_url));
  }
  if (!options.ca.empty()) {
    WS_CHECK(read_file(options.ca));
  }
  return std::make_unique<IssuerKeys>(fetch_of(options), IssuerKeys::Pace{});
}

}  // namespace

Result<std::shared_ptr<const AccessTokens>> open_oauth(const OAuthOptions& options) {
  const TokenRules& rules = options.rules;
  if (rules.issuer.empty() && rules.resource.empty() && options.key_file.empty() &&
      options.key_url.empty()) {
    return std::shared_ptr<const AccessTokens>();
  }
  if (rules.issuer.empty() || rules.resource.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "access tokens need --oauth-issuer and --oauth-resource, and one is missing",
                "such as --oauth-issuer https://login.example --oauth-resource "
                "https://gpu.example:7411/mcp");
  }
  WS_CHECK(trusted_url("--oauth-issuer", rules.issuer));
  WS_CHECK(trusted_url("--oauth-resource", rules.resource));
  if (!options.key_file.empty() && !options.key_url.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--oauth-keys and --oauth-keys-url exclude each other",
                "the keys come from a file, or from an address");
  }
  WS_TRY(std::unique_ptr<IssuerKeys> keys, keys_of(options));
  constexpr std::int64_t kMsInSecond = 1000;
  return std::make_shared<const AccessTokens>(rules, std::move(keys),
                                              [] { return unix_ms() / kMsInSecond; });
}

void reload_oauth(const AccessTokens& tokens) {
  const Status reloaded = tokens.reload();
  log(reloaded ? LogLevel::kInfo : LogLevel::kError, "oauth",
      reloaded ? "the issuer's keys are read again"
               : "the issuer's keys stay as they were: " + to_text(reloaded.error()));
}

}  // namespace ws::server
