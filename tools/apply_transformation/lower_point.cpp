// Another tile size: where a target has the tiles of another point of the kernel's parameters, it
// is a change of the program that the kernel lifts to there.
#include <algorithm>

#include "runtime/kernel/plan/params.h"
#include "runtime/kernel/plan/workloads.h"
#include "tools/apply_transformation/lower.h"

namespace ws {
namespace {

constexpr std::size_t kMaxTilePoints = 32;  // Each is a lift.

std::size_t differing(const Params& params, const Params& defaults) {
  return static_cast<std::size_t>(
      std::count_if(params.begin(), params.end(),
                    [&](const auto& param) { return defaults.at(param.first) != param.second; }));
}

/// Nearest to the defaults first.
Result<std::vector<Params>> other_points(const Subject& subject) {
  const Kernel& kernel = subject.kernel;
  WS_TRY(const Workload workload, compile_workload(subject, kernel.defaults));
  WS_TRY(std::vector<Params> points,
         sample_points(subject.problem, kernel, {workload}, kMaxTilePoints, 0));
  std::stable_sort(points.begin(), points.end(), [&](const Params& a, const Params& b) {
    return differing(a, kernel.defaults) < differing(b, kernel.defaults);
  });
  return points;
}

/// Looks for parameters at which the target keeps the structure: the step is one from there then.
/// @return  How many points there were to try.
Result<std::size_t> find_tiles(Services& services, LowerStep& step, const std::string& target,
                               const CallContext& context) {
  WS_TRY(const std::vector<Params> points, other_points(step.subject));
  for (const Params& params : points) {
    context.report(0.05, "lifting at " + point_text(params, step.subject.kernel.defaults));
    LiftChoice choice;
    choice.params = params;
    WS_TRY(Lifting lifting, lift_kernel(services, step.subject, choice, context.stop));
    if (lifting.verdict != CompileVerdict::kCompiled || !lifting.program.whole()) {
      continue;
    }
    WS_TRY(lift::Lowering lowering, lift::plan_lowering(lifting.program.ir, target, lifting.tree,
                                                        lifting.tree.entries.front()));
    if (lowering.breaches.empty()) {
      step.params = params;
      step.lifting = std::move(lifting);
      step.lowering = std::move(lowering);
      break;
    }
  }
  return points.size();
}

}  // namespace

std::string point_text(const Params& params, const Params& defaults) {
  std::string text;
  for (const auto& [name, value] : params) {
    if (defaults.at(name) != value) {
      text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    }
  }
  return text;
}

Status keep_structure(Services& services, LowerStep& step, const std::string& target,
                      const CallContext& context) {
  if (step.lowering.breaches.empty()) {
    return {};
  }
  const std::string breach = ws::quoted(step.lowering.breaches.front());
  WS_TRY(const std::size_t tried, find_tiles(services, step, target, context));
  if (step.lowering.breaches.empty()) {
    return {};
  }
  const std::string points =
      tried == 0 ? ""
                 : ", or have the tiles of other parameters (tried " + std::to_string(tried) + ")";
  return fail(ErrorCode::kInvalidArgument, "`target_ir` changes the kernel's structure: " + breach,
              "keep copies, products, barriers and loops" + points +
                  "; verify_ir with `ir` and `target_ir` lists what has to stay");
}

}  // namespace ws
