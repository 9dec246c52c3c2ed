// A kernel's profile build, run once on the CPU engine and counted.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/evaluate/memory_guard.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/evaluate/subject.h"
#include "runtime/profile/model.h"

namespace ws {

struct ProfileQuestion {
  Workload workload;                    ///< The workload that runs.
  std::optional<Workload> shrunk_from;  ///< The workload that was asked for, if another one runs.
  Params params;
  std::uint64_t secret = 0;  ///< The secret of inputs and poison.
  bool fresh = false;
};

/// The result of the run.
struct ProfileRun {
  Verdict verdict = Verdict::kProfiled;  ///< Any other verdict says why nothing was collected.
  std::string message;                   ///< Why.
  std::optional<Fault> fault;
  ProfileInput input;
  ResolvedPlan plan;  ///< The plan that ran; `arena` has its buffers.
  std::shared_ptr<Arena> arena;
};

/// The cost of what was asked about, and how much more it is than what runs.
/// @errors kInvalidArgument: an expression fails.
Status describe_question(const Subject& subject, const ProfileQuestion& question,
                         ProfileInput& input);

/// A kernel with its inputs in place, about to run.
struct ReadyRun {
  Compiled compiled;
  std::optional<Prepared> prepared;  ///< Nothing where it does not compile: `compiled` says why.
};

/// @errors  Those of compile_for and prepare; kCancelled.
Result<ReadyRun> make_ready(Backend& backend, const Subject& subject,
                            const ProfileQuestion& question, Build build,
                            const std::stop_token& stop);

/// @errors  Those of make_ready and Session; kCancelled.
Result<ProfileRun> run_in_software(Backend& backend, const Subject& subject,
                                   const ProfileQuestion& question, const std::stop_token& stop);

}  // namespace ws
