#include "server/access/access_token.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace ws::server {
namespace {

using nlohmann::json;
using Fault = tl::unexpected<TokenFault>;

constexpr std::size_t kLongestToken = std::size_t{16} << 10U;
constexpr std::size_t kLongestName = 128;
constexpr double kLeewaySeconds = 30;

constexpr std::array kFaultTexts = {
#define WS_TOKEN_FAULT(id, text) std::string_view(text),
#include "server/access/token_faults.def"
#undef WS_TOKEN_FAULT
};

/// Empty: it is missing, or no text.
std::string claim_text(const json& claims, const std::string& name) {
  const auto at = claims.find(name);
  return at != claims.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// Whether the claim is the text, or an array that holds it.
bool names(const json& claims, const char* claim, const std::string& text) {
  const auto at = claims.find(claim);
  if (at == claims.end()) {
    return false;
  }
  return *at == text ||
         (at->is_array() && std::find(at->begin(), at->end(), json(text)) != at->end());
}

/// Nothing: it is missing. [seconds since the Unix epoch]
tl::expected<std::optional<double>, TokenFault> time_in(const json& claims, const char* claim) {
  const auto at = claims.find(claim);
  if (at == claims.end()) {
    return std::nullopt;
  }
  if (!at->is_number()) {
    return Fault(TokenFault::kMalformed);
  }
  return at->get<double>();
}

struct TokenHeader {
  const SignatureMethod* method = nullptr;
  std::optional<std::string> key_id{};
};

/// A media type in any case, whose "application/" may be left out.
/// @source RFC 7515, section 4.1.9; RFC 9068, section 2.1.
bool is_token_type(const json& header) {
  constexpr std::string_view kApplication = "application/";
  if (!header.contains("typ")) {
    return true;
  }
  std::string type = claim_text(header, "typ");
  std::transform(type.begin(), type.end(), type.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string_view kind =
      std::string_view(type).substr(type.starts_with(kApplication) ? kApplication.size() : 0);
  return kind == "jwt" || kind == "at+jwt";
}

tl::expected<TokenHeader, TokenFault> read_header(std::string_view token) {
  const auto text = decoded_part(token.substr(0, token.find('.')));
  const json header = json::parse(text.value_or(""), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) {
    return Fault(TokenFault::kMalformed);
  }
  TokenHeader read;
  read.method = signature_method(claim_text(header, "alg"));
  if (read.method == nullptr) {
    return Fault(TokenFault::kMethod);
  }
  if (header.contains("crit")) {
    return Fault(TokenFault::kExtension);
  }
  if (!is_token_type(header)) {
    return Fault(TokenFault::kType);
  }
  if (header.contains("kid")) {
    read.key_id = claim_text(header, "kid");
  }
  return read;
}

std::optional<TokenFault> check_times(const json& claims, std::int64_t now_s) {
  const auto now = static_cast<double>(now_s);
  const auto end = time_in(claims, "exp");
  const auto start = time_in(claims, "nbf");
  if (!end || !start) {
    return TokenFault::kMalformed;
  }
  if (!*end) {
    return TokenFault::kNoEnd;
  }
  if (now >= **end + kLeewaySeconds) {
    return TokenFault::kExpired;
  }
  return *start && now + kLeewaySeconds < **start ? std::optional(TokenFault::kNotYet)
                                                  : std::nullopt;
}

/// Not those that end a word, or a text in quotes, of a log or a header.
bool is_name_character(char c) {
  return c > ' ' && c <= '~' && c != '"' && c != '\\' && c != '`';
}

/// The words of `scope`, or of `scp`, which some issuers write in its place.
std::vector<std::string> scopes_of(const json& claims) {
  std::vector<std::string> scopes;
  for (const char* claim : {"scope", "scp"}) {
    const auto at = claims.find(claim);
    if (at != claims.end() && at->is_array()) {
      for (const json& one : *at) {
        scopes.push_back(one.is_string() ? one.get<std::string>() : std::string());
      }
    }
    std::string words = claim_text(claims, claim) + " ";
    for (std::size_t end = 0; (end = words.find(' ')) != std::string::npos;
         words.erase(0, end + 1)) {
      scopes.push_back(words.substr(0, end));
    }
  }
  return scopes;
}

CheckedToken read_claims(const json& claims, const TokenRules& rules) {
  TokenClaims read;
  read.name = claim_text(claims, rules.name_claim);
  if (read.name.empty() || read.name.size() > kLongestName ||
      !std::all_of(read.name.begin(), read.name.end(), is_name_character)) {
    return Fault(TokenFault::kNoName);
  }
  const std::vector<std::string> scopes = scopes_of(claims);
  for (const Role role : {Role::kAdmin, Role::kUse, Role::kRead}) {
    if (std::find(scopes.begin(), scopes.end(), scope_of(rules, role)) != scopes.end()) {
      read.role = role;
      return read;
    }
  }
  return Fault(TokenFault::kNoScope);
}

}  // namespace

std::string_view text_of(TokenFault fault) {
  return kFaultTexts.at(static_cast<std::size_t>(fault));
}

bool is_signed_form(std::string_view token) {
  return std::count(token.begin(), token.end(), '.') == 2;
}

CheckedToken check_access_token(std::string_view token, const JwkSet& keys, const TokenRules& rules,
                                std::int64_t now_s) {
  if (token.size() > kLongestToken || !is_signed_form(token)) {
    return Fault(TokenFault::kMalformed);
  }
  const auto header = read_header(token);
  if (!header) {
    return Fault(header.error());
  }
  const JwkSet::Opened opened = keys.open(token, *header->method, header->key_id);
  if (opened.check != JwkSet::Check::kSigned) {
    return Fault(opened.check == JwkSet::Check::kUnknownKey ? TokenFault::kUnknownKey
                                                            : TokenFault::kSignature);
  }
  const json claims = json::parse(opened.claims, nullptr, /*allow_exceptions=*/false);
  if (!claims.is_object()) {
    return Fault(TokenFault::kMalformed);
  }
  if (claim_text(claims, "iss") != rules.issuer) {
    return Fault(TokenFault::kIssuer);
  }
  if (!names(claims, "aud", rules.resource)) {
    return Fault(TokenFault::kAudience);
  }
  if (const std::optional<TokenFault> fault = check_times(claims, now_s)) {
    return Fault(*fault);
  }
  return read_claims(claims, rules);
}

std::string claimed_user(std::string_view token, const TokenRules& rules) {
  if (token.size() > kLongestToken || !is_signed_form(token)) {
    return {};
  }
  const std::size_t first = token.find('.') + 1;
  const auto text = decoded_part(token.substr(first, token.find('.', first) - first));
  const json claims = json::parse(text.value_or(""), nullptr, /*allow_exceptions=*/false);
  return claims.is_object() ? claim_text(claims, rules.name_claim) : std::string();
}

std::string scope_of(const TokenRules& rules, Role role) {
  return rules.scope_prefix + std::string(name_of(role));
}

}  // namespace ws::server
