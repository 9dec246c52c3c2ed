#include "tools/benchmark/benchmark.h"

#include "tools/benchmark/benchmark_schema.h"

namespace ws {

BenchmarkTool::BenchmarkTool(Services& services)
    : TypedJobTool(benchmark_schema(), services) {}

Result<ToolJob<StoredBenchmark>> BenchmarkTool::job_of(Services& services,
                                                       const BenchmarkParams& params,
                                                       const std::stop_token& /*stop*/) {
  return benchmark_job(services, params);
}

}  // namespace ws
