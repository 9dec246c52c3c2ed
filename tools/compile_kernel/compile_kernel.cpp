#include "tools/compile_kernel/compile_kernel.h"

#include "tools/compile_kernel/compile_kernel_schema.h"

namespace ws {

CompileKernelTool::CompileKernelTool(Services& services)
    : TypedJobTool(compile_kernel_schema(), services) {}

Result<ToolJob<Compilation>> CompileKernelTool::job_of(Services& services,
                                                       const CompileParams& params,
                                                       const std::stop_token& stop) {
  return compile_job(services, params, stop);
}

}  // namespace ws
