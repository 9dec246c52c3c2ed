// Inputs of a run: the problem's own fills, and the mixtures that the judge puts in their place.
//
// A kernel that is right on plain normal numbers can still be wrong on rows of other scales, on
// zeros, or by an error that a mean of zero hides; one that writes zeros, a constant or the
// expected mean can pass on them. So float arguments that are filled `normal` or `uniform` are
// drawn from several distributions, within their `domain` or, without one, within the range of a
// uniform fill; all others keep their fill. Integers seldom tie, so that a kernel may choose the
// wrong one of several: in some runs they are a few of their fill's values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

enum class Distribution : std::uint8_t {
  kDeclared,        ///< The problem's own fill.
  kNormalRowScale,  ///< Normal, mean not zero, each row times 2^U(-4, 4).
  kUniform,         ///< Positive: declared bounds, or [0, std) in place of a normal.
  kExactIntegers,   ///< Small whole numbers or halves: sums of products are exact in any order.
  kSparse,          ///< Zeros, and the declared fill in a tenth of the places, in long rows fewer.
  kLarge,           ///< The declared fill, and a few values that are a hundred times as large.
  kTies,            ///< Integers: few of the declared fill's values. Others: the declared fill.
};

/// The wire word: "declared", "normal", "uniform", "exact_integers", "sparse", "large",
/// "ties".
std::string_view name_of(Distribution distribution);

/// True when the judge draws this argument from its own mixtures.
bool takes_mixtures(const ArgSpec& arg);

/// True when at least one input of the problem does; else every distribution is `declared`.
bool takes_mixtures(const Problem& problem);

/// True when values far from the mean are within the argument's fill and domain: a float argument
/// filled `normal` whose domain, if it has one, leaves room for them.
bool takes_large(const ArgSpec& arg);

/// True when at least one input of the problem does.
bool takes_large(const Problem& problem);

/// True when the judge may draw the argument from a few values: an integer one whose fill draws
/// each element for itself.
bool takes_ties(const ArgSpec& arg);

/// True when at least one input of the problem does.
bool takes_ties(const Problem& problem);

/// The row offsets that column indices belong to: how they are declared and where they lie.
struct OffsetsOf {
  const ArgSpec& arg;
  const BufferSpec& spec;
};

/// Fills one input. Gaps between strided elements are poisoned with the same seed.
///
/// @param arg     Its fill, type and domain; role in or inout.
/// @param spec    Where its elements lie.
/// @param seed    Of the whole run: each argument derives its own stream by its name.
/// @param bytes   spec.bytes() of them.
/// @param reduction_length   K, for kExactIntegers: how many products a result adds up.
/// @param offsets  For a fill `csr_columns`. They are computed again from the seed, as a worker may
///                 have written to the buffer that holds them.
/// @errors kInvalidArgument: as validate_fill, or a value that the type cannot hold.
/// @threads any.
Status fill_input(const ArgSpec& arg, const BufferSpec& spec, Distribution distribution,
                  std::uint64_t seed, std::span<std::byte> bytes, double reduction_length = 1024,
                  const OffsetsOf* offsets = nullptr);

}  // namespace ws
