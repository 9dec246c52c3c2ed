// Poison: secret bits in outputs, scratch, gaps and guard zones before a launch, which reveal
// elements that a kernel did not write and places that it should not have written.
//
// A kernel that can tell poison from data knows that it is judged, and can behave for as long as it
// is. So a seed chooses one of several styles for a whole buffer: NaN payloads, huge values, small
// numbers that look like data, or plain random bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "runtime/base/keyed_stream.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// The poison of one buffer: a function of the seed and the byte's place, never stored. Its random
/// bits come from a cipher: a kernel that reads some of them can compute neither the others nor the
/// seed. Immutable; any thread.
class Poison {
 public:
  /// @param type   What the bits should pass for; size_of(type) sets the lanes.
  /// @param seed   Secret; one for each buffer and launch (derive_seed).
  Poison(DType type, std::uint64_t seed);

  /// Plain random bits: hardly a written element of four bytes or more equals them by chance.
  static Poison random_bits(DType type, std::uint64_t seed);

  /// All zeros, as a fresh process's memory is.
  static Poison zeros(DType type);

  /// Writes the poison over all bytes.
  void fill(std::span<std::byte> bytes) const;

  /// Writes it over the gaps of a strided buffer only; `bytes` is the whole span.
  void fill_gaps(const BufferSpec& spec, std::span<std::byte> bytes) const;

  /// The first byte that is not poison any more; nullopt when all is untouched.
  [[nodiscard]] std::optional<std::size_t> first_change(std::span<const std::byte> bytes) const;

  /// The first gap element that was written; nullopt when none was, or when there are no gaps.
  [[nodiscard]] std::optional<std::int64_t> first_gap_change(
      const BufferSpec& spec, std::span<const std::byte> bytes) const;

  /// How many elements that the spec's shape reaches still hold their poison.
  [[nodiscard]] std::int64_t held(const BufferSpec& spec, std::span<const std::byte> bytes) const;

 private:
  friend class PoisonReader;

  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  /// Gets an offset and the bytes from there on that a buffer would hold; false: no more of them.
  using UsePiece = std::function<bool(std::size_t, std::span<const std::byte>)>;

  /// Calls `use` for pieces of the pattern of these bytes, in order.
  void for_each_piece(Range bytes, const UsePiece& use) const;
  /// The same of a whole buffer, parts of it at once on all cores.
  void for_all_pieces(std::size_t bytes, const UsePiece& use) const;
  /// Turns random bytes from a word's start on into the pattern's.
  void disguise(std::span<std::byte> random) const;

  StreamKey key_;
  std::uint64_t keep_;  ///< Random bits that stay.
  std::uint64_t set_;   ///< Bits forced to one.
  std::size_t size_;    ///< Bytes of an element: 1, 2, 4 or 8.
};

/// Looks at single elements of a poisoned buffer. Neighbours cost little, as it keeps the piece of
/// the pattern that it made last. One thread each; the poison must outlive it.
class PoisonReader {
 public:
  explicit PoisonReader(const Poison& poison);

  /// True when element `index` (in elements from the start) still holds its poison.
  [[nodiscard]] bool holds(const void* data, std::int64_t index);

  /// Writes the poison of element `index`.
  void store(std::byte* data, std::int64_t index);

 private:
  /// The pattern's bytes of one element.
  const std::byte* element(std::size_t offset);

  const Poison& poison_;
  KeyedStream stream_;
  std::optional<std::size_t> at_;  ///< Where piece_ begins.
  std::array<std::byte, 1024> piece_{};
};

}  // namespace ws
