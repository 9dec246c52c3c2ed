#include "server/access/edwards_key.h"

#include <openssl/err.h>
#include <openssl/evp.h>

namespace ws::server {
namespace {

constexpr std::size_t kKeyBytes = 32;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const noexcept { ::EVP_MD_CTX_free(context); }
};

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

EdwardsKey::EdwardsKey(std::string_view bytes) {
  if (bytes.size() != kKeyBytes) {
    return;
  }
  EVP_PKEY* const key =
      ::EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(bytes), bytes.size());
  if (key != nullptr) {
    key_ = std::shared_ptr<EVP_PKEY>(key, [](EVP_PKEY* own) { ::EVP_PKEY_free(own); });
  }
  ::ERR_clear_error();
}

bool EdwardsKey::signed_text(std::string_view text, std::string_view signature) const {
  const std::unique_ptr<EVP_MD_CTX, FreeContext> context(::EVP_MD_CTX_new());
  const bool right =
      key_ != nullptr && context != nullptr &&
      ::EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
      ::EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text),
                         text.size()) == 1;
  ::ERR_clear_error();  // Those of TLS are looked for in the same place.
  return right;
}

}  // namespace ws::server
