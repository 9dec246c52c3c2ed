// A kernel made ready to run on one workload: rendered, compiled, bound to buffers, loaded into a
// worker.
#pragma once

#include <memory>
#include <string>

#include "runtime/base/verdict.h"
#include "runtime/device/backend.h"
#include "runtime/device/bind.h"
#include "runtime/device/module_run.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {

/// The role in which a kernel is run. Roles never share workers: a worker may hold expected outputs
/// or other data that another role must not see.
enum class RunAs : std::uint8_t { kCandidate, kReference, kBaseline };

/// A kernel compiled for one workload and one choice of parameters.
struct Compiled {
  Verdict verdict = Verdict::kCompiled;  ///< Another one says why it cannot run.
  std::string message;                   ///< Why not.
  ResolvedPlan plan;
  CompileReply reply;
  std::string code;  ///< Names the kernel's text and options, whatever the workload and parameters.
  std::uint64_t buffer_bytes = 0;  ///< As CompileChoice::buffer_bytes.
  /// A PyTorch module instead of a kernel: the plan has no launches, and there is no image.
  std::shared_ptr<const ModuleRun> module = nullptr;

  [[nodiscard]] bool ok() const { return verdict == Verdict::kCompiled; }

  [[nodiscard]] const Image& image() const { return reply.outcome->image; }
};

/// The verdict on the wire. A kernel that prunes itself is unsupported.
Verdict verdict_of(CompileVerdict verdict);

struct CompileChoice {
  Build build = Build::kFast;
  bool fresh = false;
  /// For all buffers together; 0: the device's limit. More is for a launch that touches little of
  /// them.
  std::uint64_t buffer_bytes = 0;
};

/// Renders, resolves, compiles, and checks the plan against the entry and the device. A mismatch of
/// arguments is a compile_error: the plan is part of the kernel.
/// @errors kInvalidArgument: an expression of the plan fails; those of Backend::compile.
Result<Compiled> compile_for(Backend& backend, const Problem& problem, const Kernel& kernel,
                             const Workload& workload, const Params& params, CompileChoice choice,
                             const std::stop_token& stop);

/// A module as the other side of `kernel`, on its workload.
/// @param kernel  ok(), of a problem whose arguments the module takes.
Compiled module_side(const Problem& problem, const Compiled& kernel, const ModuleRun& module);

/// A worker with the kernel loaded, and the buffers it shares with the server.
struct Prepared {
  ResolvedPlan plan;
  std::shared_ptr<const CompileOutcome> compiled;
  std::shared_ptr<Arena> arena;
  std::unique_ptr<Session> session;
};

/// @param compiled  ok().
/// @param as        The role whose worker it may be: see RunPlan::owner.
/// @param batch       As RunPlan::batch, of those that are run as the same thing.
/// @param stop        Ends the start of a module's worker, which may take minutes.
/// @errors kInvalidArgument: the buffers are too large; those of Backend::open, or of
/// RunsModules::open_module; kUnsupported: a module on a device that runs none.
Result<Prepared> prepare(Backend& backend, const Compiled& compiled, RunAs as,
                         const std::string& batch = {}, const std::stop_token& stop = {});

}  // namespace ws
