// verify_ir: executes a CuIR program and says what is wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/verify_ir/report.h"

namespace ws {

/// The arguments of `verify_ir`.
struct VerifyIrParams {
  CommonParams common;
  std::string ir;
  std::string target_ir;  ///< Made from `ir`, and run instead; empty: none.
  std::optional<std::string> problem_id;
  std::optional<std::string> kernel_id;
  Json workload;  ///< As sent; null: a small one.
  std::string mode = "f64";
  std::size_t schedules = 14;
  std::optional<std::uint64_t> seed;  ///< Nothing: a random one.
};

void from_json(const Json& arguments, VerifyIrParams& params);

class VerifyIrTool : public TypedJobTool<VerifyIrParams, VerifiedProgram> {
 public:
  explicit VerifyIrTool(Services& services);

 protected:
  Result<ToolJob<VerifiedProgram>> job_of(Services& services, const VerifyIrParams& params,
                                          const std::stop_token& stop) override;
};

}  // namespace ws
