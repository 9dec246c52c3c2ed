// One size of a dim for a hidden workload, by the rule that the workload is drawn by.
#pragma once

#include <cstdint>
#include <random>

#include "runtime/kernel/problem.h"

namespace ws {

/// How the sizes of a hidden workload are drawn.
enum class SizeRule : std::uint8_t {
  kBeside,   ///< Near a listed size and unlike it: one beside it, odd, prime.
  kAny,      ///< Log-uniform over the domain.
  kTiny,     ///< As kAny, in the first quarter of what lies between the smallest and a listed size,
  kLow,      ///< in the second one,
  kHigh,     ///< and above that half.
  kResidue,  ///< As kAny, then moved to a multiple of 1, 2, 4, 32 or 256 and of no larger one.
  kBeyond,   ///< Some dims well above the largest listed size,
  kOthers,   ///< or those that kBeyond leaves,
  kAbove,    ///< or anywhere above it.
  kBlocks,   ///< Some dims at a multiple of 1024, as many threads as a block may have, or of a half
             ///< of it, and
  kWarps,    ///< the others at one of 32, so that kernels that look for whole tiles find them.
  kLast,     ///< One short of a multiple of 256, or of a half of it: the last residue of each power
             ///< of two up to it.
  kThin,     ///< Some dims at the smallest size and the others as kAny,
  kThick,    ///< or the other way round.
  kLeast,    ///< The smallest size.
};

/// The least size above zero: an empty workload has nothing to compare.
std::int64_t smallest_size(const DimSpec& dim);

/// Draws one size of a dim.
class SizeDraw {
 public:
  /// @param near  A listed size. @param halvings  How often kBlocks and kLast halve their multiple,
  /// as whole tiles of it cost too much. @param random  Outlives this, as the dim does.
  SizeDraw(const DimSpec& dim, std::int64_t near, int halvings, std::mt19937_64& random);

  /// A size that the dim allows; the one of `near` where the rule finds none.
  std::int64_t draw(SizeRule rule);

 private:
  std::int64_t by_rule(SizeRule rule);
  /// At a part of the way from the smallest size to the listed one, by ratio.
  [[nodiscard]] std::int64_t between(double part) const;
  std::int64_t multiple(std::int64_t low, std::int64_t high);
  /// A multiple of `tile` too, or of the largest half of it that the dim has room for.
  std::int64_t whole(std::int64_t tile);
  std::int64_t above(std::int64_t low);
  std::int64_t beside();
  /// In units of the dim's `multiple_of`, as of_residue().
  std::int64_t last_residue();
  std::int64_t of_residue();
  std::int64_t log_uniform(std::int64_t low, std::int64_t high);

  const DimSpec& dim_;
  std::int64_t near_;
  int halvings_;
  std::int64_t largest_;  ///< The largest listed size.
  std::mt19937_64& random_;
};

}  // namespace ws
