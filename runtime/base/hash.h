// SHA-256 and secret random bytes (OpenSSL), and fast hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ws {

/// Lower-case hex of SHA-256(data), 64 digits.
std::string sha256_hex(std::string_view data);

/// The first 16 digits of sha256_hex: what ids and `expect` use.
std::string short_hash(std::string_view data);

/// `digits` random hex digits from the system's generator: unguessable handles.
std::string random_hex(std::size_t digits);

/// 64 random bits from the system's generator: secret seeds.
std::uint64_t random_u64();

/// Whether memory changed: XXH3 with a seed, about as fast as memory is read. Not for adversaries
/// who know the seed, and not to be stored.
std::uint64_t memory_hash(const void* data, std::size_t bytes, std::uint64_t seed);

/// FNV-like 64-bit hash of short texts. Archives and the compile cache hold its values: it stays as
/// it is. Not for adversaries who know the seed.
std::uint64_t fast_hash(const void* data, std::size_t bytes, std::uint64_t seed);

}  // namespace ws
