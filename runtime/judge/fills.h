// The fills of a problem's arguments: one table of kinds, their parameters and defaults.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

enum class FillKind : std::uint8_t {
  kNormal,
  kUniform,
  kOnes,
  kZeros,
  kIota,
  kExactIntegers,
  kLogUniform,
  kSparse,
  kStructured,
  kPermutation,
  kSortedOffsets,
  kRange,
  kSortedIndices,
  kComputed,
  kCsrOffsets,
  kCsrColumns,
};

struct FillParam {
  std::string_view name;
  double for_floats;    ///< Default for an argument of a float type.
  double for_integers;  ///< Default for an integer type and bool.
};

struct FillRow {
  FillKind kind;
  std::string_view name;  ///< The word of the contract.
  bool floats;            ///< May fill float arguments.
  bool integers;          ///< May fill integer and bool arguments.
  bool any_order;         ///< Its values in another order are as good a draw.
  std::span<const FillParam> params;
  std::string_view meaning;  ///< One line, for documentation and error hints.
};

/// Null when no fill has that name. Each value that a fill draws is folded back into the argument's
/// `domain` and its type's range; integer types get whole numbers.
const FillRow* find_fill(std::string_view name);

/// Parameter `name` of the argument's fill: as sent, or the table's default.
/// NaN stands for "computed from the element count" (`high` of sorted_offsets, range and
/// sorted_indices, `fewest` of csr_offsets), and for an expression without a value.
double fill_param(const ArgSpec& arg, const FillRow& row, std::string_view name);

/// The argument with numbers in the place of its fill's expressions, but for those of `computed`.
ArgSpec with_fill_sizes(const ArgSpec& arg, const BufferSpec& spec);

/// Checks kind, type and parameters of one argument's fill, and the values of its expressions where
/// they are known.
///
/// @errors kInvalidArgument: unknown kind or parameter (with the nearest known one), a type the
///         kind does not fill, a parameter out of range, an empty domain.
Status validate_fill(const ArgSpec& arg);

}  // namespace ws
