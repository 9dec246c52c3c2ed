// One pass of a transformation on one kernel: the request, and what the pass adds to the kernel.
#pragma once

#include <string>
#include <vector>

#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "runtime/skills/instruction.h"
#include "runtime/skills/skill_library.h"
#include "tools/apply_transformation/params.h"

namespace ws {

/// A pass that was asked for and may be made now.
struct Step {
  Subject subject;
  Device* device = nullptr;
  DeviceInfo info;   ///< The device's, or of the architecture that was asked for.
  std::string arch;  ///< The one that was asked for, where no device of it was; else empty.
  Transformation transformation;
  std::size_t pass = 0;  ///< From 0.
  std::vector<RequirementState> requirements;
  std::map<std::string, std::string> imports;  ///< The pass's helper files.
  std::vector<PassTry> history;                ///< The passes that made the kernel.
  std::vector<std::string> lineage;            ///< Transformations that made the kernel.

  [[nodiscard]] const Pass& spec() const { return transformation.passes[pass]; }

  /// The parts of the kernel that the pass may change.
  [[nodiscard]] const std::vector<std::string>& regions() const {
    return spec().regions_for(subject.kernel.language);
  }

  [[nodiscard]] bool last() const { return pass + 1 == transformation.passes.size(); }

  [[nodiscard]] InstructionFacts facts() const;
};

/// A step without a transformation: the kernel, its device and its history.
/// @errors kNotFound: kernel or device; those of Services::compiler_for and Backend::info.
Result<Step> begin_step(Services& services, const TransformParams& params);

/// Finds the pass that the arguments mean, the next one or an earlier one, and checks that it is
/// due.
/// @errors kNotFound: kernel, device or transformation; kInvalidArgument: a requirement does not
///         hold, the language is another one, or passes are left out.
Result<Step> choose_step(Services& services, const TransformParams& params);

/// {"index", "of", "name", "region", "check"}
Json pass_form(const Step& step);

/// "pass 2 of 6 of `tb-tiling` (loop over tiles)"
std::string step_text(const Step& step);

/// A client's text on one line, without control characters, cut to `limit` bytes.
std::string one_line(std::string text, std::size_t limit);

/// Parameters and constraints of this pass and those before it that the kernel does not have: a
/// pass that was skipped added none.
Json missing_params(const Step& step);
Json missing_constraints(const Step& step);

/// The kernel's constraints that this pass, or one before it, lifts; blanks do not matter.
Json lifted_constraints(const Step& step);

}  // namespace ws
