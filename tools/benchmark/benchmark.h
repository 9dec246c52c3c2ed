// benchmark: how fast is a kernel, compared with a baseline?
#pragma once

#include "tools/evidence/benchmark_job.h"

namespace ws {

class BenchmarkTool : public TypedJobTool<BenchmarkParams, StoredBenchmark> {
 public:
  explicit BenchmarkTool(Services& services);

 protected:
  Result<ToolJob<StoredBenchmark>> job_of(Services& services, const BenchmarkParams& params,
                                          const std::stop_token& stop) override;
};

}  // namespace ws
