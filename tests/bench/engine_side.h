// For benches of the CPU engine: kernels compiled by a plug-in and run in this process, without a
// server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/compile/clang/plugin.h"
#include "runtime/compile/compile.h"
#include "runtime/device/arena.h"
#include "runtime/device/cpu/launcher.h"
#include "runtime/kernel/plan/plan.h"

namespace ws::bench {

/// The plug-in of a build folder. It stays loaded: LLVM's own data ends with the process.
Result<const WsClangPlugin*> plugin_of(const std::string& build);

/// @errors kInvalidArgument: the source does not compile.
Result<CompileOutcome> compile(const WsClangPlugin& plugin, const RenderedSource& source,
                               Build build = Build::kFast);

/// One build's code of a kernel, ready to run.
class EngineSide {
 public:
  /// @param region   Several sides may use it, by turns.
  /// @param helpers  Threads beside the caller's.
  Status prepare(CompileOutcome outcome, const ResolvedPlan& plan, const Arena& arena,
                 cpu::Region& region, unsigned helpers = 0);

  /// Takes the region's place for the arena from the side before, and launches untimed until the
  /// pages of the place are in the tables of the processor, as those of a loop's memory are.
  Status settle();

  /// Launches the plan once and notes the processor time of this thread. Settle the side first.
  Status run();

  /// The same, and notes the time that passed.
  Status run_by_the_clock();

  /// The time in microseconds that a share of the launches took no more than.
  [[nodiscard]] double at(double share);

  [[nodiscard]] const CompileOutcome& compiled() const { return compiled_; }

 private:
  CompileOutcome compiled_;
  RunPlan plan_;
  std::unique_ptr<cpu::LoadedImage> image_;
  std::unique_ptr<cpu::Launcher> launcher_;
  std::vector<double> times_us_;
};

}  // namespace ws::bench
