#include "runtime/base/keyed_stream.h"

#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ws {
namespace {

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

}  // namespace

TEST_SUITE("base.keyed_stream") {
  TEST_CASE("the stream is AES-128 of the block's number") {
    // FIPS 197, appendix C.1, has the key; the block of zeros encrypted with it is known as well.
    StreamKey key{};
    for (unsigned char i = 0; i < key.size(); ++i) {
      key[i] = i;
    }
    std::array<std::byte, 16> block{};
    KeyedStream(key).read(0, block);
    CHECK(hex(block) == "c6a13b37878f5b826f4f8162a1c8d879");
  }

  TEST_CASE("a piece of the stream is the same however it is read") {
    const StreamKey key = derive_key(7, "poison");
    KeyedStream stream(key);
    std::vector<std::byte> whole(1000);
    stream.read(0, whole);
    std::vector<std::byte> piece(100);
    stream.read(48, piece);
    CHECK(std::vector<std::byte>(whole.begin() + 48, whole.begin() + 148) == piece);
  }

  TEST_CASE("another secret, purpose or index gives another seed") {
    std::set<std::uint64_t> seen;
    for (std::uint64_t secret = 0; secret < 4; ++secret) {
      for (const char* purpose : {"a", "b", "ab", ""}) {
        for (std::uint64_t index = 0; index < 4; ++index) {
          seen.insert(derive_seed(secret, purpose, index));
        }
      }
    }
    CHECK(seen.size() == 64);
    CHECK(derive_seed(1, "a", 2) == derive_seed(1, "a", 2));
  }
}

}  // namespace ws
