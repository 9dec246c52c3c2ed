// Secret random bits that are a function of a key and a place: seeds and keys for one purpose each,
// and a stream of bytes. The bits of one purpose reveal nothing about those of another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace ws {

using StreamKey = std::array<unsigned char, 16>;

/// The key for one purpose of a secret: the first half of SHA-256 over all three. Any thread.
/// @param purpose  Names the use ("guard"). @param index  Tells the uses of one name apart.
StreamKey derive_key(std::uint64_t secret, std::string_view purpose, std::uint64_t index = 0);

/// 64 bits of derive_key().
std::uint64_t derive_seed(std::uint64_t secret, std::string_view purpose, std::uint64_t index = 0);

/// AES-128 in counter mode (OpenSSL). One thread each.
class KeyedStream {
 public:
  static constexpr std::size_t kBlock = 16;  ///< Bytes.

  explicit KeyedStream(const StreamKey& key);
  KeyedStream(const KeyedStream&) = delete;
  KeyedStream& operator=(const KeyedStream&) = delete;
  KeyedStream(KeyedStream&&) noexcept;
  KeyedStream& operator=(KeyedStream&&) noexcept;
  ~KeyedStream();

  /// Writes bytes [offset, offset + out.size()) of the stream. @param offset  A multiple of kBlock.
  void read(std::uint64_t offset, std::span<std::byte> out);

 private:
  struct Cipher;
  std::unique_ptr<Cipher> cipher_;
};

}  // namespace ws
