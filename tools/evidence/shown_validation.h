// A validation as it is shown: with the bounds that its outputs were compared by, and the sizes
// that were not tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/subject.h"
#include "runtime/evaluate/validate/output_check.h"
#include "runtime/kernel/plan/index_range.h"
#include "tools/answer/typed_job.h"
#include "tools/evidence/known_validation.h"
#include "tools/evidence/stored_validation.h"

namespace ws {

struct FoundWrong {
  Verdict verdict = Verdict::kIncorrect;
  std::string evidence_id;
  std::string kernel_id;
  Json again;  ///< As repetition().
};

struct ShownValidation {
  StoredValidation validation;
  Workload workload;                ///< The run whose bounds these are.
  bool whole_numbers = false;       ///< Its inputs were exact integers.
  std::vector<OutputBound> bounds;  ///< By output; empty where nothing was run.
  /// The kernel passed and may be given so many elements, but none of the runs was.
  std::optional<LargeArgument> untried;
  std::vector<UntriedSizes> far_above;  ///< The same for dims.
  bool timed_here = true;               ///< The device can time the kernel.
  std::int64_t passes = 0;              ///< Validations of the kernel that it passed so far.
  /// It passed, but an earlier validation found it wrong, or a kernel of the same program.
  std::optional<FoundWrong> found_wrong;
};

/// Whether the device of the validation can time the kernel: an executor that checks tiles cannot.
bool timed_there(const ValidationResult& result, const Kernel& kernel);

/// Reads the validation of an answer, without what else it shows.
void from_json(const Json& form, ShownValidation& shown);

/// The bounds of the run that decided; of a kernel that passed, those of the run with the longest
/// sums among those that are shown.
/// @errors kInvalidArgument: an expression of the problem fails.
Result<ShownValidation> shown(const Subject& subject, StoredValidation validation);

/// Adds what earlier validations of the kernel said. @param passes  As count_passes().
void add_history(const ValidationHistory& history, std::int64_t passes, ShownValidation& shown);

/// Why an output may be off by as much as it may: "`y`: |got - want| <= 1e-05 * |want| (f32) +
/// 1e-05 * row's RMS (f32)".
std::string bound_words(const OutputBound& bound);

/// The answer that shows a validation to a client.
Answer answer_of(const ShownValidation& shown);

}  // namespace ws
