// A stored kernel lifted to CuIR: its tree from a compile worker, its program, its parts.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/subject.h"
#include "runtime/lift/lift.h"
#include "runtime/lift/lower/regions.h"
#include "runtime/session/services.h"

namespace ws {

struct Lifting {
  /// compiled: there is a tree; else why not, as compile_kernel has it.
  CompileVerdict verdict = CompileVerdict::kCompiled;
  std::string message;
  std::vector<Diagnostic> diagnostics;
  RenderedSource source;
  lift::Tree tree;
  lift::Program program;
  std::vector<lift::Region> regions;
  std::vector<lift::Worker> workers;
  /// Why verify_ir cannot compare the program with the kernel; empty: it can.
  std::string not_compared;
};

struct LiftChoice {
  Params params;                     ///< The values of all parameters.
  std::optional<Workload> workload;  ///< Nothing: the cheapest one that the constraints allow.
  std::size_t launch = 0;
  bool fresh = false;      ///< Parse again, even if the tree is known.
  std::int32_t probe = 0;  ///< LaunchInput::probe.
  /// The limit of the lifter's processor time. Our kernels take less than a second, the largest
  /// public ones some.
  std::chrono::milliseconds limit{30'000};
};

/// @errors kInvalidArgument: the plan fails, or has no such launch; kUnsupported: there is no
/// compiler plug-in, or the plan uses something that CuIR lacks; kCancelled.
Result<Lifting> lift_kernel(Services& services, const Subject& subject, const LiftChoice& choice,
                            const std::stop_token& stop);

/// "source:12-18"; empty: no place.
std::string place_text(const lift::Range& range, const lift::Tree& tree);

/// kernel://{id}/ir, annotated or regions, for the parameters' defaults and the first launch.
Result<std::string> lifted_view(Services& services, const std::string& kernel_id,
                                const std::string& part);

}  // namespace ws
