// lift_to_ir: a stored kernel as a CuIR program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/answer/typed_job.h"
#include "tools/kernels/lifting.h"

namespace ws {

/// The arguments of `lift_to_ir`.
struct LiftToIrParams {
  CommonParams common;
  std::string kernel_id;         ///< An id or a ref.
  Json params = Json::object();  ///< As sent.
  Json workload;                 ///< As sent; null: none.
  std::size_t launch = 0;
  std::string filled;  ///< A program whose holes the client filled; empty: none.
};

void from_json(const Json& arguments, LiftToIrParams& params);

/// A kernel as it was lifted.
struct LiftedKernel {
  std::string kernel_id;
  Lifting lifting;
  /// The holes that are still empty in the program that the client filled; nothing: it sent none.
  std::optional<std::vector<std::string>> still_empty;
  bool full = false;
};

/// The answer that shows a lifted kernel to a client.
Answer answer_of(const LiftedKernel& lifted);

class LiftToIrTool : public TypedJobTool<LiftToIrParams, LiftedKernel> {
 public:
  explicit LiftToIrTool(Services& services);

 protected:
  Result<ToolJob<LiftedKernel>> job_of(Services& services, const LiftToIrParams& params,
                                       const std::stop_token& stop) override;
};

}  // namespace ws
