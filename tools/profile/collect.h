// All that is found out about a kernel for its profile, on an emulated device or on a GPU.
#pragma once

#include <optional>
#include <string>

#include "runtime/session/services.h"
#include "tools/profile/groups.h"
#include "tools/profile/software_run.h"

namespace ws {

struct Collected {
  Verdict verdict = Verdict::kProfiled;  ///< Another one says why there is nothing to see.
  std::string message;
  std::optional<Fault> fault;
  ProfileQuestion question;  ///< On a GPU its workload is what was asked, never a smaller one.
  Profile profile;
};

/// On the CPU engine: counts of an instrumented run. On a GPU: time and, where they are allowed,
/// its own counters; and the engine's counts of the same kernel, which tell coalescing and
/// conflicts by line, where the engine can run it. Registers where there is a CUDA compiler.
///
/// @param arguments  Of the call. @errors  Those of compiling, running and measuring; kCancelled;
/// kInvalidArgument: a workload that the problem or the constraints exclude.
Result<Collected> collect(Services& services, Device& device, const Subject& subject,
                          const Json& arguments, bool fresh, const CallContext& context);

}  // namespace ws
