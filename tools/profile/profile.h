// profile: what limits a kernel, and what to try?
#pragma once

#include <optional>
#include <string>

#include "tools/answer/typed_job.h"
#include "tools/evidence/passed_first.h"
#include "tools/profile/collect.h"

namespace ws {

/// A profile and the evidence that records it, or why the kernel was not profiled.
struct KernelProfile {
  std::string kernel_id;
  std::optional<Refusal> refusal;  ///< Set if the kernel is wrong; then nothing was collected.
  Collected run;
  std::vector<std::string> groups;  ///< The groups of counters that are reported.
  bool full = false;
  bool emulated = false;
  std::string evidence_id;  ///< Empty if nothing was collected.
};

/// The answer's body without its links.
void to_json(Json& form, const KernelProfile& profile);

/// The answer that shows a profile to a client.
Answer answer_of(const KernelProfile& profile);

class ProfileTool : public TypedJobTool<ProfileParams, KernelProfile> {
 public:
  explicit ProfileTool(Services& services);

 protected:
  Result<ToolJob<KernelProfile>> job_of(Services& services, const ProfileParams& params,
                                        const std::stop_token& stop) override;
};

}  // namespace ws
