// Compares every element of an output with its reference. No sampling and no early exit: a kernel
// need not compute what nobody compares, and the pattern of all mismatches is the part of the
// answer that an agent can use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/verdict.h"
#include "runtime/judge/poison.h"
#include "runtime/judge/tolerance.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// The amounts by which elements may be off beyond their bound, by what the reference itself shows
/// (conditioning.h).
struct Slack {
  std::span<const double> rows;  ///< By row; empty: nothing.
  std::span<const float> own;    ///< By element in row-major order; empty: nothing.
  /// By row, as RowSlack::moves(); empty: nothing.
  std::span<const double> moves = {};
  double usual = 0;  ///< The size that the output has on other draws; 0: not known.
};

/// Whether two launches gave the same.
enum class Agreement : std::uint8_t {
  kSame,
  kOther,
  kUnknown,  ///< The rows of an output without order could not be matched (unordered.h).
};

struct WorstElement {
  std::vector<std::int64_t> index;  ///< Outermost first.
  double got = 0;
  double want = 0;
};

struct Comparison {
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;
  std::int64_t class_mismatches = 0;  ///< NaN, +Inf or -Inf on one side only; unwritten ones apart.
  std::int64_t unwritten = 0;         ///< Mismatches that still hold the poison.
  double max_abs_error = 0;           ///< Over elements that are finite on both sides.
  double max_rel_error = 0;           ///< |got - want| / max(|want|, scale): see tolerance.h.
  double max_excess = 0;  ///< The excess of `worst`: error over allowed error (exact: the error).
  /// The largest error over the one that were allowed in a row of the output's usual size; without
  /// slack.
  double max_wide_excess = 0;
  std::optional<WorstElement> worst;  ///< The mismatch furthest beyond its bound; classes first.
  std::optional<std::int64_t> touched_gap;  ///< First gap written, in elements from the start.
  std::vector<bool> wrong;  ///< By row-major element number; empty when nothing is wrong.

  [[nodiscard]] bool passed() const { return mismatches == 0 && !touched_gap; }

  /// Mismatches over elements, 0 to 1.
  [[nodiscard]] double share() const {
    return elements == 0 ? 0 : static_cast<double>(mismatches) / static_cast<double>(elements);
  }

  /// kPassed, kOutOfBounds (a gap was written), kIncorrectNan or kIncorrect.
  [[nodiscard]] Verdict verdict() const;
};

/// @param spec     Layout of both buffers.
/// @param got      The candidate's output, spec.bytes() long.
/// @param want     The reference, rounded to the output's type, same layout.
/// @param bound    Allowed error; integer types are compared bit for bit whatever it says.
/// @param poison   What lay in `got` before the launch; null for an inout argument without gaps.
/// @param slack    An element may be off by its row's, up to kMostWidened times the bound that it
///                 had in a row of the output's usual size, or by its own, up to kMostMoved of that
///                 size. Not where only equal values do.
/// @threads any; large outputs take all cores. 250 MB/s of f32 output and more on each, several
/// GB/s where rows are equal.
Comparison compare(const BufferSpec& spec, std::span<const std::byte> got,
                   std::span<const std::byte> want, const ErrorBound& bound,
                   const Poison* poison = nullptr, const Slack& slack = {});

}  // namespace ws
