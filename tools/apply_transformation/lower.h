// A kernel lowered to a changed program: the lines that may be edited, and the judged try.
#pragma once

#include "runtime/lift/lowering.h"
#include "tools/apply_transformation/apply_transformation.h"
#include "tools/common/lifting.h"

namespace ws {

/// A kernel, the program that it lifts to, and what a target asks of it.
struct LowerStep {
  Subject subject;
  Device* device = nullptr;
  Lifting lifting;
  lift::Lowering lowering;
  Problem problem;  ///< The target's: its reference is the target program, or as the caller chose.
};

/// What a lowering is called where passes are counted.
inline constexpr const char* kLowering = "lower";

/// @errors kNotFound; kUnsupported: the kernel was not lifted, or not wholly; kInvalidArgument: the
///         target does not parse or run, is of another kernel, changes nothing or the structure,
///         or has arguments that no problem gives; those of lift_kernel.
Result<LowerStep> choose_lowering(Services& services, const Json& arguments,
                                  const CallContext& context);

/// The windows with their lines and statements, what to do, and edits where a machine can make
/// them.
/// @param full  All windows.
Result<Json> instruct_lowering(Services& services, const LowerStep& step, bool full,
                               const CallContext& context);

/// Tries edits: inside the windows only; compiled, lifted again and compared, validated, recorded.
/// @param stages  compile_kernel and validate.
Result<Json> apply_lowering(Services& services, const ApplyTransformationTool::Stages& stages,
                            const LowerStep& step, const Json& arguments, CallContext& context);

}  // namespace ws
