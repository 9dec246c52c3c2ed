// Poison: secret bits that lie in outputs, scratch, gaps and guard zones before a launch, so that
// what a kernel did not write, or should not have written, shows.
//
// A kernel must not be able to tell poison from data (judge.md C5), so a seed chooses one of
// several styles for a whole buffer: NaN payloads, huge values, small numbers that look like data,
// or plain random bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/kernel/plan.h"

namespace ws {

/// The poison of one buffer: a function of the seed and the byte's place, never stored.
/// Immutable; any thread.
class Poison {
 public:
  /// @param type   What the bits should pass for; size_of(type) sets the lanes.
  /// @param seed   Secret; one for each buffer and launch (derive_seed).
  Poison(DType type, std::uint64_t seed);

  /// Writes the poison over all bytes.
  void fill(std::span<std::byte> bytes) const;

  /// Writes it over the gaps of a strided buffer only; `bytes` is the whole span.
  void fill_gaps(const BufferSpec& spec, std::span<std::byte> bytes) const;

  /// The first byte that is not poison any more; nullopt when all is untouched.
  [[nodiscard]] std::optional<std::size_t> first_change(std::span<const std::byte> bytes) const;

  /// The first gap element that was written; nullopt when none was, or when there are no gaps.
  [[nodiscard]] std::optional<std::int64_t> first_gap_change(
      const BufferSpec& spec, std::span<const std::byte> bytes) const;

  /// True when element `index` (in elements from the start) still holds its poison.
  [[nodiscard]] bool holds(const void* data, std::int64_t index) const;

  /// How many elements that the spec's shape reaches still hold their poison.
  [[nodiscard]] std::int64_t held(const BufferSpec& spec, std::span<const std::byte> bytes) const;

 private:
  /// Bytes [8 * index, 8 * index + 8) of the pattern.
  [[nodiscard]] std::uint64_t word(std::uint64_t index) const;
  void store(std::byte* data, std::int64_t index) const;

  std::uint64_t seed_;
  std::uint64_t keep_;  ///< Random bits that stay.
  std::uint64_t set_;   ///< Bits forced to one.
  std::size_t size_;    ///< Bytes of an element: 1, 2, 4 or 8.
};

}  // namespace ws
