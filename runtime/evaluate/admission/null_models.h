// Answers that need no work: a problem on which one of them passes as an output cannot tell a right
// kernel from a wrong one.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/validate/reference.h"

namespace ws {

/// The bytes of buffers, by their index in the plan.
using Contents = std::map<std::size_t, std::vector<std::byte>>;

/// One answer for one output, made without work: from constants, from an input as it is, or from
/// the expected values of other inputs.
struct NullModel {
  enum class Kind : std::uint8_t {
    kZeros,
    kOnes,
    kMean,      ///< The mean of the expected values of the draw before, everywhere.
    kPrevious,  ///< The expected values of the draw before.
    kInput,     ///< A copy of an input that has as many elements.
    kNegated,   ///< The same with the sign changed.
    kScaled,    ///< The same times one number, which fits the first draw best.
  };
  /// The part that the model makes. The rest of the output is as expected.
  enum class Part : std::uint8_t { kWhole, kFirstHalf, kSecondHalf };

  Kind kind = Kind::kZeros;
  Part part = Part::kWhole;
  std::size_t output = 0;       ///< The buffer that it answers for.
  std::size_t input = 0;        ///< The buffer that kInput, kNegated and kScaled read.
  std::optional<double> scale;  ///< kScaled, once the first draw has set it.
  bool exact = true;  ///< Its answers were the expected values so far, up to their last bits.

  /// "a copy of `x` would pass as `y`", "zeros would pass as the first half of `y`".
  [[nodiscard]] std::string text(const ResolvedPlan& plan) const;
};

/// All null models of the problem's outputs. Halves are for outputs with at least kTellingElements,
/// and none are for outputs without elements.
std::vector<NullModel> null_models(const Problem& problem, const ResolvedPlan& plan);

/// One run of the reference on drawn inputs.
struct NullDraw {
  Distribution distribution = Distribution::kDeclared;
  Contents inputs;    ///< The buffers of role in and inout before the reference ran.
  Contents outputs;   ///< As the reference left them.
  Contents previous;  ///< The outputs of the draw before; empty in the first one.
  std::map<std::size_t, double> largest;  ///< By output: the largest magnitude of its elements.
};

/// The largest magnitude of a buffer's elements; 0 where there are none.
double largest_magnitude(const BufferSpec& spec, std::span<const std::byte> bytes);

/// Whether the judge accepts the model's answer. Sets `scale` and `exact`.
/// @return  True as well where a model needs a draw before and there is none.
bool passes(NullModel& model, const ResolvedPlan& plan, const ErrorModel& error_model,
            const NullDraw& draw);

}  // namespace ws
