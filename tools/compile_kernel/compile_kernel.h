// compile_kernel: from a problem and a kernel to an id, entries and diagnostics; from a PyTorch
// module alone to a problem.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/kernels/compile_job.h"

namespace ws {

/// A problem that was made of a module and stored.
struct RegisteredProblem {
  std::string problem_id;
  Json dims = Json::object();
  Json args = Json::array();
  Json flops;  ///< An expression; null: not known.
  std::vector<std::string> notes;
};

struct CompileResult {
  std::variant<Compilation, RegisteredProblem> outcome;
};

Answer answer_of(const CompileResult& result);

class CompileKernelTool : public TypedJobTool<CompileParams, CompileResult> {
 public:
  explicit CompileKernelTool(Services& services);

 protected:
  Result<ToolJob<CompileResult>> job_of(Services& services, const CompileParams& params,
                                        const std::stop_token& stop) override;
};

}  // namespace ws
