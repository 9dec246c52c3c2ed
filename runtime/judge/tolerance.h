// How far a result may be from its reference: |got - want| <= atol * scale + rtol * |want|.
//
// `scale` is the root mean square of the reference's row (of the whole output, where rows are
// short), so that zeros never pass because the numbers are small, and an element that cancels to
// nearly zero may carry the rounding error of its neighbours' size. A row that is mostly zeros (a
// relu after a product) does not show how large its sums were: there an element may also be off by
// `sum` times the output's largest value, which is what rounding the sums can cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/judge/inputs.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Rows and outputs of fewer elements say little about the usual size of their values.
inline constexpr std::int64_t kTellingElements = 16;

struct ErrorBound {
  double rtol = 0;     ///< Times |want|.
  double atol = 0;     ///< Times the scale of the reference.
  double sum = 0;      ///< For rows that are mostly zeros: times the output's largest value.
  double lone = 0;     ///< The least scale of an output that shows none itself (shows_size).
  bool exact = false;  ///< Equal values only (+0 and -0 are equal); rtol and atol are not used.
};

/// The source of a part of a bound.
enum class BoundOrigin : std::uint8_t {
  kType,       ///< The floor of the output's type.
  kReduction,  ///< The number of terms that an element adds up.
  kProblem,    ///< The problem's `tolerance`.
  kArgument,   ///< The output's own `tolerance`.
};

/// "type", "reduction", "problem", "argument".
std::string_view name_of(BoundOrigin origin);

/// A bound, and why it is what it is.
struct ExplainedBound {
  ErrorBound bound;
  BoundOrigin rtol_from = BoundOrigin::kType;
  BoundOrigin atol_from = BoundOrigin::kType;
  double reduction_length = 1;
};

/// The facts about the reference's own output that decide how to judge.
struct ReferenceFacts {
  bool finite = true;     ///< No NaN and no infinity.
  bool in_range = true;   ///< Finite, and at most half the type's largest value: else redraw.
  bool exact_sum = true;  ///< Every value is a multiple of 1/4, and rounding would show in some.
};

/// Terms that one output element adds up: flops / (2 * elements) where flops are known, else the
/// product of the dims that the output's shape does not name. At least 1.
///
/// @param flops      Of the whole problem for this workload.
/// @param elements   Of the output.
double reduction_length(const ArgSpec& output, const Workload& workload,
                        std::optional<double> flops, std::int64_t elements);

/// The bound of one output: the output's own tolerance, else the problem's, else by type and
/// reduction length K: max(floor of the type, 8 * u * sqrt(K)), u of the accumulator (f32, or f64
/// for f64). A sent atol counts relative to the scale, and for K > 1 never below 4 * u * sqrt(K),
/// which no order of summation can promise to beat. `sum` is 8 * u * sqrt(K), 0 where nothing is
/// added up (K = 1). Integer types are exact.
ErrorBound error_bound(const Problem& problem, const ArgSpec& output, double reduction_length);

/// The same bound with the source of its parts.
ExplainedBound explain_bound(const Problem& problem, const ArgSpec& output,
                             double reduction_length);

/// The allowed errors times `factor`: 2 between two results that may each be off by it.
ErrorBound scaled(const ErrorBound& bound, double factor);

/// One pass over the reference. @param bytes   As spec says; gaps are not looked at.
ReferenceFacts examine_reference(const BufferSpec& spec, std::span<const std::byte> bytes);

/// The bound for one run: exact integers are compared exactly where the reference shows that only
/// exact operations were done (a softmax of integers is rounded like any other).
ErrorBound bound_for_run(const ErrorBound& bound, Distribution distribution,
                         const ReferenceFacts& facts);

}  // namespace ws
