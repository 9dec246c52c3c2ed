// compile_kernel: from a problem and a kernel to an id, entries and diagnostics.
#pragma once

#include "tools/kernels/compile_job.h"

namespace ws {

class CompileKernelTool : public TypedJobTool<CompileParams, Compilation> {
 public:
  explicit CompileKernelTool(Services& services);

 protected:
  Result<ToolJob<Compilation>> job_of(Services& services, const CompileParams& params,
                                      const std::stop_token& stop) override;
};

}  // namespace ws
