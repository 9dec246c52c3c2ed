// Integers of a block as the lifter knows them: polynomials of block indices, loop variables and
// sizes, whose coefficients are numbers that may differ from thread to thread.
//
//   (blockIdx.y * 32 + threadIdx.y) * k + i   is   32 * [blockIdx.y k] + {0, 0, ..., 1, 1, ...} *
//   [k] + [i]
//
// So a thread index needs no symbol: whatever a kernel computes from it, by divisions, remainders
// or bits, is known for each thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ws::lift {

/// One number a thread of the block; or a single one: the same for all.
using Lanes = std::vector<std::int64_t>;

using SymbolId = std::int32_t;
/// A product of symbols, sorted; empty: 1.
using Monomial = std::vector<SymbolId>;

/// `value` of all, or of one thread.
inline std::int64_t lane_of(const Lanes& lanes, std::size_t lane) {
  return lanes.size() == 1 ? lanes.front() : lanes[lane];
}

/// Applies `f` thread by thread; a single result when all are the same.
template <typename F>
Lanes zip_lanes(const Lanes& a, const Lanes& b, F f) {
  const std::size_t size = a.size() > b.size() ? a.size() : b.size();
  Lanes result(size);
  bool same = true;
  for (std::size_t i = 0; i < size; ++i) {
    result[i] = f(lane_of(a, i), lane_of(b, i));
    same = same && result[i] == result[0];
  }
  if (same) {
    result.resize(1);
  }
  return result;
}

/// Sums, products and differences wrap at 64 bits, as a GPU's do.
class Poly {
 public:
  Poly() = default;

  explicit Poly(std::int64_t number)
      : Poly(Lanes{number}) {}

  explicit Poly(const Lanes& lanes);

  static Poly of(SymbolId symbol);

  [[nodiscard]] const std::map<Monomial, Lanes>& terms() const { return terms_; }

  /// Without symbols; may differ from thread to thread.
  [[nodiscard]] bool is_constant() const;
  /// Its part without symbols.
  [[nodiscard]] Lanes constant() const;
  /// The value, when it is the same known number for all threads.
  [[nodiscard]] std::optional<std::int64_t> number() const;
  /// The same for all threads.
  [[nodiscard]] bool is_uniform() const;
  /// The value that thread `lane` sees.
  [[nodiscard]] Poly at(std::size_t lane) const;
  /// The value that each thread sees when it takes that of thread from[lane].
  [[nodiscard]] Poly gathered(const std::vector<std::size_t>& from) const;
  /// Without the part that has no symbols.
  [[nodiscard]] Poly symbolic() const;

  [[nodiscard]] Poly plus(const Poly& other, std::int64_t factor = 1) const;
  [[nodiscard]] Poly times(const Poly& other) const;

  /// Rounded down. Nothing when that is not known: a symbol's coefficient that `divisor` does not
  /// divide, or a part that may be negative.
  [[nodiscard]] std::optional<Poly> divided(std::int64_t divisor) const;
  /// The quotient when `divisor` divides every part, negative ones too.
  [[nodiscard]] std::optional<Poly> exact_quotient(std::int64_t divisor) const;
  [[nodiscard]] std::optional<Poly> modulo(std::int64_t divisor) const;

  /// The quotient by a product of symbols of the terms that it divides, and the rest.
  [[nodiscard]] std::pair<Poly, Poly> split(const Monomial& divisor, std::int64_t factor) const;

  /// Whether a symbol is in it.
  [[nodiscard]] bool mentions(SymbolId symbol) const;

  friend bool operator==(const Poly&, const Poly&) = default;

 private:
  void add(const Monomial& monomial, const Lanes& lanes);

  std::map<Monomial, Lanes> terms_;  // Never all zero; a single number where all are equal.
};

}  // namespace ws::lift
