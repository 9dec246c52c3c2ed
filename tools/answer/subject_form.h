// Kernels, workloads, parameters and devices as tools take and give them.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/workloads.h"
#include "runtime/kernel/problem.h"
#include "tools/tool.h"

namespace ws {

/// `params` of a call laid over the kernel's defaults.
/// @errors kInvalidArgument: unknown names or values.
Result<Params> requested_params(const Kernel& kernel, const Json& arguments);

/// `workloads` of a call; empty when the call has none. @errors kInvalidArgument.
Result<std::vector<Workload>> requested_workloads(const Problem& problem, const Json& arguments);

/// Forms for results, and back. A workload's whole numbers are its dims, others its scalars, as
/// a canonical text writes them.
Json to_json(const Workload& workload);
Json to_json(const Params& params);
Workload workload_of_form(const Json& form);
Params params_of_form(const Json& form);

/// {"id", "name", "uuid", "arch", "driver", "toolkit"}: the device that a result is from.
Json device_form(const DeviceInfo& device);

/// The links of a kernel's result.
Json kernel_links(const std::string& kernel_id);

}  // namespace ws
