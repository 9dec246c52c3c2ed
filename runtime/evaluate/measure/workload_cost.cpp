#include "runtime/evaluate/measure/workload_cost.h"

#include <algorithm>
#include <optional>

#include "runtime/kernel/module_reference.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

std::optional<double> as_double(const std::optional<std::int64_t>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

}  // namespace

Result<WorkloadCost> workload_cost(const Problem& problem, const Workload& workload,
                                   const ResolvedPlan& plan, const BenchmarkRequest& request) {
  WorkloadCost cost;
  WS_TRY(const auto flops, flops_of(problem, workload));
  WS_TRY(const auto bytes, bytes_of(problem, workload));
  cost.flops = as_double(flops);
  cost.bytes = as_double(bytes);
  cost.hot = request.hot;
  cost.avoidable = has_module(problem);
  for (const BufferSpec& buffer : plan.buffers) {
    const bool out = buffer.role == BufferRole::kOut;
    const bool written = out || buffer.role == BufferRole::kInout;
    cost.cacheable_bytes += written ? static_cast<double>(buffer.bytes()) : 0;
    cost.written_bytes +=
        out ? static_cast<double>(buffer.elements) * static_cast<double>(size_of(buffer.type)) : 0;
  }
  cost.cacheable_bytes = std::min(cost.cacheable_bytes, static_cast<double>(request.l2_bytes));
  for (const ArgSpec& arg : problem.args) {
    cost.types.push_back(arg.type);
  }
  return cost;
}

}  // namespace ws
