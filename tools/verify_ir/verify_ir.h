// verify_ir: executes a CuIR program, or two kernels, and says what is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "tools/programs/report.h"
#include "tools/verify_ir/pair.h"

namespace ws {

/// The arguments of `verify_ir`.
struct VerifyIrParams {
  CommonParams common;
  std::string ir;         ///< Empty: two kernels are compared.
  std::string target_ir;  ///< Made from `ir`, and run instead; empty: none.
  Json problem;           ///< As sent; null: none.
  std::optional<std::string> problem_id;
  std::optional<std::string> kernel_id;
  std::optional<std::string> against;  ///< Another kernel.
  Json binding;                        ///< As sent; null: none.
  Json workload;                       ///< As sent; null: a small one.
  std::string mode = "f64";
  std::size_t schedules = 14;
  std::optional<std::uint64_t> seed;  ///< Nothing: a random one.
};

void from_json(const Json& arguments, VerifyIrParams& params);

using Verified = std::variant<VerifiedProgram, VerifiedPair>;

Answer answer_of(const Verified& verified);

class VerifyIrTool : public TypedJobTool<VerifyIrParams, Verified> {
 public:
  explicit VerifyIrTool(Services& services);

 protected:
  Result<ToolJob<Verified>> job_of(Services& services, const VerifyIrParams& params,
                                   const std::stop_token& stop) override;
};

}  // namespace ws
