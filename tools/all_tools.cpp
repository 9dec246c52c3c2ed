#include "tools/all_tools.h"

#include <memory>

#include "tools/apply_transformation/apply_transformation.h"
#include "tools/benchmark/benchmark.h"
#include "tools/compile_kernel/compile_kernel.h"
#include "tools/evaluate/evaluate.h"
#include "tools/job/job.h"
#include "tools/lift_to_ir/lift_to_ir.h"
#include "tools/list_devices/list_devices.h"
#include "tools/profile/profile.h"
#include "tools/search_prior_kernels/search_prior_kernels.h"
#include "tools/tune/tune.h"
#include "tools/validate/validate.h"
#include "tools/verify_ir/verify_ir.h"
#include "tools/workflow/workflow.h"

namespace ws {

void add_all_tools(ToolRegistry& registry, Services& services) {
  // It describes the forms that others only name.
  registry.add(std::make_unique<CompileKernelTool>(services));
  registry.add(std::make_unique<ApplyTransformationTool>(services));
  registry.add(std::make_unique<BenchmarkTool>(services));
  registry.add(std::make_unique<EvaluateTool>(services));
  registry.add(std::make_unique<ValidateTool>(services));
  registry.add(std::make_unique<JobTool>(services, registry));
  registry.add(std::make_unique<LiftToIrTool>(services));
  registry.add(std::make_unique<ListDevicesTool>(services));
  registry.add(std::make_unique<ProfileTool>(services));
  registry.add(std::make_unique<SearchPriorKernelsTool>(services));
  registry.add(std::make_unique<TuneTool>(services));
  registry.add(std::make_unique<VerifyIrTool>(services));
  registry.add(std::make_unique<WorkflowTool>(services));
}

}  // namespace ws
