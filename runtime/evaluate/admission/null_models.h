// Answers that need no work: a problem on which one of them passes cannot tell a right kernel from
// a wrong one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/validate/reference.h"

namespace ws {

/// One answer: how each output is made, without the reference's help or with what it gave before.
struct NullModel {
  enum class Kind : std::uint8_t {
    kZeros,
    kOnes,
    kMean,      ///< The mean of the expected values, everywhere.
    kInput,     ///< A copy of an input that has as many elements.
    kPrevious,  ///< The expected values of the draw before.
    kReversed,  ///< The expected values in another order.
  };

  Kind kind = Kind::kZeros;
  std::size_t input = 0;  ///< The buffer that kInput copies.

  /// "zeros", "a copy of `x`".
  [[nodiscard]] std::string text(const ResolvedPlan& plan) const;
};

/// All null models of a plan.
std::vector<NullModel> null_models(const ResolvedPlan& plan);

/// The contents of one output under a model, laid out as its buffer is.
/// @param previous  The expected values of the draw before; empty in the first one.
/// @return  Nothing where the model has no answer: no input of that size, no draw before.
std::optional<std::vector<std::byte>> answer_of(const NullModel& model, const Reference& reference,
                                                std::size_t output,
                                                const std::vector<std::byte>& previous);

}  // namespace ws
