// The job that compiles a kernel: what `compile_kernel` answers, and a stage of other tools.
#pragma once

#include <string>

#include "tools/kernels/compilation.h"

namespace ws {

/// The arguments of `compile_kernel`.
struct CompileParams {
  CommonParams common;
  /// The arguments, of which choose_kernel() reads the kernel, and `ref` and `expect_ref` stay.
  Json choice = Json::object();
  Json params = Json::object();   ///< As sent.
  std::string arch;               ///< Empty: the device's.
  Json variants = Json::array();  ///< Other params, as sent: their resources are reported too.
};

void from_json(const Json& arguments, CompileParams& params);

/// The job stores the kernel that is meant, points its ref at it and compiles it.
/// @errors kNotFound: the device; those of choose_kernel() and of setting the ref, unless the
///         choice takes time: then they are the job's.
Result<ToolJob<Compilation>> compile_job(Services& services, const CompileParams& params,
                                         const std::stop_token& stop);

/// Compiles a kernel as one stage of `context`'s work, in one job with those that `compile_kernel`
/// is asked. @errors Those of compile_job() and result_of_job().
Result<Compilation> compile_kernel(Services& services, const CompileParams& params, StageSpan span,
                                   const CallContext& context);

}  // namespace ws
