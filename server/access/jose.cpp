// The only file that includes cjose.
#include "server/access/jose.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <cjose/cjose.h>
#include <nlohmann/json.hpp>
#include <openssl/err.h>

#include "server/access/edwards_key.h"

namespace ws::server {
namespace {

using nlohmann::json;

/// @source RFC 7518, section 3.3.
constexpr std::size_t kLeastRsaBytes = 2048 / 8;

struct FreeJose {
  void operator()(cjose_jwk_t* key) const noexcept { ::cjose_jwk_release(key); }

  void operator()(cjose_jws_t* token) const noexcept { ::cjose_jws_release(token); }

  void operator()(std::uint8_t* bytes) const noexcept {
    std::free(bytes);  // NOLINT(cppcoreguidelines-no-malloc): cjose allocates by malloc.
  }
};

using Jwk = std::unique_ptr<cjose_jwk_t, FreeJose>;
using Jws = std::unique_ptr<cjose_jws_t, FreeJose>;

/// Empty: it is missing, or no text.
std::string text_in(const json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

bool is_long_enough(const json& key) {
  const std::string modulus = decoded_part(text_in(key, "n")).value_or("");
  const std::size_t first = std::min(modulus.find_first_not_of('\0'), modulus.size());
  return modulus.size() - first >= kLeastRsaBytes;
}

/// @source RFC 8037, section 2.
bool is_edwards(const json& key) {
  return text_in(key, "kty") == "OKP" && text_in(key, "crv") == "Ed25519";
}

/// Whether it can check signatures, as far as its own words go.
bool is_for_signatures(const json& key) {
  const std::string use = text_in(key, "use");
  const std::string type = text_in(key, "kty");
  return (use.empty() || use == "sig") &&
         ((type == "RSA" && is_long_enough(key)) || type == "EC" || is_edwards(key));
}

/// Its public half only. Null: it makes no sense.
Jwk read_key(const json& key) {
  json half = json::object();
  for (const char* name : {"kty", "n", "e", "crv", "x", "y"}) {
    if (key.contains(name)) {
      half[name] = key[name];
    }
  }
  const std::string text = half.dump(-1, ' ', false, json::error_handler_t::replace);
  Jwk read(::cjose_jwk_import(text.data(), text.size(), nullptr));
  ::ERR_clear_error();
  return read;
}

}  // namespace

struct JwkSet::Key {
  Jwk jwk;  ///< Null: it is the next.
  EdwardsKey edwards;
  std::string id;      ///< Empty: it has none.
  std::string type;    ///< `kty`
  std::string curve;   ///< Empty: it has none.
  std::string method;  ///< The only one that it is for; empty: any that fits it.

  [[nodiscard]] bool fits(const SignatureMethod& wanted) const {
    return type == wanted.key_type && curve == wanted.curve &&
           (method.empty() || method == wanted.name);
  }
};

const SignatureMethod* signature_method(std::string_view name) {
  const auto* const at =
      std::find_if(kSignatureMethods.begin(), kSignatureMethods.end(),
                   [&](const SignatureMethod& method) { return method.name == name; });
  return at == kSignatureMethods.end() ? nullptr : at;
}

std::optional<std::string> decoded_part(std::string_view part) {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  const bool decoded = ::cjose_base64url_decode(part.data(), part.size(), &bytes, &size, nullptr);
  const std::unique_ptr<std::uint8_t, FreeJose> owned(bytes);
  if (!decoded) {
    return std::nullopt;
  }
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

Result<JwkSet> JwkSet::parse(std::string_view text, const std::string& origin) {
  const json read = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto list = read.is_object() ? read.find("keys") : read.end();
  if (!read.is_object() || list == read.end() || !list->is_array()) {
    return fail(ErrorCode::kInvalidArgument,
                origin + " is no key set: it must be a JSON object with the array `keys`",
                "an issuer's metadata names the address of its key set as `jwks_uri`");
  }
  Keys keys;
  for (const json& one : *list) {
    if (!one.is_object() || !is_for_signatures(one)) {
      continue;
    }
    const bool other = is_edwards(one);
    Jwk jwk = other ? Jwk() : read_key(one);
    const EdwardsKey edwards(other ? decoded_part(text_in(one, "x")).value_or("") : "");
    if (jwk != nullptr || edwards.valid()) {
      keys.push_back({.jwk = std::move(jwk),
                      .edwards = edwards,
                      .id = text_in(one, "kid"),
                      .type = text_in(one, "kty"),
                      .curve = text_in(one, "crv"),
                      .method = text_in(one, "alg")});
    }
  }
  if (keys.empty()) {
    return fail(ErrorCode::kInvalidArgument, origin + " has no key that can check signatures",
                "it needs one of RSA with 2048 bits or more, of EC on P-256, P-384 or P-521, or of "
                "Ed25519");
  }
  return JwkSet(std::make_shared<const Keys>(std::move(keys)));
}

const JwkSet::Key* JwkSet::find(const SignatureMethod& method,
                                const std::optional<std::string>& key_id) const {
  const auto fits = [&](const Key& key) {
    return key.fits(method) && (!key_id || key.id == *key_id);
  };
  const auto found = std::find_if(keys_->begin(), keys_->end(), fits);
  if (found == keys_->end() ||
      (!key_id && std::find_if(found + 1, keys_->end(), fits) != keys_->end())) {
    return nullptr;
  }
  return &*found;
}

JwkSet::Opened JwkSet::open(std::string_view token, const SignatureMethod& method,
                            const std::optional<std::string>& key_id) const {
  const Key* const key = find(method, key_id);
  if (key == nullptr) {
    return {.check = Check::kUnknownKey};
  }
  return key->jwk != nullptr ? open_with(*key, token) : open_with(key->edwards, token);
}

JwkSet::Opened JwkSet::open_with(const EdwardsKey& key, std::string_view token) {
  const std::size_t end = std::min(token.rfind('.'), token.size());
  const std::size_t middle = std::min(token.find('.') + 1, end);
  const auto signature = decoded_part(token.substr(std::min(end + 1, token.size())));
  const auto claims = decoded_part(token.substr(middle, end - middle));
  if (!signature || !claims || !key.signed_text(token.substr(0, end), *signature)) {
    return {.check = Check::kWrongSignature};
  }
  return {.check = Check::kSigned, .claims = *claims};
}

JwkSet::Opened JwkSet::open_with(const Key& key, std::string_view token) {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  const Jws jws(::cjose_jws_import(token.data(), token.size(), nullptr));
  const bool right = jws != nullptr && ::cjose_jws_verify(jws.get(), key.jwk.get(), nullptr) &&
                     ::cjose_jws_get_plaintext(jws.get(), &bytes, &size, nullptr);
  ::ERR_clear_error();  // Those of TLS are looked for in the same place.
  if (!right) {
    return {.check = Check::kWrongSignature};
  }
  return {.check = Check::kSigned,
          .claims = std::string(reinterpret_cast<const char*>(bytes), size)};
}

}  // namespace ws::server
