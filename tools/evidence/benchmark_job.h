// The job that times a kernel: what `benchmark` answers, and a stage of other tools.
#pragma once

#include <string>

#include "tools/answer/typed_job.h"
#include "tools/evidence/benchmark_form.h"

namespace ws {

/// The arguments of `benchmark`.
struct BenchmarkParams {
  CommonParams common;
  std::string kernel_id;  ///< An id or a ref.
  std::string baseline = "root";
  Json workloads = Json::array();  ///< As sent.
  Json params = Json::object();    ///< As sent.
  bool hot = false;
  double time_budget_ms = 2000;
};

void from_json(const Json& arguments, BenchmarkParams& params);
/// Writes what differs from the schema's defaults.
void to_json(Json& arguments, const BenchmarkParams& params);

/// The answer that shows a benchmark to a client.
Answer answer_of(const StoredBenchmark& benchmark);

/// The job validates the kernel at level quick, unless it is known to be correct or wrong, and
/// times a correct one. @errors kNotFound: the device or the kernel.
Result<ToolJob<StoredBenchmark>> benchmark_job(Services& services, const BenchmarkParams& params);

/// Times a kernel as one stage of `context`'s work, in one job with those that `benchmark` is
/// asked.
/// @errors Those of benchmark_job() and result_of_job().
Result<StoredBenchmark> benchmark_kernel(Services& services, const BenchmarkParams& params,
                                         StageSpan span, const CallContext& context);

}  // namespace ws
