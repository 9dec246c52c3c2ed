// An integer as far as it is known before a program runs: a constant plus multiples of unknowns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace ws::ir {

/// constant + sum of coefficient * unknown. Enough to see that (i + 1) * 64 - i * 64 is 64.
class Affine {
 public:
  Affine() = default;

  explicit Affine(std::int64_t constant)
      : constant_(constant) {}

  /// Something of which nothing is known; two calls give two different unknowns. Any thread.
  static Affine unknown();

  /// The value, when it is known.
  [[nodiscard]] std::optional<std::int64_t> constant() const;

  /// Unknown when a coefficient leaves 64 bits.
  [[nodiscard]] Affine plus(const Affine& other, std::int64_t factor = 1) const;
  [[nodiscard]] Affine times(std::int64_t factor) const;

  friend bool operator==(const Affine&, const Affine&) = default;

 private:
  std::int64_t constant_ = 0;
  std::map<std::uint64_t, std::int64_t> terms_;  // Unknown -> coefficient, never 0.
};

}  // namespace ws::ir
