// A kernel lowered to a changed program: the lines that may be edited, and the judged try.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/lift/lower/lowering.h"
#include "runtime/lift/lower/proposal.h"
#include "tools/answer/typed_job.h"
#include "tools/apply_transformation/conclude.h"
#include "tools/kernels/lifting.h"

namespace ws {

/// A kernel, the program that it lifts to, and the changes that a target requires.
struct LowerStep {
  Subject subject;
  Device* device = nullptr;
  std::string arch;  ///< Compiled for it instead of the device; empty: the device's.
  Params params;  ///< The parameters that it was lifted with: the defaults, or others where these
                  ///< have the target's tiles.
  Lifting lifting;
  lift::Lowering lowering;
  Problem problem;  ///< The target's: its reference is the target program, or as the caller chose.

  [[nodiscard]] bool other_tiles() const { return params != subject.kernel.defaults; }
};

/// The name of a lowering where passes are counted.
inline constexpr const char* kLowering = "lower";

/// The first part that a program lacks: "line 30: a loop whose condition has no form in CuIR".
std::string why_not_whole(const lift::Program& program);

/// @errors kNotFound; kUnsupported: the kernel was not lifted completely; kInvalidArgument: the
///         target does not parse or run, is of another kernel, changes nothing or the structure,
///         or has arguments that no problem gives; those of lift_kernel.
Result<LowerStep> choose_lowering(Services& services, const TransformParams& params,
                                  const CallContext& context);

/// If the target breaks the structure that the kernel has with its defaults, lets the step start
/// from other parameters, with which the kernel has the target's tiles.
/// @errors kInvalidArgument: there are none; those of lift_kernel and sample_points.
Status keep_structure(Services& services, LowerStep& step, const std::string& target,
                      const CallContext& context);

/// The parameters that differ: "BM = 64, BN = 8".
std::string point_text(const Params& params, const Params& defaults);

/// Edits that a machine can make for the windows, or why it cannot.
struct LoweringProposal {
  std::optional<std::vector<lift::ProposedEdit>> edits;
  Json launches = nullptr;  ///< Set where the kernel gets new arguments.
  std::string why_not;      ///< Empty where there are edits.
};

/// The windows with their lines and statements, and what to do.
struct LoweringInstruction {
  LowerStep step;
  LoweringProposal proposal;
  std::vector<PassStatistic> statistics;  ///< How lowerings ended so far, on all kernels.
  bool full = false;                      ///< All windows.
};

/// @errors kIo: the archive cannot be read; those of lift_kernel.
Result<LoweringInstruction> instruct_lowering(Services& services, LowerStep step, bool full,
                                              const CallContext& context);

/// The answer without edits.
Answer answer_of(const LoweringInstruction& instruction);

struct TriedLowering {
  LowerStep step;
  ConcludedTry tried;
};

/// Compiles the edited kernel, lifts and compares it, and judges it on the device or, where that
/// does not run it, by its program. Stops at the first thing that is not right.
Result<Try> attempt_lowering(Services& services, const LowerStep& step, const Change& change,
                             bool fresh, CallContext& context);

/// Tries edits: inside the windows only; compiled, lifted again and compared, validated, recorded.
Result<TriedLowering> apply_lowering(Services& services, LowerStep step,
                                     const TransformParams& params, CallContext& context);

/// The answer with edits.
Answer answer_of(const TriedLowering& done);

}  // namespace ws
