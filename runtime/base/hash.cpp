#include "runtime/base/hash.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include <openssl/evp.h>
#include <openssl/rand.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ws {
namespace {

std::string to_hex(const unsigned char* bytes, std::size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    text.push_back(kDigits[bytes[i] >> 4U]);
    text.push_back(kDigits[bytes[i] & 15U]);
  }
  return text;
}

void fill_random(unsigned char* bytes, std::size_t count) {
  if (RAND_bytes(bytes, static_cast<int>(count)) != 1) {
    std::abort();  // Without randomness no seed is secret: nothing honest can be said.
  }
}

}  // namespace

std::string sha256_hex(std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(data.data(), data.size(), digest.data(), &length, EVP_sha256(), nullptr);
  return to_hex(digest.data(), length);
}

std::string short_hash(std::string_view data) {
  return sha256_hex(data).substr(0, 16);
}

std::string random_hex(std::size_t digits) {
  std::string bytes((digits + 1) / 2, '\0');
  auto* raw = reinterpret_cast<unsigned char*>(bytes.data());
  fill_random(raw, bytes.size());
  return to_hex(raw, bytes.size()).substr(0, digits);
}

std::uint64_t random_u64() {
  std::array<unsigned char, 8> bytes{};
  fill_random(bytes.data(), bytes.size());
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::uint64_t memory_hash(const void* data, std::size_t bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

std::uint64_t fast_hash(const void* data, std::size_t bytes, std::uint64_t seed) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15ULL;
  const auto* at = static_cast<const unsigned char*>(data);
  std::array<std::uint64_t, 4> lanes = {seed, seed ^ kPrime, seed + kPrime, ~seed};
  std::size_t left = bytes;
  for (; left >= 32; left -= 32, at += 32) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), at, 32);
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = (lanes[i] ^ words[i]) * kPrime;
      lanes[i] ^= lanes[i] >> 29U;
    }
  }
  std::uint64_t hash = bytes;
  for (const std::uint64_t lane : lanes) {
    hash = (hash ^ lane) * kPrime;
    hash ^= hash >> 32U;
  }
  for (; left > 0; --left, ++at) {
    hash = (hash ^ *at) * kPrime;
  }
  return hash ^ (hash >> 31U);
}

}  // namespace ws
