#include "tests/support/signed_tokens.h"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include <doctest/doctest.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "server/protocol/base64.h"

namespace ws::test {
namespace {

struct FreeParts {
  void operator()(BIGNUM* number) const noexcept { ::BN_free(number); }

  void operator()(EVP_MD_CTX* digest) const noexcept { ::EVP_MD_CTX_free(digest); }

  void operator()(ECDSA_SIG* pair) const noexcept { ::ECDSA_SIG_free(pair); }
};

std::string bytes_of(const BIGNUM* number, std::size_t size) {
  std::string bytes(size, '\0');
  REQUIRE(::BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()),
                         static_cast<int>(size)) == static_cast<int>(size));
  return bytes;
}

std::string parameter(const server::TlsKey& key, const char* name, std::size_t size = 0) {
  BIGNUM* found = nullptr;
  REQUIRE(::EVP_PKEY_get_bn_param(key.get(), name, &found) == 1);
  const std::unique_ptr<BIGNUM, FreeParts> number(found);
  return token_part(
      bytes_of(number.get(), size == 0 ? static_cast<std::size_t>(BN_num_bytes(found)) : size));
}

/// The bytes of a coordinate.
std::size_t coordinate_size(const server::TlsKey& key) {
  return (static_cast<std::size_t>(::EVP_PKEY_get_bits(key.get())) + 7) / 8;
}

std::string head_and_claims(const Json& header, const Json& claims) {
  return token_part(header.dump()) + "." + token_part(claims.dump());
}

/// The two numbers of a signature, one after the other. @param der  As OpenSSL writes them.
std::string number_pair(const std::string& der, std::size_t size) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<ECDSA_SIG, FreeParts> pair(
      ::d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  REQUIRE(pair != nullptr);
  return bytes_of(::ECDSA_SIG_get0_r(pair.get()), size) +
         bytes_of(::ECDSA_SIG_get0_s(pair.get()), size);
}

}  // namespace

std::string token_part(const std::string& bytes) {
  std::string part = server::to_base64(bytes);
  part.erase(std::min(part.find('='), part.size()));
  for (char& c : part) {
    c = c == '+' ? '-' : c == '/' ? '_' : c;
  }
  return part;
}

SigningKey::SigningKey(server::TlsKey key)
    : key_(std::move(key)) {
  REQUIRE(key_ != nullptr);
}

SigningKey SigningKey::rsa(unsigned bits) {
  return SigningKey(server::TlsKey(EVP_RSA_gen(bits)));
}

SigningKey SigningKey::elliptic(const std::string& curve) {
  return SigningKey(server::TlsKey(EVP_EC_gen(curve.c_str())));
}

SigningKey SigningKey::fitting(const std::string& method) {
  return method == "ES256"   ? elliptic("P-256")
         : method == "ES384" ? elliptic("P-384")
         : method == "ES512" ? elliptic("P-521")
         : method == "EdDSA"
             ? SigningKey(server::TlsKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")))
             : rsa();
}

Json SigningKey::jwk(const std::string& id) const {
  if (::EVP_PKEY_get_base_id(key_.get()) == EVP_PKEY_RSA) {
    return {{"kty", "RSA"},
            {"kid", id},
            {"use", "sig"},
            {"n", parameter(key_, OSSL_PKEY_PARAM_RSA_N)},
            {"e", parameter(key_, OSSL_PKEY_PARAM_RSA_E)}};
  }
  if (::EVP_PKEY_get_base_id(key_.get()) == EVP_PKEY_ED25519) {
    std::string bytes(32, '\0');
    std::size_t count = bytes.size();
    REQUIRE(::EVP_PKEY_get_raw_public_key(
                key_.get(), reinterpret_cast<unsigned char*>(bytes.data()), &count) == 1);
    return {{"kty", "OKP"}, {"kid", id}, {"crv", "Ed25519"}, {"x", token_part(bytes)}};
  }
  const std::size_t size = coordinate_size(key_);
  return {{"kty", "EC"},
          {"kid", id},
          {"crv", "P-" + std::to_string(::EVP_PKEY_get_bits(key_.get()))},
          {"x", parameter(key_, OSSL_PKEY_PARAM_EC_PUB_X, size)},
          {"y", parameter(key_, OSSL_PKEY_PARAM_EC_PUB_Y, size)}};
}

std::string SigningKey::pem() const {
  const std::unique_ptr<BIO, server::TlsFree> memory(::BIO_new(::BIO_s_mem()));
  REQUIRE(::PEM_write_bio_PUBKEY(memory.get(), key_.get()) == 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string SigningKey::signature(const std::string& method, const std::string& text) const {
  // Ed25519 has its own digest.
  const EVP_MD* const by =
      method == "EdDSA" ? nullptr : ::EVP_get_digestbyname(("SHA" + method.substr(2)).c_str());
  const std::unique_ptr<EVP_MD_CTX, FreeParts> digest(::EVP_MD_CTX_new());
  EVP_PKEY_CTX* padding = nullptr;
  REQUIRE(::EVP_DigestSignInit(digest.get(), &padding, by, nullptr, key_.get()) == 1);
  if (method.starts_with("PS")) {
    REQUIRE(::EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PSS_PADDING) == 1);
    REQUIRE(::EVP_PKEY_CTX_set_rsa_pss_saltlen(padding, RSA_PSS_SALTLEN_DIGEST) == 1);
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  REQUIRE(::EVP_DigestSign(digest.get(), nullptr, &size, bytes, text.size()) == 1);
  std::string made(size, '\0');
  REQUIRE(::EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(made.data()), &size,
                           bytes, text.size()) == 1);
  made.resize(size);
  return method.starts_with("ES") ? number_pair(made, coordinate_size(key_)) : made;
}

std::string SigningKey::sign(const Json& header, const Json& claims) const {
  const std::string text = head_and_claims(header, claims);
  return text + "." + token_part(signature(header.at("alg").get<std::string>(), text));
}

std::string sign_by_secret(const Json& header, const Json& claims, const std::string& secret) {
  const std::string text = head_and_claims(header, claims);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  REQUIRE(::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                 reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
                 &size) != nullptr);
  return text + "." + token_part(std::string(reinterpret_cast<const char*>(digest.data()), size));
}

std::string unsigned_token(const Json& header, const Json& claims) {
  return head_and_claims(header, claims) + ".";
}

}  // namespace ws::test
