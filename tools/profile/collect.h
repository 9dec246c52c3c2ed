// Collects everything for the profile of a kernel, on an emulated device or on a GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluate/modelled/software_run.h"
#include "runtime/session/services.h"
#include "tools/answer/envelope.h"
#include "tools/profile/groups.h"

namespace ws {

/// The arguments of `profile`.
struct ProfileParams {
  CommonParams common;
  std::string kernel_id;  ///< An id or a ref.
  std::vector<std::string> groups;
  Json workload;                 ///< As sent; null: the costliest that a benchmark would time.
  Json params = Json::object();  ///< As sent.
};

void from_json(const Json& arguments, ProfileParams& params);

struct Collected {
  Verdict verdict = Verdict::kProfiled;  ///< Any other verdict says why nothing was collected.
  std::string message;
  std::optional<Fault> fault;
  ProfileQuestion question;  ///< On a GPU its workload is the one asked for, never a smaller one.
  Profile profile;
};

/// On the CPU engine: counts of an instrumented run. On a GPU: time and, where they are allowed,
/// its own counters; and the engine's counts of the same kernel, which tell coalescing and
/// conflicts by line, where the engine can run it. Registers where there is a CUDA compiler.
///
/// @errors  Those of compiling, running and measuring; kCancelled; kInvalidArgument: a workload
/// that the problem or the constraints exclude.
Result<Collected> collect(Services& services, Device& device, const Subject& subject,
                          const ProfileParams& params, const CallContext& context);

}  // namespace ws
