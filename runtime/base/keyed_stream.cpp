#include "runtime/base/keyed_stream.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include <openssl/evp.h>

namespace ws {
namespace {

/// The library counts in int.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;

/// Without the cipher no secret holds: nothing honest can be said any more.
void require(int ok) {
  if (ok != 1) {
    std::abort();
  }
}

void put_u64(unsigned char* out, std::uint64_t value) {
  for (unsigned i = 0; i < 8; ++i) {
    out[i] = static_cast<unsigned char>(value >> (56U - 8U * i));
  }
}

/// Looked up once: the search for an implementation costs more than a short read.
const EVP_CIPHER* aes() {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-128-CTR", nullptr);
  require(cipher != nullptr ? 1 : 0);
  return cipher;
}

const EVP_MD* sha256() {
  static const EVP_MD* const digest = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  require(digest != nullptr ? 1 : 0);
  return digest;
}

}  // namespace

StreamKey derive_key(std::uint64_t secret, std::string_view purpose, std::uint64_t index) {
  std::string text(2 * sizeof(std::uint64_t), '\0');
  auto* const numbers = reinterpret_cast<unsigned char*>(text.data());
  put_u64(numbers, secret);
  put_u64(numbers + sizeof secret, index);
  text += purpose;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  require(EVP_Digest(text.data(), text.size(), digest.data(), nullptr, sha256(), nullptr));
  StreamKey key{};
  std::copy_n(digest.begin(), key.size(), key.begin());
  return key;
}

std::uint64_t derive_seed(std::uint64_t secret, std::string_view purpose, std::uint64_t index) {
  const StreamKey key = derive_key(secret, purpose, index);
  std::uint64_t seed = 0;
  std::memcpy(&seed, key.data(), sizeof seed);
  return seed;
}

struct KeyedStream::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();

  Cipher() = default;
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;
  Cipher(Cipher&&) = delete;
  Cipher& operator=(Cipher&&) = delete;

  ~Cipher() { EVP_CIPHER_CTX_free(context); }
};

KeyedStream::KeyedStream(const StreamKey& key)
    : cipher_(std::make_unique<Cipher>()) {
  require(EVP_EncryptInit_ex2(cipher_->context, aes(), key.data(), nullptr, nullptr));
}

KeyedStream::KeyedStream(KeyedStream&&) noexcept = default;
KeyedStream& KeyedStream::operator=(KeyedStream&&) noexcept = default;
KeyedStream::~KeyedStream() = default;

void KeyedStream::read(std::uint64_t offset, std::span<std::byte> out) {
  std::array<unsigned char, kBlock> counter{};
  put_u64(counter.data() + sizeof offset, offset / kBlock);
  require(EVP_EncryptInit_ex2(cipher_->context, nullptr, nullptr, counter.data(), nullptr));
  std::fill(out.begin(), out.end(), std::byte{0});
  while (!out.empty()) {
    const std::span<std::byte> piece = out.first(std::min(out.size(), kMostAtOnce));
    auto* const bytes = reinterpret_cast<unsigned char*>(piece.data());
    int written = 0;
    require(EVP_EncryptUpdate(cipher_->context, bytes, &written, bytes,
                              static_cast<int>(piece.size())));
    out = out.subspan(piece.size());
  }
}

}  // namespace ws
